package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Answering is an Answerer that is to be closed before its session is.
type Answering interface {
	Answerer
	io.Closer
}

// Answers returns what answers with a session, within bounds: a runtime.Batcher, which makes the
// answers to all requests together. Where the provider computes on a device, rows cannot join
// others there, and requests are answered one after the other: by a Queue, which heeds MaxQueue
// alone.
func Answers(s *runtime.Session, opt runtime.BatcherOptions) (Answering, error) {
	if engine.OnDevice(s.Info().Provider) {
		return NewQueue(s, 1, max(cmp.Or(opt.MaxQueue, 256), 0))
	}
	return runtime.NewBatcher(s, opt)
}

// Queue is an Answerer whose calls wait for one another: so many run at a time, each as a batch
// of its own, and so many more wait.
type Queue struct {
	of     Answerer
	places chan struct{} // of calls that run or wait
	turns  chan struct{} // of those that run
	ctx    context.Context
	close  context.CancelFunc
}

// NewQueue returns a queue before an Answerer.
func NewQueue(of Answerer, running, waiting int) (*Queue, error) {
	if running < 1 || waiting < 0 || running > math.MaxInt32 || waiting > math.MaxInt32 {
		return nil, fmt.Errorf("serve: %d calls run at a time and %d wait, expected 1 or more and 0 or more", running, waiting)
	}
	q := &Queue{of: of, places: make(chan struct{}, running+waiting), turns: make(chan struct{}, running)}
	q.ctx, q.close = context.WithCancel(context.Background())
	return q, nil
}

// Stream implements Answerer. It ends with runtime.ErrBusy at once when too many wait.
func (q *Queue) Stream(ctx context.Context, prompts []runtime.Prompt, opt runtime.GenerateOptions) iter.Seq2[runtime.TextStep, error] {
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
		for step, err := range q.of.Stream(within, prompts, opt) {
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
func (q *Queue) Close() error {
	q.close()
	return nil
}

// Stats returns how many calls wait and run.
func (q *Queue) Stats() runtime.BatcherStats {
	running := len(q.turns)
	return runtime.BatcherStats{Waiting: max(len(q.places)-running, 0), Running: running}
}
