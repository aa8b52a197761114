// Package launch plans, begins and continues runs as zoo train does: from layers of
// configuration to runs with directories of their own, and from a run to what is in its
// directory, how long it will take, and a trainer.
package launch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/internal/machine"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Run is a run that is wanted and, after Look, what is there of it.
type Run struct {
	Dir string
	// Provider is what will train it; "" is the CPU. On a device main memory is no limit.
	Provider string

	Config runfile.Config // after Look with the threads and lanes that it has, or would have on this machine

	Cost     train.Cost
	OneLane  bool    // it would begin with one lane, since memory is short; see train.Prepare
	Begun    bool    // it is in its directory
	Finished bool    // nothing is left to train
	State    string  // how far it is, for people
	Step     int     // of the newest usable checkpoint; 0 for none
	Loss     float64 // of that step, nats per target token
	Fit      string  // whether it fitted its data by that step; see runfile.Checkpoint.Fit
}

// Plan lists a run for each of the sources' encodings, or for the configured one, in a
// directory of its usual name below folder. Where the sources have a start, each begins with
// its weights. All are checked, and nothing is written.
func Plan(folder string, s configs.Sources) ([]Run, error) {
	layers, err := configs.Load(s)
	if err != nil {
		return nil, err
	}
	for _, v := range s.Overrides {
		if v.Key == "model.encoding" && len(s.Encodings) > 0 {
			return nil, fmt.Errorf("%s %s: the list of encodings gives it too; give it once", v.From, v.Key)
		}
	}
	encodings := s.Encodings
	if len(encodings) == 0 {
		encodings = []string{""}
	}
	var out []Run
	for _, name := range encodings {
		c, err := layers.Config(name)
		if err != nil {
			return nil, err
		}
		if c.From != nil {
			if c, err = train.StartFrom(c, s.Change); err != nil {
				return nil, err
			}
		}
		out = append(out, Run{Dir: c.Dir(folder, layers.Preset, false), Config: c})
	}
	return out, nil
}

// Begun returns the runs in directories, with the configurations that they began with.
func Begun(dirs ...string) ([]Run, error) {
	var out []Run
	for _, dir := range dirs {
		if err := checkTrained(dir); err != nil {
			return nil, err
		}
		c, err := runfile.ReadConfig(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, Run{Dir: dir, Config: c})
	}
	return out, nil
}

// checkTrained refuses a folder of weights.
func checkTrained(dir string) error {
	if hf.IsFolder(dir) {
		return fmt.Errorf("%s holds imported weights and no run: "+
			"training cannot go on without the optimizer's state", dir)
	}
	return nil
}

// Look returns the run with what it takes and what is in its directory. The error wraps
// train.ErrOtherRun where that is a run with other settings, and names them.
func (r Run) Look() (Run, error) {
	if err := checkTrained(r.Dir); err != nil {
		return r, err
	}
	was, err := runfile.ReadConfig(r.Dir)
	if r.Begun = err == nil; err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	c, err := train.Prepare(r.Dir, r.Config, machine.This().Cores, freeMemory(r.Provider), false)
	switch {
	case errors.Is(err, train.ErrOtherRun):
		return r, fmt.Errorf("%w (%s)", train.ErrOtherRun, configs.Difference(was, c))
	case err != nil:
		return r, err
	case r.Begun:
		c.Train.Threads = was.Train.Threads // also of a run that is no more than prepared
	}
	r.OneLane = !r.Begun && c.Train.Lanes != r.Config.Train.Lanes
	r.Config, r.State = c, "not begun"
	if r.Cost, err = train.EstimateCost(c); err != nil || !r.Begun {
		return r, err
	}
	return r, r.look()
}

// freeMemory is how many bytes of main memory a run may take, 0 for unknown: on a device it is no limit.
func freeMemory(provider string) int64 {
	if engine.OnDevice(provider) {
		return 0
	}
	return machine.This().MemoryFree
}

// look fills in what there is of a run that has begun.
func (r *Run) look() error {
	r.State = runfile.State(0, r.Config.Train.Steps, false)
	newest, _, err := runfile.Latest(r.Dir)
	if errors.Is(err, runfile.ErrNoCheckpoint) {
		return nil // Open says whether that is damage
	}
	if err != nil {
		return err
	}
	r.Step, r.Loss, r.Finished = newest.Step, newest.Loss, newest.Finished()
	r.State = runfile.State(r.Step, r.Config.Train.Steps, r.Finished)
	r.Fit, err = train.Fit(newest)
	return err
}

// Open begins the run, or continues it where the Look found that it has begun. Where its
// configuration has evaluations, the options' Evaluate makes them, and where that is nil the file that
// would be exported is measured. A run that does not fit into the memory that is free is an error.
func (r Run) Open(o train.Options) (*train.Trainer, error) {
	o, err := r.options(o)
	switch {
	case err != nil:
		return nil, err
	case r.Begun:
		return train.Resume(r.Dir, o)
	}
	return train.New(r.Dir, r.Config, o)
}

// options fills in the evaluator and the free memory.
func (r Run) options(o train.Options) (_ train.Options, err error) {
	if o.Memory == 0 {
		o.Memory = freeMemory(o.Provider)
	}
	if o.Evaluate == nil {
		err = evaluate(r.Config, &o)
	}
	return o, err
}

// probeTime is about how long Pace trains.
const probeTime = 2 * time.Second

// Pace returns how long a step takes on this machine, from a few that it makes in two
// seconds, and an evaluation, from one. Nothing is written. A run that does not fit into
// the memory that is free is an error.
func (r Run) Pace(ctx context.Context, o train.Options) (train.Pace, error) {
	o, err := r.options(o)
	if err != nil {
		return train.Pace{}, err
	}
	return train.PaceOf(ctx, r.Config, o, probeTime)
}
