//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"errors"
	"os"
	"syscall"
)

// Works says whether locks keep anyone out on this system.
const Works = true

// noFollow makes it an error to open a link, and opens a pipe without waiting for its other end.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// lockShared fails while another process holds the lock; several may hold it shared.
func lockShared(f *os.File) error { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errHeld
	}
	return err
}
