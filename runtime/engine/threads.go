package engine

import (
	"fmt"
	goruntime "runtime"
)

// threadsPerProcessor is how many threads a session may have for each processor.
// Idle ones spin: far more than there are processors do not only work slower,
// they stall everything else on the machine.
const threadsPerProcessor = 4

// MaxThreads returns the most threads that a session may have here.
func MaxThreads() int { return threadsPerProcessor * goruntime.NumCPU() }

// CheckThreads wants a number of threads that this machine can bear, or 0 for one
// per physical core.
func CheckThreads(n int) error {
	switch most := MaxThreads(); {
	case n < 0:
		return fmt.Errorf("threads is %d, expected 0 (one per physical core) or more", n)
	case n > most:
		return fmt.Errorf("threads is %d, but this machine has %d processors; expected at most %d, "+
			"or 0 for one per physical core", n, goruntime.NumCPU(), most)
	}
	return nil
}
