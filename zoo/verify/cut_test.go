package verify

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/nopezoo/zoo/models"
)

// countingContext counts how often it is looked at, and ends at one of these looks.
type countingContext struct {
	context.Context
	end   context.CancelFunc
	last  int64
	looks atomic.Int64
}

func (c *countingContext) look() {
	if c.looks.Add(1) == c.last {
		c.end()
	}
}

func (c *countingContext) Done() <-chan struct{} {
	c.look()
	return c.Context.Done()
}

func (c *countingContext) Err() error {
	c.look()
	return c.Context.Err()
}

// An interrupt ends a verification in the middle: next to nothing is done after it.
func TestBuildEndsWithContext(t *testing.T) {
	m := of(t, models.Config{Encoding: "rope", DModel: 16, NLayers: 2, NHeads: 2, DFF: 32, VocabSize: 9}, 1)
	build := func(last int64) (looks int64, err error) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		c := &countingContext{Context: ctx, end: end, last: last}
		_, err = Build(c, m, Options{Provider: "go"})
		return c.looks.Load(), err
	}
	all, err := build(0)
	if err != nil || all < 20 {
		t.Fatalf("%d looks, %v", all, err)
	}
	for _, last := range []int64{1, all / 4, all / 2, all * 3 / 4} {
		looks, err := build(last)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ended at look %d of %d: %v", last, all, err)
		}
		if most := last + all/8 + 8; looks > most {
			t.Errorf("ended at look %d of %d: %d looks in all, want at most %d", last, all, looks, most)
		}
	}
}
