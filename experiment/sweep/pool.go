package sweep

import (
	"context"
	"errors"
	"slices"
)

// ErrMemory means that a run needs more memory than there is.
var ErrMemory = errors.New("needs more memory than there is")

// pool works on the runs of a sweep, several at a time, as far as memory goes.
type pool struct {
	workers int
	// memory is how many bytes all workers together may take; 0 for no bound.
	memory int64
}

// run calls do for each run, in order, but lets a smaller one pass a run that has
// to wait for memory. A run that needs more than all of memory is not begun but
// done with ErrMemory. After the end of ctx none is begun; run returns when all
// that began have ended. done is called for each of those, from one goroutine.
func (p pool) run(ctx context.Context, runs []Run, do func(context.Context, Run) error, done func(Run, error)) {
	type result struct {
		run Run
		err error
	}
	results := make(chan result)
	var waiting []Run
	for _, r := range runs {
		if p.memory > 0 && r.Memory > p.memory {
			done(r, ErrMemory)
			continue
		}
		waiting = append(waiting, r)
	}
	var busy int
	var taken int64
	for {
		for len(waiting) > 0 && ctx.Err() == nil && busy < max(p.workers, 1) {
			i := p.next(waiting, taken)
			if i < 0 {
				break
			}
			r := waiting[i]
			waiting = slices.Delete(waiting, i, i+1)
			busy, taken = busy+1, taken+r.Memory
			go func() { results <- result{r, do(ctx, r)} }()
		}
		if busy == 0 {
			return
		}
		r := <-results
		busy, taken = busy-1, taken-r.run.Memory
		done(r.run, r.err)
	}
}

// next returns the first run that there is memory for, -1 for none.
func (p pool) next(waiting []Run, taken int64) int {
	for i, r := range waiting {
		if p.memory <= 0 || taken+r.Memory <= p.memory {
			return i
		}
	}
	return -1
}
