package serve

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/nopezoo/zoo/runtime"
)

// ErrBusy reports that as many requests wait as may.
var ErrBusy = errors.New("too many prompts are waiting")

// Queue is an Answerer whose calls wait for one another: so many run at a time, each as a batch
// of its own, and so many more wait.
type Queue struct {
	of     Answerer
	places chan struct{} // of those that run or wait
	turns  chan struct{} // of those that run
}

// NewQueue returns a queue before an Answerer.
func NewQueue(of Answerer, running, waiting int) (*Queue, error) {
	if running < 1 || waiting < 0 || running > math.MaxInt32 || waiting > math.MaxInt32 {
		return nil, fmt.Errorf("serve: %d calls run at a time and %d wait, expected 1 or more and 0 or more", running, waiting)
	}
	return &Queue{of: of, places: make(chan struct{}, running+waiting), turns: make(chan struct{}, running)}, nil
}

// StreamAll implements Answerer. It ends with ErrBusy at once when too many wait.
func (q *Queue) StreamAll(ctx context.Context, prompts []runtime.Prompt, opt runtime.GenerateOptions) iter.Seq2[runtime.TextStep, error] {
	return func(yield func(runtime.TextStep, error) bool) {
		select {
		case q.places <- struct{}{}:
			defer func() { <-q.places }()
		default:
			yield(runtime.TextStep{}, fmt.Errorf("%w: there are %d already", ErrBusy, cap(q.places)))
			return
		}
		select {
		case q.turns <- struct{}{}:
			defer func() { <-q.turns }()
		case <-ctx.Done():
			yield(runtime.TextStep{}, ctx.Err())
			return
		}
		q.of.StreamAll(ctx, prompts, opt)(yield)
	}
}

// Close does nothing: calls end by their contexts.
func (q *Queue) Close() error { return nil }
