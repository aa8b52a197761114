package train

import (
	"context"
	"errors"
	"slices"
)

// ErrMemory means that a run needs more memory than there is.
var ErrMemory = errors.New("needs more memory than there is")

var errNoContext = errors.New("train: the context is nil")

// Pool works on the runs of a sweep, several at a time, as far as memory goes.
type Pool struct {
	Workers int
	// Memory is how many bytes all workers together may take; 0 for no bound.
	Memory int64
}

// Run calls do for each run, in order, but lets a smaller one pass a run that has
// to wait for memory. A run that needs more than all of Memory is not begun but
// done with ErrMemory. After the end of ctx none is begun; Run returns when all
// that began have ended. done is called for each of those, from one goroutine.
func (p Pool) Run(ctx context.Context, runs []SweepRun, do func(context.Context, SweepRun) error, done func(SweepRun, error)) {
	type result struct {
		run SweepRun
		err error
	}
	results := make(chan result)
	var waiting []SweepRun
	for _, r := range runs {
		if ctx == nil {
			done(r, errNoContext)
			continue
		}
		if p.Memory > 0 && r.Cost.Memory > p.Memory {
			done(r, ErrMemory)
			continue
		}
		waiting = append(waiting, r)
	}
	var busy int
	var taken int64
	for {
		for len(waiting) > 0 && ctx.Err() == nil && busy < max(p.Workers, 1) {
			i := p.next(waiting, taken)
			if i < 0 {
				break
			}
			r := waiting[i]
			waiting = slices.Delete(waiting, i, i+1)
			busy, taken = busy+1, taken+r.Cost.Memory
			go func() { results <- result{r, do(ctx, r)} }()
		}
		if busy == 0 {
			return
		}
		r := <-results
		busy, taken = busy-1, taken-r.run.Cost.Memory
		done(r.run, r.err)
	}
}

// next returns the first run that there is memory for, -1 for none.
func (p Pool) next(waiting []SweepRun, taken int64) int {
	for i, r := range waiting {
		if p.Memory <= 0 || taken+r.Cost.Memory <= p.Memory {
			return i
		}
	}
	return -1
}
