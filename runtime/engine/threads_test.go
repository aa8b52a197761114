package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/runtime/engine"
)

// Nothing here may open a session with too many threads: before they were bounded
// that took the whole machine.
func TestCheckThreads(t *testing.T) {
	most := engine.MaxThreads()
	for _, n := range []int{0, 1, most} {
		if err := engine.CheckThreads(n); err != nil {
			t.Errorf("%d threads: %v", n, err)
		}
	}
	for _, n := range []int{-1, most + 1, 99999} {
		if err := engine.CheckThreads(n); err == nil || !strings.Contains(err.Error(),
			fmt.Sprintf("threads is %d, ", n)) {
			t.Errorf("%d threads: error is %v", n, err)
		}
	}
}
