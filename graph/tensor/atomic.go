package tensor

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
)

// WriteFileAtomic makes or replaces the file at path with what write writes.
// Other programs see the old file or the whole new one, also after a crash: the
// contents go to a new file in the same folder, reach the disk, and are then
// renamed. On failure the old file stays and nothing is left behind.
func WriteFileAtomic(path string, write func(io.Writer) error) error {
	name := fmt.Sprintf(".%s.%016x.tmp", filepath.Base(path), rand.Uint64())
	temp := filepath.Join(filepath.Dir(path), name)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	err = fill(f, write)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write %s: the folder: %w", path, err)
	}
	return nil
}

func fill(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
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

// WriteBytesAtomic is WriteFileAtomic for contents that are there already.
func WriteBytesAtomic(path string, data []byte) error {
	return WriteFileAtomic(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
