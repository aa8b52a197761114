package bench

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/filelock"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Log is a file of result rows that grows as cells are finished, and that one
// program at a time writes. The zero Log keeps nothing.
type Log struct {
	Rows     []eval.Row // that it held when it was opened
	Repaired string     // what was repaired then, for people; "" for nothing

	file *os.File // nil for no file
	lock *os.File // beside it, so that no other program writes; nil for none
}

// OpenLog opens a file to append to, in a folder that it makes if need be, and
// repairs the end of one whose writer was stopped: half a row is cut off. Path ""
// keeps nothing. A file that another program has open as a log is an error, and so
// is one that holds something else.
func OpenLog(path string) (_ *Log, err error) {
	l := &Log{}
	if path == "" {
		return l, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if l.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	if !isRegular(l.file) {
		return l, nil // a pipe or device holds nothing to go on from
	}
	info, err := l.file.Stat()
	if err == nil {
		err = tensor.CheckRegular(path, info, eval.MaxResults)
	}
	if err == nil {
		err = l.claim(path)
	}
	if err != nil {
		return nil, err
	}
	rows, whole, closed, err := eval.ReadPartialJSONL(l.file)
	if err != nil {
		return nil, fmt.Errorf("%s holds something else than results; name another file: %w", path, err)
	}
	l.Rows = rows
	read, err := l.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	return l, l.repair(path, read, whole, closed)
}

// claim locks a file, by whichever link it is named, until the log is closed.
func (l *Log) claim(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	l.lock, err = filelock.Take(filepath.Join(filepath.Dir(real), "."+filepath.Base(real)+".lock"))
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return fmt.Errorf("another benchmark writes to %s (%w); wait for its end, or name another file", path, held)
	}
	return err
}

// repair cuts off half a row, and ends a last line that lacks its end. read bytes
// were read, of which whole are complete rows: a file that has grown since is
// written to by a program that heeds no lock, and stays as it is.
func (l *Log) repair(path string, read, whole int64, closed bool) error {
	if n := read - whole; n > 0 {
		info, err := l.file.Stat()
		if err != nil {
			return err
		}
		if info.Size() != read {
			return fmt.Errorf("%s changed while it was read: another program writes to it; "+
				"wait for its end, or name another file", path)
		}
		if err := os.Truncate(path, whole); err != nil { // not every system lets a file be cut that is open for appending
			return err
		}
		l.Repaired = fmt.Sprintf("%s: cut off half a row of %d bytes that an interruption left at its end", path, n)
	}
	if !closed {
		_, err := l.file.WriteString("\n")
		return err
	}
	return nil
}

// ReadLog reads a log without changing or locking it, and keeps nothing; there are no
// rows for path "", and where there is no such file.
func ReadLog(path string) (*Log, error) {
	if path == "" {
		return &Log{}, nil
	}
	f, _, err := tensor.OpenRegular(path, eval.MaxResults)
	if errors.Is(err, fs.ErrNotExist) {
		return &Log{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, _, _, err := eval.ReadPartialJSONL(f)
	if err != nil {
		return nil, fmt.Errorf("%s holds something else than results: %w", path, err)
	}
	return &Log{Rows: rows}, nil
}

// Add keeps a row, which is on the disk when it returns.
func (l *Log) Add(r eval.Row) error {
	if l.file == nil {
		return nil
	}
	if err := eval.WriteJSONL(l.file, r); err != nil {
		return err
	}
	if !isRegular(l.file) {
		return nil
	}
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("keep a result: %w", err)
	}
	return nil
}

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// Close closes the file and gives its lock back.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	if l.lock != nil {
		err = errors.Join(err, os.Remove(l.lock.Name()), l.lock.Close())
	}
	return err
}
