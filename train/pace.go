package train

import (
	"context"
	"errors"
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
	// AtLeast says that there was no time for a whole step or evaluation: it takes longer.
	AtLeast bool
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
// is evaluated longest, since it writes on to the last token that it may. Nothing is stored. At a deadline of ctx
// the pace is what is known by then. Of the options
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
	p, err := t.pace(ctx, about)
	if err != nil || p.AtLeast || o.Evaluate == nil {
		return p, err
	}
	start := time.Now()
	if err := t.opt.download(); err != nil {
		return Pace{}, err
	}
	_, err = o.Evaluate(ctx, t.now.Step, t.now.Weights)
	p.Evaluation = time.Since(start)
	if outOfTime(ctx, err) {
		p.AtLeast, err = true, nil
	}
	return p, err
}

// pace times steps.
func (t *Trainer) pace(ctx context.Context, about time.Duration) (Pace, error) {
	var times []time.Duration
	for start := time.Now(); len(times) < 3 || time.Since(start) < about; {
		batches, err := t.draw(t.now.Step) // in a run, while the step before is computed
		if err != nil {
			return Pace{}, err
		}
		step := time.Now()
		_, err = t.update(ctx, batches) // compiles what an unrolled model lacks
		if err == nil {
			step = time.Now()
			_, err = t.update(ctx, batches)
		}
		if outOfTime(ctx, err) {
			if len(times) == 0 {
				return Pace{Step: time.Since(step), AtLeast: true}, nil
			}
			break
		}
		if err != nil {
			return Pace{}, err
		}
		times = append(times, time.Since(step))
	}
	slices.Sort(times)
	return Pace{Step: times[len(times)/2]}, nil
}

// outOfTime reports whether an error is that the time of ctx is over.
func outOfTime(ctx context.Context, err error) bool {
	return err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded)
}
