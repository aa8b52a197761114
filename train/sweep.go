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
	exists, err := r.Settle(threads)
	if err != nil || exists {
		return err
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	return r.Config.write(r.Dir)
}

// Settle is Prepare without writing: it fills in the threads, and reports whether
// the run directory is there, or ErrOtherRun where it holds another run.
func (r *SweepRun) Settle(threads int) (exists bool, err error) {
	open := r.Config.Train.Threads == 0
	was, err := ReadConfig(r.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		if open {
			r.Config.Train.Threads = threads
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if open {
		r.Config.Train.Threads = was.Train.Threads
	}
	if was.Hash() != r.Config.Hash() {
		return true, fmt.Errorf("%s: %w", r.Dir, ErrOtherRun)
	}
	return true, nil
}
