package sweep

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// ErrMemory means that a run needs more memory than there is.
var ErrMemory = errors.New("needs more memory than there is")

// pool works on the runs of a sweep, several at a time, as far as memory goes.
type pool struct {
	workers int // at each place
	// memory is how many bytes the workers of a place together may take, by place; 0 for no bound.
	memory []int64
	// predicted says that what a run takes there is not known well: one that needs more than there is gets a place for itself.
	predicted bool
	again     func(r Run, err error) // told of a run that ran out of memory, and is tried again with a place for itself
}

// turn is a run of a pool.
type turn struct {
	Run
	alone bool // it wants a place for itself
	place int  // where it is at work
	err   error
}

// work is what is done at a place.
type work struct {
	busy  int
	taken int64
	alone bool
}

// run calls do with a place for each run, in order, but lets a smaller one pass a run that has
// to wait for memory. A run that needs more than all of memory is not begun but
// done with ErrMemory. After the end of ctx none is begun; run returns when all
// that began have ended. done is called for each of those, from one goroutine.
func (p pool) run(ctx context.Context, runs []Run, do func(context.Context, Run, int) error, done func(Run, error)) {
	results := make(chan turn)
	var waiting []turn
	most := slices.Max(p.memory)
	for _, r := range runs {
		large := most > 0 && r.Memory > most && !slices.Contains(p.memory, 0)
		if large && !p.predicted {
			done(r, ErrMemory)
			continue
		}
		waiting = append(waiting, turn{Run: r, alone: large})
	}
	places := make([]work, len(p.memory))
	busy := 0
	for {
		for ctx.Err() == nil {
			i, place := p.next(waiting, places)
			if i < 0 {
				break
			}
			t := waiting[i]
			waiting = slices.Delete(waiting, i, i+1)
			t.place, t.alone = place, t.alone || p.workers < 2
			at := &places[place]
			busy, at.busy, at.taken, at.alone = busy+1, at.busy+1, at.taken+t.Memory, t.alone
			go func() { t.err = do(ctx, t.Run, t.place); results <- t }()
		}
		if busy == 0 {
			return
		}
		t := <-results
		at := &places[t.place]
		busy, at.busy, at.taken, at.alone = busy-1, at.busy-1, at.taken-t.Memory, false
		if outOfMemory(t.err) && !t.alone && ctx.Err() == nil {
			p.again(t.Run, t.err)
			waiting = append(waiting, turn{Run: t.Run, alone: true})
			continue
		}
		done(t.Run, t.err)
	}
}

// next returns the first run that there is room for, and the place with the least at work that has it; -1 for none.
func (p pool) next(waiting []turn, places []work) (run, place int) {
	for i, t := range waiting {
		best := -1
		for j, at := range places {
			fits := p.memory[j] <= 0 || at.taken+t.Memory <= p.memory[j]
			if at.busy > 0 && (t.alone || at.alone || at.busy >= p.workers || !fits) || !fits && !t.alone {
				continue
			}
			if best < 0 || at.busy < places[best].busy {
				best = j
			}
		}
		if best >= 0 {
			return i, best
		}
	}
	return -1, -1
}

// outOfMemory reports whether a training says that memory was short, its device's or the machine's.
func outOfMemory(err error) bool {
	if err == nil {
		return false
	}
	text := strings.ToLower(err.Error())
	return slices.ContainsFunc([]string{"out of memory", "out_of_memory", "out_of_device_memory", "failed to allocate memory", tooLittle},
		func(s string) bool { return strings.Contains(text, s) })
}
