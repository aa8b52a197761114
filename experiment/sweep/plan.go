package sweep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nopezoo/zoo/experiment/launch"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Timing says how a sweep's time is estimated.
type Timing struct {
	Workers  int            // runs at a time, as in Training
	Measured func(Run) bool // whether a run's results are there, so that it is not trained; nil: none are
	// Pace returns how long the work of a run takes on this machine; nil measures it
	// (launch.Run.Pace).
	Pace func(context.Context, launch.Run) (train.Pace, error)
	// Limit is how long measuring may take; runs not measured by then have no time.
	// 0: 30 seconds.
	Limit time.Duration
	// Listed, where not nil, gets the runs before any is measured, without times; an error ends the planning.
	Listed func([]Planned) error
	// Report, where not nil, is told how many of the runs that differ in their pace were
	// measured, from one goroutine at a time.
	Report func(done, total int)
}

// Planned is a run with how long it takes.
type Planned struct {
	Run
	Measured bool `json:"measured"` // its results are there: it is not trained
	// Seconds is how long training still takes at most, since the run may fit its data and stop
	// earlier; 0 where nothing is left, nil where it is not known, and Err says why.
	Seconds *float64 `json:"seconds_at_most"`
	// Least is how long it takes at least, where a step or an evaluation took longer than the limit.
	Least float64 `json:"seconds_at_least,omitempty"`
	Err   error   `json:"-"`
}

// ErrNotTimed is the Err of a run whose pace was not measured within the limit.
var ErrNotTimed = errors.New("timing all kinds of runs took longer than its limit")

func (o Timing) notTimed() error {
	return fmt.Errorf("%w of %v", ErrNotTimed, o.Limit)
}

// Plan estimates how long each of the runs still takes, from some steps and an evaluation
// made here, as many runs at a time as there are workers. Runs that differ in their seed and in
// what an update does with its gradients alone are measured once. Nothing is written. The error
// is about a directory that holds another run, or the end of ctx. total is how long all runs
// take together; a run whose time is not known counts with its least time.
func Plan(ctx context.Context, runs []Run, o Timing) (planned []Planned, total time.Duration, err error) {
	o.Workers = max(o.Workers, 1)
	if o.Pace == nil {
		o.Pace = func(ctx context.Context, r launch.Run) (train.Pace, error) { return r.Pace(ctx, train.Options{}) }
	}
	if o.Limit <= 0 {
		o.Limit = 30 * time.Second
	}
	out := make([]Planned, len(runs))
	left := make([]launch.Run, len(runs))
	kinds := map[string]*paced{}
	var order []*paced
	for i, r := range runs {
		out[i] = Planned{Run: r, Measured: o.Measured != nil && o.Measured(r), Seconds: new(float64)}
		if out[i].Measured {
			continue
		}
		var err error
		if left[i], err = r.left(max(runtime.NumCPU()/o.Workers, 1)); err != nil {
			return nil, 0, err
		}
		if key := paceKey(left[i].Config); !left[i].Finished && kinds[key] == nil {
			kinds[key] = &paced{run: left[i], err: o.notTimed()}
			order = append(order, kinds[key])
		}
	}
	if o.Listed != nil {
		if err := o.Listed(listed(out, left)); err != nil {
			return nil, 0, err
		}
	}
	if err := measureAll(ctx, order, o); err != nil {
		return nil, 0, err
	}
	for i, r := range left {
		if out[i].Measured || r.Finished {
			continue
		}
		kind := kinds[paceKey(r.Config)]
		_, left := kind.pace.Left(r.Config.Train, r.Step)
		switch {
		case kind.err != nil:
			out[i].Seconds, out[i].Err = nil, kind.err
		case kind.pace.AtLeast:
			out[i].Seconds, out[i].Least, out[i].Err = nil, left.Seconds(), o.notTimed()
		default:
			*out[i].Seconds = left.Seconds()
		}
	}
	return out, together(out, o.Workers), nil
}

// listed are the runs without the times of those that have work left.
func listed(runs []Planned, left []launch.Run) []Planned {
	out := slices.Clone(runs)
	for i := range out {
		if !out[i].Measured && !left[i].Finished {
			out[i].Seconds = nil
		}
	}
	return out
}

// paced is the pace of runs that differ in nothing that a step or an evaluation computes.
type paced struct {
	run  launch.Run
	pace train.Pace
	err  error
}

// left returns the run with the settings that it would be trained with here, and how far it is.
func (r Run) left(threads int) (launch.Run, error) {
	c, err := train.Prepare(r.Dir, r.Config, threads, 0, false)
	if err != nil {
		return launch.Run{}, &runfile.RunError{Dir: r.Dir, Err: err}
	}
	out := launch.Run{Dir: r.Dir, Config: c}
	if info, err := runfile.Describe(r.Dir); err == nil {
		out.Step, out.Finished = info.Step, info.Finished
	}
	return out, nil
}

// paceKey tells runs apart that differ in how long a step or an evaluation takes.
func paceKey(c runfile.Config) string {
	r := &c.Train
	r.Seed, r.DataSeed, r.Steps, r.CheckpointEvery, r.EvalEvery, r.StopAfterPerfect = 0, 0, 0, 0, min(r.EvalEvery, 1), 0
	r.LR, r.FinalLR, r.Warmup, r.WeightDecay, r.Beta1, r.Beta2, r.Eps = 0, 0, 0, 0, 0, 0, 0
	return c.Hash()
}

// measureAll measures paces until the limit is over.
func measureAll(ctx context.Context, all []*paced, o Timing) error {
	limited, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	work := make(chan *paced)
	var mu sync.Mutex
	done := 0
	var wait sync.WaitGroup
	for range min(o.Workers, len(all)) {
		wait.Go(func() {
			for p := range work {
				pace, err := o.Pace(limited, p.run)
				if err != nil && limited.Err() != nil {
					err = o.notTimed()
				}
				mu.Lock()
				p.pace, p.err = pace, err
				if done++; o.Report != nil {
					o.Report(done, len(all))
				}
				mu.Unlock()
			}
		})
	}
	for _, p := range all {
		if limited.Err() != nil {
			break
		}
		work <- p
	}
	close(work)
	wait.Wait()
	return ctx.Err()
}

// together returns how long runs take with so many workers, each of which takes the next run when it is
// done with one.
func together(planned []Planned, workers int) time.Duration {
	free := make([]time.Duration, workers) // when each worker is
	for _, p := range planned {
		seconds := p.Least
		if p.Seconds != nil {
			seconds = *p.Seconds
		}
		free[slices.Index(free, slices.Min(free))] += time.Duration(seconds * float64(time.Second))
	}
	return slices.Max(free)
}
