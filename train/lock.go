package train

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
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
	if err := lockSoon(f); err != nil {
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

// lockSoon takes the lock, also where Busy holds it for a moment.
func lockSoon(f *os.File) error {
	for try := 0; ; try++ {
		err := lock(f)
		if !errors.Is(err, ErrLocked) || try == 3 {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Busy reports whether a Trainer, of whatever process, is at work in a run
// directory. Where the system has no lock that tells, it reports false.
func Busy(dir string) (bool, error) {
	f, err := os.Open(filepath.Join(dir, lockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("train: lock: %w", err)
	}
	defer f.Close() // gives back what is held
	err = lockShared(f)
	if errors.Is(err, ErrLocked) {
		return true, nil
	}
	return false, err
}

// sweepTemporary removes what writes cut off by a kill have left behind. Only
// the holder of the lock may call it.
func sweepTemporary(dir string) error {
	names, err := filesLike(dir, ".*.tmp")
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("train: %w", err)
		}
	}
	return nil
}
