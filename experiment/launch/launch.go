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
	"github.com/nopezoo/zoo/experiment/validate"
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
	OneLane  bool    // it would begin with one lane, since memory is short; see train.FitLanes
	Begun    bool    // it is in its directory
	Finished bool    // nothing is left to train
	Step     int     // of the newest usable checkpoint; 0 for none
	Loss     float64 // of that step, nats per target token
	Fit      string  // whether it fitted its data by that step; see runfile.Checkpoint.Fit
}

// Plan lists a run for each of the sources' encodings, or for the configured one, in a
// directory of its usual name below folder. Where the sources have a run, each begins with
// the weights that this one has now. All are checked, and nothing is written.
func Plan(folder string, s configs.Sources) ([]Run, error) {
	if err := checkTrained(s.Run); s.Run != "" && err != nil {
		return nil, err
	}
	layers, err := configs.Load(s)
	if err != nil {
		return nil, err
	}
	for _, v := range s.Overrides {
		if v.Key == "model.encoding" && len(s.Encodings) > 0 {
			return nil, fmt.Errorf("%s %s: the list of encodings gives it too; give it once", v.From, v.Key)
		}
	}
	var from *runfile.Start
	if s.Run != "" {
		at, err := train.StartAt(s.Run)
		if err != nil {
			return nil, err
		}
		from = &at
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
		if c.From = from; from != nil {
			if _, _, err := train.Begin(c); err != nil {
				return nil, err
			}
		}
		out = append(out, Run{Dir: c.Dir(folder, layers.Preset), Config: c})
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
	switch {
	case errors.Is(err, fs.ErrNotExist):
		open := r.Config.WithThreads(machine.This().Cores)
		if r.Config = open; engine.OnDevice(r.Provider) {
			break
		}
		if r.Config, err = train.FitLanes(open, machine.This().MemoryFree); err != nil {
			return r, err
		}
		r.OneLane = r.Config.Train.Lanes != open.Train.Lanes
	case err != nil:
		return r, err
	default:
		if err := r.compare(was); err != nil {
			return r, err
		}
	}
	r.Cost, err = train.EstimateCost(r.Config)
	return r, err
}

// compare fills in what there is of the run that began with a configuration.
func (r *Run) compare(was runfile.Config) error {
	r.Config = r.Config.Settled(was)
	if was.Hash() != r.Config.Hash() {
		return fmt.Errorf("%w (%s)", train.ErrOtherRun, configs.Difference(was, r.Config))
	}
	r.Begun = true
	newest, _, err := runfile.Latest(r.Dir)
	if errors.Is(err, runfile.ErrNoCheckpoint) {
		return nil // Open says whether that is damage
	}
	if err != nil {
		return err
	}
	r.Step, r.Loss, r.Finished = newest.Step, newest.Loss, newest.Finished()
	r.Fit, err = newest.Fit()
	return err
}

// State says for people how far the run was at the Look.
func (r Run) State() string {
	if !r.Begun {
		return "not begun"
	}
	return runfile.Info{Step: r.Step, Steps: r.Config.Train.Steps, Stopped: r.Finished}.State()
}

// Open begins the run, or continues it where the Look found that it has begun. Where its
// configuration has evaluations, they are made by package validate, unless the options
// have an evaluator. The error is a *train.MemoryError where the run does not fit into
// the memory that is free.
func (r Run) Open(o train.Options) (*train.Trainer, error) {
	if o.Evaluate == nil {
		var err error
		if o.Evaluate, err = validate.Evaluator(r.Config, o); err != nil {
			return nil, err
		}
	}
	if err := r.checkMemory(o.Provider); err != nil {
		return nil, err
	}
	if r.Begun {
		return train.Resume(r.Dir, o)
	}
	return train.New(r.Dir, r.Config, o)
}

// checkMemory refuses a run that takes more main memory than is free; what it takes of a
// device's is not known.
func (r Run) checkMemory(provider string) error {
	if engine.OnDevice(provider) {
		return nil
	}
	return train.CheckMemory(r.Config, machine.This().MemoryFree)
}

// probeTime is about how long Pace trains.
const probeTime = 2 * time.Second

// Pace returns how long a step takes on this machine, from a few that it makes in two
// seconds, and an evaluation, from one. Nothing is written. The error is a
// *train.MemoryError as that of Open.
func (r Run) Pace(ctx context.Context, o train.Options) (train.Pace, error) {
	if err := r.checkMemory(o.Provider); err != nil {
		return train.Pace{}, err
	}
	if o.Evaluate == nil {
		var err error
		if o.Evaluate, err = validate.Evaluator(r.Config, o); err != nil {
			return train.Pace{}, err
		}
	}
	return train.PaceOf(ctx, r.Config, o, probeTime)
}
