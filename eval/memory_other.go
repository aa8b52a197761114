//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd

package eval

import (
	"fmt"
	"runtime"
)

// ProcessMemory returns a meter of this process' resident memory in bytes. It is
// an error on systems that do not tell, this one included.
func ProcessMemory() (MemoryMeter, error) {
	return nil, fmt.Errorf("peak memory: not measured on %s: leave it out", runtime.GOOS)
}
