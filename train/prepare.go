package train

import (
	"cmp"
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

// Prepare returns the configuration of a run that is to begin or to go on in a directory, with its
// threads and lanes; store makes the directory with it, from which Resume starts or continues the
// run. threads is used where the configuration says 0; free are the bytes of memory that the run may take,
// for fitLanes. A run that has begun keeps its threads and lanes, which its bits depend on. The error is
// ErrOtherRun where the directory holds another run; the configuration is settled then, too.
func Prepare(dir string, c runfile.Config, threads int, free int64, store bool) (runfile.Config, error) {
	open := c.Train.Threads == 0
	was, err := runfile.ReadConfig(dir)
	ready := err == nil
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if c, err = fitLanes(withThreads(c, threads), free); err != nil {
			return c, err
		}
	case err != nil:
		return c, err
	default:
		if c = c.Settled(was); was.Hash() != c.Hash() {
			return c, fmt.Errorf("%s: %w", dir, ErrOtherRun)
		}
		if open && was.Train.Threads != threads {
			if ready, err = hasBegun(dir); err != nil {
				return c, err
			}
		}
		if !ready {
			c.Train.Threads = threads
		}
	}
	if ready || !store {
		return c, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return c, err
	}
	return c, c.Write(dir)
}

// withThreads fills in train.threads where it is 0.
func withThreads(c runfile.Config, n int) runfile.Config {
	c.Train.Threads = cmp.Or(c.Train.Threads, n)
	return c
}

// hasBegun reports whether a run is more than prepared.
func hasBegun(dir string) (bool, error) {
	if _, err := os.Stat(filepath.Join(dir, journal.MetricsFile)); !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	steps, err := runfile.Steps(dir)
	if err != nil || len(steps) > 0 {
		return len(steps) > 0, err
	}
	return Busy(dir)
}
