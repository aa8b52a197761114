package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/runtime/engine"
)

// BatcherOptions bound what a Batcher does at a time. The zero value works.
type BatcherOptions struct {
	// MaxRows is how many prompts are continued together; 0 takes 32.
	MaxRows int

	// MaxBytes is how much memory the model's states of those prompts take, as their lengths
	// and limits tell beforehand; 0 takes 1 GiB. Prompts wait until there is room. While states
	// are moved to other memory they take it twice. What the session's own calls take is not
	// counted, Prefill's among them; Options.PrefixBytes bounds what prefixes hold.
	MaxBytes int64

	// MaxQueue is how many more prompts wait; 0 takes 8 times MaxRows, and a negative
	// number stands for none. More are ErrBusy. Where MaxBytes lets fewer than MaxRows run
	// together, so many more wait.
	MaxQueue int

	// Chunk is how many tokens of new prompts, of all together, are read between two tokens of
	// the completions that go on; 0 takes 256. Less makes completions steadier, more makes prompts
	// faster.
	Chunk int
}

func (o BatcherOptions) complete() (BatcherOptions, error) {
	for _, n := range []struct {
		name  string
		value int64
	}{{"rows", int64(o.MaxRows)}, {"bytes", o.MaxBytes}, {"tokens in a chunk", int64(o.Chunk)}} {
		if n.value < 0 {
			return o, fmt.Errorf("the most %s are %d, expected 0 (default) or more", n.name, n.value)
		}
	}
	o.MaxRows, o.MaxBytes, o.Chunk = cmp.Or(o.MaxRows, 32), cmp.Or(o.MaxBytes, 1<<30), cmp.Or(o.Chunk, 256)
	switch {
	case o.MaxRows > math.MaxInt32 || o.MaxQueue > math.MaxInt32:
		return o, fmt.Errorf("the most rows are %d and in the queue %d, expected at most %d", o.MaxRows, o.MaxQueue, math.MaxInt32)
	case o.MaxQueue == 0:
		o.MaxQueue = 8 * o.MaxRows
	case o.MaxQueue < 0:
		o.MaxQueue = 0
	}
	return o, nil
}

// Batcher runs the calls of many goroutines together: each run of the model computes a token
// of every completion (continuous batching, as in Yu et al. 2022, "Orca", OSDI). Prompts are begun
// in the order in which they came, as soon as there is room, and read in chunks between the
// tokens of others; rows leave when they end. A prompt that a call has several times is read once
// for the rows that begin together, unless the model takes one token at a time or has
// GroupQueryAttention. It is safe for concurrent use. A panic in a run, of an engine or
// a tokenizer, is ErrPanic to the calls whose rows ran; other calls go on.
//
// Its calls give the tokens of a Session's, up to the rounding of float32 sums,
// which depends on how many rows run together. A call with several prompts may begin them one
// after the other: a Step has the tokens that were made together, and NoToken for the other
// prompts, some of which may go on.
type Batcher struct {
	s    *Session
	opt  BatcherOptions
	ctx  context.Context // of all runs
	stop context.CancelFunc

	perRow, perSlot float64 // bytes of states for each row, and for each of its slots

	mu      sync.Mutex
	waiting []*row
	inside  int // rows that wait, are read or run
	looping bool
	closed  bool
	stats   BatcherStats
	loops   sync.WaitGroup

	batcherLoop
}

// BatcherStats say what a Batcher is doing.
type BatcherStats struct {
	Waiting int   // prompts that have not begun
	Reading int   // prompts that are being read
	Running int   // completions that are being made
	Bytes   int64 // that the states of the last two take
	Peak    int64 // the most that Bytes has been
	Tokens  int64 // that have been made so far
}

// NewBatcher returns a batcher for a session, which stays usable by itself. A provider that
// keeps states on a device cannot put rows together, and looped files have no
// single tokens: these are ErrOptions and ErrLooped.
func NewBatcher(s *Session, opt BatcherOptions) (*Batcher, error) {
	full, err := opt.complete()
	if err == nil {
		err = s.batches()
	}
	if err != nil {
		return nil, fmt.Errorf("runtime: batcher: %w", engine.Mark(err, ErrOptions))
	}
	b := &Batcher{s: s, opt: full}
	for _, state := range s.card.State {
		_, none := state.Bytes(1, 0)
		_, one := state.Bytes(1, 1)
		b.perRow, b.perSlot = b.perRow+none, b.perSlot+one-none
	}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b, nil
}

// batches reports why rows of a session's model cannot be put together.
func (s *Session) batches() error {
	if s.looped() {
		return ErrLooped
	}
	if _, device := s.model.(engine.DeviceModel); device {
		return fmt.Errorf("provider %s keeps states on its device, where rows cannot be put beside others; use provider %s or %s, "+
			"or one call of Session with all prompts", s.opt.Provider, engine.CPU, engine.Go)
	}
	for _, state := range s.card.State {
		if rowAxis(state) < 0 {
			return fmt.Errorf("state %s of the model has no axis of rows", state.Past)
		}
	}
	return nil
}

