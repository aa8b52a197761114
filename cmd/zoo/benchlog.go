package main

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

// benchLog is a file of results that grows as cells are finished.
type benchLog struct {
	file *os.File   // nil for no file
	lock *os.File   // beside it, so that no other bench writes; nil for none
	rows []eval.Row // that it held at first
	torn string     // what was repaired, for people
}

// openBenchLog opens a file to append to, in a folder that it makes if need be,
// and repairs the end of one whose writer was stopped; path "" keeps nothing. A
// file that another bench writes to is an error.
func openBenchLog(path string) (_ *benchLog, err error) {
	l := &benchLog{}
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
	if err != nil {
		return nil, err
	}
	if err := l.claim(path); err != nil {
		return nil, err
	}
	rows, whole, closed, err := eval.ReadPartialJSONL(l.file)
	if err != nil {
		return nil, fmt.Errorf("%s holds something else than results; name another file with -o: %w", path, err)
	}
	l.rows = rows
	read, err := l.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	return l, l.repair(path, read, whole, closed)
}

// claim locks a file, by whichever link it is named, until the log is closed.
func (l *benchLog) claim(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	l.lock, err = filelock.Take(filepath.Join(filepath.Dir(real), "."+filepath.Base(real)+".lock"))
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return fmt.Errorf("another zoo bench writes to %s (%w); wait for its end, or name another file with -o", path, held)
	}
	return err
}

// repair cuts off half a row, and ends a last line that lacks its end. read bytes
// were read, of which whole are complete rows: a file that has grown since is
// written to by a program that heeds no lock, and stays as it is.
func (l *benchLog) repair(path string, read, whole int64, closed bool) error {
	if n := read - whole; n > 0 {
		info, err := l.file.Stat()
		if err != nil {
			return err
		}
		if info.Size() != read {
			return fmt.Errorf("%s changed while it was read: another program writes to it; wait for its end, or name another file with -o", path)
		}
		if err := os.Truncate(path, whole); err != nil { // not every system lets a file be cut that is open for appending
			return err
		}
		l.torn = fmt.Sprintf("%s: cut off half a row of %d bytes that an interruption left at its end", path, n)
	}
	if !closed {
		_, err := l.file.WriteString("\n")
		return err
	}
	return nil
}

// peekBenchLog returns the rows of a file without changing it.
func peekBenchLog(path string) ([]eval.Row, error) {
	if path == "" {
		return nil, nil
	}
	f, _, err := tensor.OpenRegular(path, eval.MaxResults)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, _, _, err := eval.ReadPartialJSONL(f)
	return rows, err
}

// add keeps a row, on the disk when it returns.
func (l *benchLog) add(r eval.Row) error {
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

// Close closes the file and takes its lock away.
func (l *benchLog) Close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	if l.lock != nil {
		err = errors.Join(err, os.Remove(l.lock.Name()), l.lock.Close())
	}
	return err
}
