package task

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// openFiles are what was made of the files that were read in this process, by path. A file
// is read again when its size or time of change is another.
type openFiles[T any] struct {
	read func(io.Reader) (made T, digest string, err error) // the digest is the SHA-256 of what was read, in hex

	mu    sync.Mutex
	files map[string]openedFile[T]
}

type openedFile[T any] struct {
	info   os.FileInfo
	made   T
	digest string
}

var (
	openedTasks   = openFiles[Task]{read: fromFile} // without their names
	openedCorpora = openFiles[texts]{read: readTexts}
)

// open returns what a file is read as, and the file's SHA-256 in hex.
func (o *openFiles[T]) open(path string) (made T, digest string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	info, err := os.Stat(path) // before it is opened: opening a pipe waits for a writer
	switch {
	case err != nil:
		return made, "", err
	case !info.Mode().IsRegular():
		return made, "", errors.New("it is not a regular file")
	case info.Size() > mostFile:
		return made, "", fmt.Errorf("it has %d bytes; want at most %d, as samples are held in memory",
			info.Size(), mostFile)
	}
	if was, ok := o.files[path]; ok && os.SameFile(was.info, info) && was.info.Size() == info.Size() &&
		was.info.ModTime().Equal(info.ModTime()) {
		return was.made, was.digest, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return made, "", err
	}
	defer f.Close()
	made, digest, err = o.read(io.LimitReader(f, info.Size()))
	if err != nil {
		return made, "", err
	}
	if o.files == nil {
		o.files = map[string]openedFile[T]{}
	}
	o.files[path] = openedFile[T]{info, made, digest}
	return made, digest, nil
}
