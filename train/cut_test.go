package train_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
)

// endingContext ends when it is looked at for the last time allowed.
type endingContext struct {
	context.Context
	end   context.CancelFunc
	looks atomic.Int64 // left
}

func (c *endingContext) Done() <-chan struct{} {
	if c.looks.Add(-1) == 0 {
		c.end()
	}
	return c.Context.Done()
}

func endingAfter(ctx context.Context, looks int) *endingContext {
	c := &endingContext{}
	c.Context, c.end = context.WithCancel(ctx)
	c.looks.Store(int64(looks))
	return c
}

// A run that is interrupted among the runs of a step ends before the step, and is the same to the bit after it went on.
func TestCutStep(t *testing.T) {
	cfg := micro("rope", 6)
	cfg.Train.Threads, cfg.Train.Lanes, cfg.Train.MicroTokens = 1, 1, 24
	whole := t.TempDir()
	losses(t, start(t, whole, cfg))
	want, seen := final(t, whole), map[int]int{}
	for looks := 1; looks <= 16; looks++ {
		dir := t.TempDir()
		r := start(t, dir, cfg)
		ctx := endingAfter(t.Context(), looks)
		steps := 0
		err := r.Run(ctx, func(s journal.Stats) { steps = s.Step })
		r.Close()
		if !errors.Is(err, train.ErrInterrupted) || steps == cfg.Train.Steps {
			t.Fatalf("%d looks: %v after %d steps", looks, err, steps)
		}
		seen[steps]++
		losses(t, resumeWith(t, dir, train.Options{}))
		sameWeights(t, final(t, dir), want)
	}
	if seen[0] < 3 { // looks in the loop alone would be one for each step
		t.Errorf("interruptions by step %v: the first step was not cut short", seen)
	}
}

// Where not even one step fits into the time, it is known that a step takes longer.
func TestPaceOutOfTime(t *testing.T) {
	cfg := micro("nope", 1)
	start(t, t.TempDir(), cfg).Close() // or the test is left out
	ended, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	p, err := train.PaceOf(ended, cfg, train.Options{}, 0)
	if err != nil || !p.AtLeast || p.Step <= 0 {
		t.Errorf("%+v, %v", p, err)
	}
}
