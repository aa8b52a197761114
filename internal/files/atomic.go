package files

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/nopezoo/zoo/internal/wrap"
)

// WriteAtomic makes or replaces the file at path; write writes its contents. Other programs
// see the old file or the whole new one, also after a crash: a new file in the same folder
// reaches the disk, and is then renamed. On failure the old file stays and nothing is left
// behind; the next writer of the path removes the temporary file of a killed one.
func WriteAtomic(path string, write func(io.Writer) error) error {
	return wrap.Error(writeAtomic(path, write), "write %s", path)
}

func writeAtomic(path string, write func(io.Writer) error) error {
	clearTemporary(path)
	f, err := createTemporary(path)
	if err != nil {
		return cause(err)
	}
	defer f.Close()
	if err := fill(f, path, write); err != nil {
		f.Close() // Windows removes no open file
		os.Remove(f.Name())
		return err
	}
	return wrap.Error(syncDir(filepath.Dir(path)), "the folder")
}

// temporaryPrefix begins the names of a path's temporary files, which end in 16 hex digits and
// .tmp. They lie in the same folder, locked by their writers.
func temporaryPrefix(path string) string { return "." + filepath.Base(path) + "." }

// createTemporary makes a temporary file of a path.
func createTemporary(path string) (*os.File, error) {
	for {
		temp := filepath.Join(filepath.Dir(path), temporaryPrefix(path)+fmt.Sprintf("%016x.tmp", rand.Uint64()))
		f, err := Lock(temp)
		var held *HeldError
		switch {
		case errors.As(err, &held): // another program takes it for a dead writer's
			continue
		case err != nil: // not every file system has locks
			return os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		}
		return f, nil
	}
}

// clearTemporary removes a path's temporary files of dead writers: the lock of a file ends with
// its process. A file that cannot be removed is in no one's way.
func clearTemporary(path string) {
	if !Works {
		return
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, e := range entries {
		number, ours := strings.CutPrefix(e.Name(), temporaryPrefix(path))
		number, ends := strings.CutSuffix(number, ".tmp")
		if !ours || !ends || len(number) != 16 || strings.Trim(number, "0123456789abcdef") != "" ||
			!e.Type().IsRegular() {
			continue
		}
		temp := filepath.Join(filepath.Dir(path), e.Name())
		if f, err := Lock(temp); err == nil {
			os.Remove(temp)
			f.Close()
		}
	}
}

// unnamed writes to a temporary file, whose name is left out of errors.
type unnamed struct{ f *os.File }

// Write implements io.Writer.
func (u unnamed) Write(p []byte) (int, error) {
	n, err := u.f.Write(p)
	return n, cause(err)
}

// cause is an error without the name of the temporary file.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// fill writes a temporary file and renames it.
func fill(f *os.File, path string, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(unnamed{f}, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return cause(err)
	}
	if runtime.GOOS == "windows" { // it renames no open file; elsewhere the lock lasts until then
		if err := f.Close(); err != nil {
			return cause(err)
		}
	}
	return cause(os.Rename(f.Name(), path))
}

// syncDir makes a rename in a folder durable. Windows cannot, and need not.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// WriteJSONAtomic is WriteAtomic of a value as JSON, indented for people.
func WriteJSONAtomic(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return WriteBytesAtomic(path, append(data, '\n'))
}

// WriteBytesAtomic is WriteAtomic of bytes.
func WriteBytesAtomic(path string, data []byte) error {
	return WriteAtomic(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
