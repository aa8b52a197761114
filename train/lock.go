package train

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrLocked means that another process, or another Trainer, trains in the
// directory.
var ErrLocked = errors.New("a training is at work there already")

const lockFile = "lock"

// acquire takes the lock of a run directory; closing the file gives it back. The
// lock is the operating system's, which ends it with its process, so that a
// killed run leaves no stale one. The file stays and says whose it was last.
func acquire(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("train: lock: %w", err)
	}
	if err := lock(f); err != nil {
		owner, _ := io.ReadAll(io.LimitReader(f, 20))
		f.Close()
		if errors.Is(err, ErrLocked) {
			return nil, fmt.Errorf("%w (process %s holds %s); wait for its end, or choose another directory", err, strings.TrimSpace(string(owner)), path)
		}
		return nil, fmt.Errorf("train: lock %s: %w", path, err)
	}
	// Who holds it is for people; a full disk must not keep a run from resuming.
	_ = f.Truncate(0)
	_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return f, nil
}

// sweepTemporary removes what writes cut off by a kill have left behind. Only
// the holder of the lock may call it.
func sweepTemporary(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, ".*.tmp"))
	if err != nil {
		return err
	}
	for _, p := range paths {
		if err := os.Remove(p); err != nil {
			return fmt.Errorf("train: %w", err)
		}
	}
	return nil
}
