package train

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
// run that has begun keeps its threads, which its bits depend on.
func (r *SweepRun) Prepare(threads int) error {
	ready, err := r.Settle(threads)
	if err != nil || ready {
		return err
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	return r.Config.write(r.Dir)
}

// Settle is Prepare without writing: it fills in the threads, and reports whether
// the run directory is ready as it is, or ErrOtherRun where it holds another run.
func (r *SweepRun) Settle(threads int) (ready bool, err error) {
	open := r.Config.Train.Threads == 0
	was, err := ReadConfig(r.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		r.Config = r.Config.WithThreads(threads)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.Config = r.Config.WithThreads(was.Train.Threads)
	if was.Hash() != r.Config.Hash() {
		return false, fmt.Errorf("%s: %w", r.Dir, ErrOtherRun)
	}
	if !open || was.Train.Threads == threads {
		return true, nil
	}
	if ready, err = begun(r.Dir); err == nil && !ready {
		r.Config.Train.Threads = threads
	}
	return ready, err
}

// begun reports whether a run is more than prepared.
func begun(dir string) (bool, error) {
	if _, err := os.Stat(filepath.Join(dir, MetricsFile)); !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	steps, err := Checkpoints(dir)
	if err != nil || len(steps) > 0 {
		return len(steps) > 0, err
	}
	return Busy(dir)
}
