package files

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// stageLock ends the name of a stage's lock, in the same folder.
const stageLock = ".lock"

// Stage makes a folder to work in, in parent, whose name begins with prefix; release removes it. Its
// lock, taken before the folder is made, ends with the process: stages of killed processes with the
// same prefix are removed first.
func Stage(parent, prefix string) (dir string, release func(), err error) {
	removeStale(parent, prefix)
	f, err := os.CreateTemp(parent, prefix+"*"+stageLock)
	if err != nil {
		return "", nil, err
	}
	f.Close()
	lock, err := Take(f.Name())
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

// removeStale removes the stages of dead processes with their locks. A process may be at work with a
// lock that has no folder, or on a system without such locks with any lock: these must be a day old.
// A folder without a lock is no stage.
func removeStale(parent, prefix string) {
	list, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range list {
		number, ours := strings.CutPrefix(e.Name(), prefix)
		number, locks := strings.CutSuffix(number, stageLock)
		if !ours || !locks || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		path := filepath.Join(parent, prefix+number)
		held, err := Held(path + stageLock)
		if err != nil || held {
			continue
		}
		_, noFolder := os.Lstat(path)
		info, err := e.Info()
		if err != nil || (!Works || noFolder != nil) && time.Since(info.ModTime()) < 24*time.Hour {
			continue
		}
		os.RemoveAll(path)
		os.Remove(path + stageLock)
	}
}
