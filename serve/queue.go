package serve

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/nopezoo/zoo/runtime"
)

// queue is a streamer whose calls wait for one another: so many run at a time, each as a batch
// of its own, and so many more wait.
type queue struct {
	inner  streamer
	places chan struct{} // of calls that run or wait
	turns  chan struct{} // of calls that run
	ctx    context.Context
	end    context.CancelFunc
}

func newQueue(inner streamer, running, waiting int) *queue {
	q := &queue{inner: inner, places: make(chan struct{}, running+waiting), turns: make(chan struct{}, running)}
	q.ctx, q.end = context.WithCancel(context.Background())
	return q
}

// Stream implements streamer. It ends with runtime.ErrBusy at once when too many wait.
func (q *queue) Stream(ctx context.Context, prompts []runtime.Prompt, opt runtime.GenerateOptions) iter.Seq2[runtime.TextStep, error] {
	return func(yield func(runtime.TextStep, error) bool) {
		fail := func(err error) { yield(runtime.TextStep{}, fmt.Errorf("serve: queue: %w", err)) }
		select {
		case q.places <- struct{}{}:
			defer func() { <-q.places }()
		default:
			fail(fmt.Errorf("%w: there are %d already", runtime.ErrBusy, cap(q.places)))
			return
		}
		select {
		case q.turns <- struct{}{}:
			defer func() { <-q.turns }()
		case <-ctx.Done():
			fail(ctx.Err())
			return
		case <-q.ctx.Done():
			fail(runtime.ErrClosed)
			return
		}
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(q.ctx, cancel)()
		for step, err := range q.inner.Stream(within, prompts, opt) {
			if err != nil && q.ctx.Err() != nil && errors.Is(err, context.Canceled) {
				err = fmt.Errorf("serve: queue: %w", runtime.ErrClosed)
			}
			if !yield(step, err) {
				return
			}
		}
	}
}

// Close ends all calls with runtime.ErrClosed. Closing again does nothing.
func (q *queue) Close() error {
	q.end()
	return nil
}

// Stats returns how many calls wait and run.
func (q *queue) Stats() runtime.BatcherStats {
	running := len(q.turns)
	return runtime.BatcherStats{Waiting: max(len(q.places)-running, 0), Running: running}
}
