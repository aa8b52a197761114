package train

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/wrap"
)

// ErrLocked means that another process, or another Trainer, trains in the
// directory.
var ErrLocked = errors.New("a training is at work there already")

const lockFile = "lock"

// acquire takes the lock of a run directory; closing the file gives it back.
func acquire(dir string) (*os.File, error) {
	f, err := files.Take(filepath.Join(dir, lockFile))
	var held *files.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%w (%w); wait for its end, or choose another directory", ErrLocked, held)
	}
	return wrap.Value(f, err, "train")
}

// Busy reports whether a Trainer, of any process, is at work in a run
// directory. Where the system has no lock that tells, it reports false.
func Busy(dir string) (bool, error) {
	busy, err := files.Held(filepath.Join(dir, lockFile))
	return wrap.Value(busy, err, "train")
}

// sweepTemporary removes what writes cut off by a kill have left behind. Only
// the holder of the lock may call it.
func sweepTemporary(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") || !strings.HasSuffix(name, ".tmp") {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("train: %w", err)
		}
	}
	return nil
}