// pads reports whether rows of different lengths can run together: what has slots must be told
// which of them are padding, at each run.
func (s *Session) pads() bool {
	slotted := slices.ContainsFunc(s.card.State, card.State.Slotted)
	return !s.contract.Unpadded && (!slotted || s.contract.Mask >= 0 && !s.contract.MaskNew)
}

// tokenwise reports whether rows can run together at any place, in a prompt too: the model
// takes one token at a time, and nothing that it keeps has slots.
func (s *Session) tokenwise() bool {
	return s.contract.OneToken && !slices.ContainsFunc(s.card.State, card.State.Slotted)
}

// bytes returns how much memory the states of so many rows and slots take.
func (b *Batcher) bytes(rows, slots int) int64 {
	return int64(min(float64(rows)*(b.perRow+b.perSlot*float64(slots)), math.MaxInt64/2))
}

// Close ends all calls with ErrClosed. Closing again does nothing.
func (b *Batcher) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.stop()
	b.loops.Wait()
	return nil
}

// Stats returns what the batcher is doing.
func (b *Batcher) Stats() BatcherStats {
	b.mu.Lock()
	defer b.mu.Unlock()
	stats := b.stats
	stats.Waiting = len(b.waiting)
	return stats
}

// Generate is Session.Generate together with other calls. It ends with ErrBusy when too many prompts
// are waiting.
func (b *Batcher) Generate(ctx context.Context, prompts [][]int64, opt GenerateOptions) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		c, err := b.submit(ctx, prompts, opt)
		if err != nil {
			yield(Step{}, fmt.Errorf("runtime: generate: %w", err))
			return
		}
		defer b.leave(c)
		step := newStep(len(prompts), opt)
		for left := len(prompts); left > 0; {
			tokens, err := c.take(ctx)
			if err != nil {
				yield(Step{}, fmt.Errorf("runtime: generate: %w", err))
				return
			}
			step.clear()
			for i, t := range tokens {
				step.add(t.newToken)
				if t.finish != "" {
					left--
				}
				if last := i == len(tokens)-1; !last && tokens[i+1].turn == t.turn {
					continue
				}
				if !yield(step, nil) {
					return
				}
				step.clear()
			}
		}
	}
}

// Stream is Session.Stream together with other calls.
func (b *Batcher) Stream(ctx context.Context, prompts []Prompt, opt GenerateOptions) iter.Seq2[TextStep, error] {
	return b.s.stream(ctx, b.Generate, prompts, opt)
}

// submit puts the prompts of a call into the queue.
func (b *Batcher) submit(ctx context.Context, prompts [][]int64, opt GenerateOptions) (*batcherCall, error) {
	if ctx == nil {
		return nil, errors.New("the context is nil")
	}
	prompts, opt = lists.Map(prompts, slices.Clone), opt.clone() // the loop may read them when the caller has left
	rows, err := b.s.newRows(prompts, opt)
	if err != nil {
		return nil, engine.Mark(err, ErrInput)
	}
	if most := b.opt.MaxRows + b.opt.MaxQueue; len(rows) > most {
		return nil, engine.Mark(fmt.Errorf("there are %d prompts, and the batcher takes %d at a time", len(rows), most), ErrInput)
	}
	c := newBatcherCall()
	for i, r := range rows {
		if need := b.bytes(1, len(r.prompt)+r.left-1); need > b.opt.MaxBytes {
			return nil, engine.Mark(fmt.Errorf("prompt %d: %w: with its answer it takes %d bytes, the batcher has %d", i, ErrTooLong,
				need, b.opt.MaxBytes), ErrInput)
		}
		r.call = c
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed || b.s.closed.Load():
		return nil, ErrClosed
	case b.inside+len(rows) > b.opt.MaxRows+b.opt.MaxQueue:
		return nil, fmt.Errorf("%w: there are %d already, %d more are wanted, and the batcher takes %d", ErrBusy, b.inside,
			len(rows), b.opt.MaxRows+b.opt.MaxQueue)
	}
	b.inside += len(rows)
	b.waiting = append(b.waiting, rows...)
	if !b.looping {
		b.looping = true
		b.loops.Go(b.loop)
	}
	return c, nil
}

// clone returns the same options in memory of their own. The prefix, which nothing changes, is shared.
func (o GenerateOptions) clone() GenerateOptions {
	o.Stop, o.StopStrings = slices.Clone(o.Stop), slices.Clone(o.StopStrings)
	o.LogitBias, o.PerRow = maps.Clone(o.LogitBias), slices.Clone(o.PerRow)
	for i := range o.PerRow {
		o.PerRow[i].LogitBias = maps.Clone(o.PerRow[i].LogitBias)
	}
	return o
}

// leave ends a call and drops its waiting rows.
func (b *Batcher) leave(c *batcherCall) {
	c.over.Store(true)
	b.mu.Lock()
	defer b.mu.Unlock()
	before := len(b.waiting)
	b.waiting = slices.DeleteFunc(b.waiting, func(r *row) bool { return r.call == c })
	b.inside -= before - len(b.waiting)
}
