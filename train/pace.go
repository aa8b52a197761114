package train

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/nopezoo/zoo/train/runfile"
)

// Pace is how long the work of a run takes on a machine.
type Pace struct {
	Step       time.Duration
	Evaluation time.Duration // in training; 0 where there are none
}

// Left returns how many evaluations come after a step, if the run does not end early, and how long
// they and the steps take. Checkpoints are not in it.
func (p Pace) Left(r runfile.Recipe, after int) (evaluations int, left time.Duration) {
	if r.EvalEvery > 0 && after < r.Steps {
		evaluations = r.Steps/r.EvalEvery - after/r.EvalEvery
		if r.Steps%r.EvalEvery != 0 {
			evaluations++ // at the end
		}
	}
	all := float64(p.Step)*float64(max(r.Steps-after, 0)) + float64(p.Evaluation)*float64(evaluations)
	return evaluations, time.Duration(min(all, math.MaxInt64/2))
}

// PaceOf returns how long a step of a run takes on this machine, the median of some, made in
// about the time given, and an evaluation, where the options have an evaluator. An untrained model
// is evaluated longest, since it writes on to the last token that it may. Nothing is stored. Of the options
// it takes the library, the provider, the memory, the optimizer and the evaluator.
func PaceOf(ctx context.Context, cfg runfile.Config, o Options, about time.Duration) (Pace, error) {
	cfg.Train.EvalEvery, cfg.Train.StopAfterPerfect = 0, 0
	cfg, err := cfg.Resolve()
	if err != nil {
		return Pace{}, err
	}
	t, err := newTrainer("", &runfile.Checkpoint{Config: withThreads(cfg, runtime.NumCPU())},
		Options{Library: o.Library, Provider: o.Provider, Memory: o.Memory, AllowCPUNodes: o.AllowCPUNodes, GraphOptimizer: o.GraphOptimizer})
	if err != nil {
		return Pace{}, err
	}
	defer t.Close()
	var times []time.Duration
	for start := time.Now(); len(times) < 3 || time.Since(start) < about; {
		if ctx.Err() != nil {
			return Pace{}, ctx.Err()
		}
		batches, err := t.draw(t.now.Step) // in a run, while the step before is computed
		if err != nil {
			return Pace{}, err
		}
		if _, err := t.update(batches); err != nil { // compiles what an unrolled model lacks
			return Pace{}, err
		}
		step := time.Now()
		if _, err := t.update(batches); err != nil {
			return Pace{}, err
		}
		times = append(times, time.Since(step))
	}
	slices.Sort(times)
	p := Pace{Step: times[len(times)/2]}
	if o.Evaluate != nil {
		start := time.Now()
		if err := t.opt.download(); err != nil {
			return Pace{}, err
		}
		if _, err := o.Evaluate(ctx, t.now.Step, t.now.Weights); err != nil {
			return Pace{}, err
		}
		p.Evaluation = time.Since(start)
	}
	return p, nil
}
