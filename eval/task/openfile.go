package task

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// opened are the tasks of files that were read in this process, by path. A file is read
// again when its size or time of change is another.
var opened struct {
	sync.Mutex
	tasks map[string]openedFile
}

type openedFile struct {
	info   os.FileInfo
	task   Task
	digest string
}

// openFile returns the task of a file, without its name, and the file's SHA-256 in hex.
func openFile(path string) (Task, string, error) {
	opened.Lock()
	defer opened.Unlock()
	info, err := os.Stat(path) // before it is opened: opening a pipe waits for a writer
	switch {
	case err != nil:
		return Task{}, "", err
	case !info.Mode().IsRegular():
		return Task{}, "", errors.New("it is not a regular file")
	case info.Size() > mostFile:
		return Task{}, "", fmt.Errorf("it has %d bytes; want at most %d, as samples are held in memory",
			info.Size(), mostFile)
	}
	if was, ok := opened.tasks[path]; ok && os.SameFile(was.info, info) && was.info.Size() == info.Size() &&
		was.info.ModTime().Equal(info.ModTime()) {
		return was.task, was.digest, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return Task{}, "", err
	}
	defer f.Close()
	t, digest, err := fromFile(io.LimitReader(f, info.Size()))
	if err != nil {
		return Task{}, "", err
	}
	if opened.tasks == nil {
		opened.tasks = map[string]openedFile{}
	}
	opened.tasks[path] = openedFile{info, t, digest}
	return t, digest, nil
}
