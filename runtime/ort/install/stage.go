package install

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/nopezoo/zoo/filelock"
)

const (
	stagePrefix = ".setup-"
	stageLock   = ".lock"
)

// newStage makes a folder in parent for one set-up to work in; release removes it.
// The folder has a lock beside it, taken before it is there, which ends with the
// process: whoever finds the folder can tell whether its set-up was killed.
func newStage(parent string) (dir string, release func(), err error) {
	f, err := os.CreateTemp(parent, stagePrefix+"*"+stageLock)
	if err != nil {
		return "", nil, err
	}
	f.Close()
	lock, err := filelock.Take(f.Name())
	if err != nil {
		os.Remove(f.Name())
		return "", nil, err
	}
	dir = strings.TrimSuffix(f.Name(), stageLock)
	release = func() {
		os.RemoveAll(dir)
		lock.Close()
		os.Remove(f.Name())
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		release()
		return "", nil, err
	}
	return dir, release, nil
}

// removeStale clears what killed set-ups have left behind. A lock without a folder,
// and any folder where the system has no lock that ends with its process, may be
// those of a set-up at work: they must be a day old.
func removeStale(parent string) {
	list, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range list {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), stagePrefix) {
			continue
		}
		path := filepath.Join(parent, strings.TrimSuffix(e.Name(), stageLock))
		held, err := filelock.Held(path + stageLock)
		unsure := !e.IsDir() || runtime.GOOS == "windows"
		if err != nil || held || unsure && time.Since(info.ModTime()) < 24*time.Hour {
			continue
		}
		os.RemoveAll(path)
		os.Remove(path + stageLock)
	}
}
