package serve

import (
	"cmp"

	"github.com/nopezoo/zoo/runtime"
)

// Bounds say how much a model answers at a time, and how much waits. Of each 0 stands for the
// default.
type Bounds struct {
	Rows    int // answers that are made at a time; default 32
	Waiting int // answers that wait beside them; default 8 times Rows
}

// Answers returns what answers with a session within bounds.
func Answers(s *runtime.Session, b Bounds) (*Queue, error) {
	return NewQueue(s, cmp.Or(b.Rows, 32), cmp.Or(b.Waiting, 256))
}
