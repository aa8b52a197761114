package files

import (
	"bytes"
	"io/fs"
	"time"
)

// Memory is a folder with one file, in memory.
func Memory(name string, data []byte) fs.FS { return memory{name, data} }

type memory struct {
	name string
	data []byte
}

// Open implements fs.FS.
func (m memory) Open(name string) (fs.File, error) {
	if name != m.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return opened{bytes.NewReader(m.data), m}, nil
}

type opened struct {
	*bytes.Reader
	memory
}

func (o opened) Close() error               { return nil }
func (o opened) Stat() (fs.FileInfo, error) { return info{o.memory}, nil }

type info struct{ memory }

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return int64(len(i.data)) }
func (i info) Mode() fs.FileMode  { return 0o444 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }
