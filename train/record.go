package train

import (
	"io"
	"os"

	"github.com/nopezoo/zoo/internal/wrap"
)

// record is a file that grows: metrics and events. What could not be written is
// kept and written with what comes later.
type record struct {
	path    string
	through func(io.Writer) io.Writer // what tests put between; nil for nothing
	file    *os.File
	size    int64 // bytes written whole
	pending []byte
	failing bool
}

// add appends data. After a failure it only keeps what it is given, until retry.
func (r *record) add(data []byte) error {
	r.pending = append(r.pending, data...)
	if r.failing {
		return nil
	}
	return r.retry()
}

// retry writes what is pending. It writes at the end of what was written whole,
// so that half a write, as on a full disk, is written over.
func (r *record) retry() error {
	if len(r.pending) == 0 {
		return nil
	}
	err := r.write()
	r.failing = err != nil
	return wrap.Error(err, "write %s", r.path)
}

func (r *record) write() error {
	if r.file == nil {
		f, err := os.OpenFile(r.path, os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err != nil {
			f.Close()
			return err
		}
		r.file, r.size = f, info.Size()
	}
	var w io.Writer = io.NewOffsetWriter(r.file, r.size)
	if r.through != nil {
		w = r.through(w)
	}
	if _, err := w.Write(r.pending); err != nil {
		_ = r.file.Truncate(r.size) // for readers; the next try writes over it anyway
		return err
	}
	r.size += int64(len(r.pending))
	r.pending = r.pending[:0]
	return nil
}

// close tries once more and closes the file.
func (r *record) close() error {
	err := r.retry()
	if r.file == nil {
		return err
	}
	if e := r.file.Close(); err == nil {
		err = e
	}
	return err
}
