package train

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// StepTime returns how long a step of a run takes on this machine: the median of
// some, made for about as long as said. Nothing is stored. Evaluations and
// checkpoints are not in it. Of the options it takes the library.
func StepTime(ctx context.Context, cfg Config, o Options, about time.Duration) (time.Duration, error) {
	cfg.Train.EvalEvery, cfg.Train.StopAfterPerfect = 0, 0
	cfg, err := cfg.Resolve()
	if err != nil {
		return 0, err
	}
	t, err := newTrainer("", &Checkpoint{Config: cfg.WithThreads(runtime.NumCPU())}, Options{Library: o.Library})
	if err != nil {
		return 0, err
	}
	defer t.Close()
	var times []time.Duration
	for begun := time.Now(); len(times) < 3 || time.Since(begun) < about; {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		batches, err := t.draw(t.now.Step) // in a run, while the step before is computed
		if err != nil {
			return 0, err
		}
		if _, err := t.update(batches); err != nil { // compiles what an unrolled model lacks
			return 0, err
		}
		step := time.Now()
		if _, err := t.update(batches); err != nil {
			return 0, err
		}
		times = append(times, time.Since(step))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}
