package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// OpenRegular opens a regular file of at most so many bytes for reading, and returns its size.
// Pipes, devices and folders are refused before they are opened: opening a pipe waits for a
// writer.
func OpenRegular(path string, most int64) (*os.File, int64, error) {
	if info, err := os.Stat(path); err == nil { // else os.Open has the error
		if err := CheckRegular(path, info, most); err != nil {
			return nil, 0, err
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat() // of the file opened, which may have replaced the other
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	if err := CheckRegular(path, info, most); err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// ReadRegular reads a whole file as OpenRegular opens it.
func ReadRegular(path string, most int64) ([]byte, error) {
	f, size, err := OpenRegular(path, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("%s: it changes while it is read: %w", path, err)
	}
	return data, nil
}

// CheckRegular wants a regular file of at most so many bytes.
func CheckRegular(path string, info fs.FileInfo, most int64) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a folder; want a file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: %v is no regular file; want one", path, info.Mode())
	case info.Size() > most:
		return fmt.Errorf("%s has %d bytes; such a file has at most %d", path, info.Size(), most)
	}
	return nil
}
