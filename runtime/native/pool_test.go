package native

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nopezoo/zoo/runtime/engine"
)

// explosive is work of which one part panics.
type explosive struct {
	at   int
	done atomic.Int64
}

func (e *explosive) do(part, _ int) {
	if part == e.at {
		panic("part is broken")
	}
	e.done.Add(1)
}

// TestPoolPanic: a panic on any thread is one where the work was given, and the pool works on.
func TestPoolPanic(t *testing.T) {
	p := newPool(3, false)
	defer p.close()
	for at := range 50 {
		func() {
			defer func() {
				err, _ := recover().(error)
				if !errors.Is(err, engine.ErrPanic) || !strings.Contains(err.Error(), "panic: part is broken") ||
					!strings.Contains(err.Error(), "pool_test.go") {
					t.Errorf("part %d: %v", at, err)
				}
			}()
			p.do(50, &explosive{at: at})
		}()
		whole := &explosive{at: -1}
		if p.do(50, whole); whole.done.Load() != 50 {
			t.Fatalf("after a panic in part %d: %d parts of 50 were done", at, whole.done.Load())
		}
	}
}
