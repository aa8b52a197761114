// Package rowlog keeps records, such as result rows, in a file of JSON lines that grows as they are made, so that
// after an interruption the same work goes on where it stood.
package rowlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/wrap"
)

// Format says what a file holds.
type Format[T any] struct {
	Holds    string // "results"
	MaxBytes int64  // of a file
	// Read returns the records of a file whose writer may have been stopped, the length in bytes of what is complete, and
	// whether its last line has an end.
	Read  func(r io.Reader) (records []T, complete int64, closed bool, err error)
	Write func(w io.Writer, records ...T) error
}

// Log is a file of records that grows as they are made, and that one program at a time writes. The zero Log
// keeps nothing.
type Log[T any] struct {
	Records  []T    // that it held when it was opened
	Repaired string // what was repaired then, for people; "" for nothing

	format Format[T]
	file   *os.File // nil for no file
	lock   *os.File // beside it, so that no other program writes; nil for none
}

// Open opens a file to append to, in a folder that it makes if need be, and
// repairs the end of one whose writer was stopped: what is half written is cut off. Path ""
// keeps nothing. A file that another program has open as a log is an error, and so
// is one that holds something else.
func Open[T any](path string, f Format[T]) (_ *Log[T], err error) {
	l := &Log[T]{format: f}
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
		err = files.CheckRegular(path, info, f.MaxBytes)
	}
	if err == nil {
		err = l.claim(path)
	}
	if err != nil {
		return nil, err
	}
	records, complete, closed, err := f.Read(l.file)
	if err != nil {
		return nil, fmt.Errorf("%s holds something else than %s; name another file: %w", path, f.Holds, err)
	}
	l.Records = records
	read, err := l.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	return l, l.repair(path, read, complete, closed)
}

// claim locks a file, by whichever link it is named, until the log is closed.
func (l *Log[T]) claim(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	l.lock, err = files.Take(filepath.Join(filepath.Dir(real), "."+filepath.Base(real)+".lock"))
	var held *files.HeldError
	if errors.As(err, &held) {
		return fmt.Errorf("another program writes %s to %s (%w); wait for its end, or name another file", l.format.Holds, path, held)
	}
	return err
}

// repair cuts off what is not complete, and ends a last line that lacks its end. read bytes
// were read, of which whole are complete records: a file that has grown since is
// written to by a program that heeds no lock, and stays as it is.
func (l *Log[T]) repair(path string, read, complete int64, closed bool) error {
	if n := read - complete; n > 0 {
		info, err := l.file.Stat()
		if err != nil {
			return err
		}
		if info.Size() != read {
			return fmt.Errorf("%s changed while it was read: another program writes to it; "+
				"wait for its end, or name another file", path)
		}
		// not every system lets a file be cut that is open for appending
		if err := os.Truncate(path, complete); err != nil {
			return err
		}
		l.Repaired = fmt.Sprintf("%s: cut off %d bytes that an interruption left half written at its end", path, n)
	}
	if !closed {
		_, err := l.file.WriteString("\n")
		return err
	}
	return nil
}

// Read reads a log without changing or locking it, and keeps nothing; there are no
// records for path "", and where there is no such file.
func Read[T any](path string, format Format[T]) (*Log[T], error) {
	if path == "" {
		return &Log[T]{}, nil
	}
	f, _, err := files.OpenRegular(path, format.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &Log[T]{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, _, _, err := format.Read(f)
	return wrap.Value(&Log[T]{Records: records}, err, "%s holds something else than %s", path, format.Holds)
}

// Add keeps records, which are on the disk when it returns. They are written at once, so that a program that is killed
// leaves all of them or none.
func (l *Log[T]) Add(records ...T) error {
	if l.file == nil {
		return nil
	}
	var lines bytes.Buffer
	if err := l.format.Write(&lines, records...); err != nil {
		return err
	}
	if _, err := l.file.Write(lines.Bytes()); err != nil {
		return err
	}
	if !isRegular(l.file) {
		return nil
	}
	return wrap.Error(l.file.Sync(), "keep a result")
}

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// Close closes the file and gives its lock back.
func (l *Log[T]) Close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	if l.lock != nil {
		err = errors.Join(err, os.Remove(l.lock.Name()), l.lock.Close())
	}
	return err
}
