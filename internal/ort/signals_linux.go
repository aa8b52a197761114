package ort

import (
	"syscall"
	"unsafe"
)

// keepSignals runs f and puts the process's signal handlers back as they were,
// so that a library which installs its own does not take Ctrl-C from Go. It asks the kernel
// (rt_sigaction(2)), and leaves signals 32 to 34 alone, which C libraries keep for themselves.
func keepSignals(f func() error) error {
	const signals = 64
	var old [signals + 1]struct {
		action [8]uint64 // room for the kernel's struct
		known  bool
	}
	own := func(s int) bool { return s >= 32 && s <= 34 }
	for s := 1; s <= signals; s++ {
		old[s].known = !own(s) && signalAction(s, nil, &old[s].action) == nil
	}
	defer func() {
		for s := 1; s <= signals; s++ {
			if old[s].known {
				_ = signalAction(s, &old[s].action, nil) // it was the kernel's own
			}
		}
	}()
	return f()
}

// signalAction sets what a signal does, and tells what it did.
func signalAction(signal int, set, was *[8]uint64) error {
	const setBytes = 8 // of a set of signals
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(was)), setBytes, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
