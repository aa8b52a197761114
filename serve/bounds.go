package serve

import (
	"cmp"

	"github.com/nopezoo/zoo/runtime"
)

// Bounds say how much a model answers at a time, and how much waits. Of each 0 stands for the
// default.
type Bounds struct {
	Running int // calls that run at a time; default 2
	Waiting int // calls that wait; default 64
}

// Answers returns what answers with a session within bounds.
func Answers(s *runtime.Session, b Bounds) (Answerer, error) {
	return NewQueue(s, cmp.Or(b.Running, 2), cmp.Or(b.Waiting, 64))
}
