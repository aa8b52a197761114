package foreign

import (
	"io/fs"
	"testing/fstest"
)

// overlay is a folder with files in memory before those that it has.
type overlay struct {
	fs.FS
	files fstest.MapFS
}

func (o overlay) Open(name string) (fs.File, error) {
	if _, ok := o.files[name]; ok {
		return o.files.Open(name)
	}
	return o.FS.Open(name)
}

// With adds files in memory to a folder, which may be nil.
func With(folder fs.FS, files map[string][]byte) fs.FS {
	if len(files) == 0 {
		return folder
	}
	made := fstest.MapFS{}
	for name, data := range files {
		made[name] = &fstest.MapFile{Data: data, Mode: 0o444}
	}
	if folder == nil {
		return made
	}
	return overlay{folder, made}
}
