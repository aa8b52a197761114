// Package files writes files whole, opens regular files alone, and locks files, so that one process at a time
// works on something. The operating system ends a lock with its process: killed processes leave no stale locks.
// Where the standard library has no such lock, nothing is kept out.
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

// HeldError means that another process, or another holder in this process, has the lock.
type HeldError struct {
	Path    string
	Process string // its number, as the file says
}

// Error implements error.
func (e *HeldError) Error() string { return fmt.Sprintf("process %s holds %s", e.Process, e.Path) }

// errHeld is what the system's lock returns while another has it.
var errHeld = errors.New("the lock is held")

// Take makes the file at path, if need be, and locks it; closing the file gives
// the lock back. The file names its last holder, who may remove it. A *HeldError
// names the holder. A link, and a file with other contents, is an error and stays
// as it is.
func Take(path string) (*os.File, error) {
	f, err := Lock(path)
	if err != nil {
		return nil, err
	}
	if _, err := owner(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	// The holder's number is for people; a full disk must not keep anyone from work.
	_ = f.Truncate(0)
	_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return f, nil
}

// Lock is Take of a file with other contents, which stay.
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

// open opens a regular file, and follows no link: a link would let others choose the file that is written.
func open(path string, flag int) (*os.File, error) {
	info, err := os.Lstat(path)
	if !errors.Is(err, fs.ErrNotExist) { // else it may be made
		if err := checkRegular(path, info, err); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, flag|noFollow, 0o666)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	info, err = f.Stat()
	if err := checkRegular(path, info, err); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkRegular wants a regular file by its description, or by the error in its place.
func checkRegular(path string, info fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return err
	case info.Mode().IsRegular():
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("lock %s: it is a symbolic link, which no lock is; remove it", path)
	}
	return fmt.Errorf("lock %s: it is no regular file; move it away", path)
}

// owner reads the number of the last process with the lock, "" for none. An error means that Take did not make the file.
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

// removed reports whether the file was removed or replaced since it was opened: a lock on it
// would keep out nobody.
func removed(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, there)
}

// lockSoon takes the lock, and waits for Held, which has it for a moment.
func lockSoon(f *os.File) error {
	for try := 0; ; try++ {
		err := lock(f)
		if !errors.Is(err, errHeld) || try == 3 {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Held reports whether anyone has the lock of a file, which need not exist; false on systems
// without such locks.
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
