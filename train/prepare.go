package train

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// ErrOtherRun means that a run directory holds a run with other settings.
var ErrOtherRun = errors.New("a run with other settings is there")

// Prepare makes a run directory with its configuration, from which Resume starts or
// continues the run, and returns the configuration as it is there. threads is used
// where the configuration says 0; free are the bytes of memory that the run may take, for
// FitLanes. A run that has begun keeps its threads and lanes, which its bits depend on.
func Prepare(dir string, c runfile.Config, threads int, free int64) (runfile.Config, error) {
	c, ready, err := Settle(dir, c, threads, free)
	if err != nil || ready {
		return c, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return c, err
	}
	return c, c.Write(dir)
}

// Settle is Prepare without writing: it returns the configuration with its threads and
// lanes, and whether the run directory is ready as it is, or ErrOtherRun where it holds
// another run.
func Settle(dir string, c runfile.Config, threads int, free int64) (settled runfile.Config, ready bool, err error) {
	open := c.Train.Threads == 0
	was, err := runfile.ReadConfig(dir)
	if errors.Is(err, fs.ErrNotExist) {
		c, err = FitLanes(c.WithThreads(threads), free)
		return c, false, err
	}
	if err != nil {
		return c, false, err
	}
	c = c.Settled(was)
	if was.Hash() != c.Hash() {
		return c, false, fmt.Errorf("%s: %w", dir, ErrOtherRun)
	}
	if !open || was.Train.Threads == threads {
		return c, true, nil
	}
	if ready, err = begun(dir); err == nil && !ready {
		c.Train.Threads = threads
	}
	return c, ready, err
}

// begun reports whether a run is more than prepared.
func begun(dir string) (bool, error) {
	if _, err := os.Stat(filepath.Join(dir, journal.MetricsFile)); !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	steps, err := runfile.Steps(dir)
	if err != nil || len(steps) > 0 {
		return len(steps) > 0, err
	}
	return Busy(dir)
}
