//go:build darwin || freebsd || netbsd || openbsd

package eval

import (
	"fmt"
	"runtime"
	"syscall"
)

// processMeter: this system keeps one peak for the whole life of the process (getrusage(2)).
func processMeter() (MemoryMeter, error) { return processMemory{}, nil }

type processMemory struct{}

func (processMemory) Reset() {}

func (processMemory) Peak() (int64, string, error) {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0, "", fmt.Errorf("peak memory: %w", err)
	}
	unit := int64(1 << 10)
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return int64(use.Maxrss) * unit, PeakOfProcess, nil
}
