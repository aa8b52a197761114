package tensor_test

import (
	"sync/atomic"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
)

func TestParallel(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		called := make([]atomic.Int32, n)
		tensor.Parallel(n, func(i int) { called[i].Add(1) })
		for i := range called {
			if c := called[i].Load(); c != 1 {
				t.Errorf("of %d: f(%d) was called %d times", n, i, c)
			}
		}
	}
}
