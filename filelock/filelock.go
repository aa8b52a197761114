// Package filelock lets one process at a time work on something, by a file that
// it locks. The lock is the operating system's, which ends it with its process,
// so that a killed one leaves no stale lock. Where the standard library has no
// such lock nothing is kept out.
package filelock

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// HeldError means that another process, or another holder in this one, has the
// lock.
type HeldError struct {
	Path    string
	Process string // its number, as the file says
}

// Error implements error.
func (e *HeldError) Error() string { return fmt.Sprintf("process %s holds %s", e.Process, e.Path) }

// errHeld is what the system's lock returns while another has it.
var errHeld = errors.New("the lock is held")

// Take makes the file at path, if need be, and locks it; closing the file gives
// the lock back. The file says whose it was last. Its holder may remove it. A
// *HeldError says who has the lock.
func Take(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
		if err := lockSoon(f); err != nil {
			owner, _ := io.ReadAll(io.LimitReader(f, 20))
			f.Close()
			if errors.Is(err, errHeld) {
				return nil, &HeldError{Path: path, Process: strings.TrimSpace(string(owner))}
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !removed(f, path) {
			// Who holds it is for people; a full disk must not keep anyone from work.
			_ = f.Truncate(0)
			_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
			return f, nil
		}
		f.Close()
	}
}

// removed reports whether the last holder removed the file after it was opened
// here: a lock on it would keep out nobody.
func removed(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, there)
}

// lockSoon takes the lock, also where Held has it for a moment.
func lockSoon(f *os.File) error {
	for try := 0; ; try++ {
		err := lock(f)
		if !errors.Is(err, errHeld) || try == 3 {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Held reports whether anyone has the lock of a file, which need not exist. Where
// the system has no lock that tells, it reports false.
func Held(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock: %w", err)
	}
	defer f.Close() // gives back what is held
	err = lockShared(f)
	if errors.Is(err, errHeld) {
		return true, nil
	}
	return false, err
}
