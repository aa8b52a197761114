package train

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// SweepRun is one run of a sweep.
type SweepRun struct {
	Name   string // unique within the sweep
	Dir    string // run directory
	Config Config // resolved
	Cost   Cost
}

// ErrOtherRun means that a run directory holds a run with other settings.
var ErrOtherRun = errors.New("a run with other settings is there")

// Prepare makes the run directory with its configuration, from which Resume
// starts or continues the run. threads is used where the configuration says 0; a
// run that exists keeps the threads it began with, which its bits depend on.
func (r *SweepRun) Prepare(threads int) error {
	open := r.Config.Train.Threads == 0
	was, err := ReadConfig(r.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		if open {
			r.Config.Train.Threads = threads
		}
		if err := os.MkdirAll(r.Dir, 0o755); err != nil {
			return err
		}
		return r.Config.write(r.Dir)
	}
	if err != nil {
		return err
	}
	if open {
		r.Config.Train.Threads = was.Train.Threads
	}
	if was.Hash() != r.Config.Hash() {
		return fmt.Errorf("%s: %w", r.Dir, ErrOtherRun)
	}
	return nil
}
