// Package files writes files whole, opens regular ones alone, and lets one process at a time work
// on something, by a file that it locks. The lock is the operating system's, which ends
// it with its process, so that a killed one leaves no stale lock. Where the standard
// library has no such lock nothing is kept out.
package files

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
// *HeldError says who has the lock. A link, and a file that is no lock, is an
// error and stays as it is.
func Take(path string) (*os.File, error) {
	f, err := Lock(path)
	if err != nil {
		return nil, err
	}
	if _, err := owner(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	// Who holds it is for people; a full disk must not keep anyone from work.
	_ = f.Truncate(0)
	_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return f, nil
}

// Lock is Take of a file that holds something else: its contents stay.
func Lock(path string) (*os.File, error) {
	for {
		f, err := open(path, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		if err := lockSoon(f); err != nil {
			process, unknown := owner(f)
			f.Close()
			if unknown != nil {
				process = "(unknown)"
			}
			if errors.Is(err, errHeld) {
				return nil, &HeldError{Path: path, Process: process}
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !removed(f, path) {
			return f, nil
		}
		f.Close()
	}
}

// open opens a regular file, and follows no link: whoever may write to the folder would choose the file that is
// written to.
func open(path string, flag int) (*os.File, error) {
	info, err := os.Lstat(path)
	if err == nil {
		err = checkRegular(path, info)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil // it may be made
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag|noFollow, 0o666)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if info, err = f.Stat(); err == nil {
		err = checkRegular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func checkRegular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("lock %s: it is a symbolic link, which no lock is; remove it", path)
	}
	return fmt.Errorf("lock %s: it is no regular file; move it away", path)
}

// owner reads the number of the process that had the lock last, "" for none. An error means that the file is none of
// Take's.
func owner(f *os.File) (string, error) {
	const longest = 20 // digits and the end of the line
	text := make([]byte, longest+1)
	n, err := f.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	number := strings.TrimSuffix(string(text[:n]), "\n")
	if n > longest || strings.Trim(number, "0123456789") != "" {
		return "", errors.New("the file holds something else than a process number; move it away")
	}
	return number, nil
}

// removed reports whether the file was removed or replaced after it was opened
// here: a lock on it would keep out nobody.
func removed(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
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
	f, err := open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close() // gives back what is held
	err = lockShared(f)
	if errors.Is(err, errHeld) {
		return true, nil
	}
	return false, err
}
