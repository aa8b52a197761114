package tensor

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls f(0) … f(n−1) from as many goroutines as there are processors, each of
// which takes the next number when it is done with one, and returns when all are done.
func Parallel(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}
