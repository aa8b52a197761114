package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Prefix is the beginning of prompts, which a session has read once: generating from a prompt
// that begins with its tokens takes a copy of what was read. See GenerateOptions.Prefix. It
// is safe for concurrent use, and holds memory until its Close.
type Prefix struct {
	IDs   []int64 // of the tokens, which are not to be changed
	Bytes int64   // of memory that the prefix holds for the model's states

	s      *Session
	filled int // tokens that the states have read: all but the last, which has the logits that follow

	mu     sync.Mutex // held while the states are copied
	states []savedState
	closed bool
}

// Prefill reads token ids that prompts will begin with. They are checked like prompts. More
// than Options.PrefixBytes allows is ErrMemory.
func (s *Session) Prefill(ctx context.Context, ids []int64) (*Prefix, error) {
	p, err := s.prefill(ctx, ids, nil)
	return wrap.Value(p, err, "runtime: prefill")
}

// Extend returns another prefix, which has these token ids after p's own: only they are read.
// p stays as it is, so that it may be extended in several ways.
func (p *Prefix) Extend(ctx context.Context, ids []int64) (*Prefix, error) {
	longer, err := p.s.prefill(ctx, slices.Concat(p.IDs, ids), p)
	return wrap.Value(longer, err, "runtime: extend prefix")
}

// Close gives the prefix's memory back. Calls that have begun with it go on. Closing again does
// nothing.
func (p *Prefix) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	p.s.prefixBytes.Add(-p.Bytes)
	errs := make([]error, len(p.states))
	for i, state := range p.states {
		errs[i] = state.close()
	}
	p.states = nil
	return errors.Join(errs...)
}

func (s *Session) prefill(ctx context.Context, ids []int64, from *Prefix) (*Prefix, error) {
	if s.looped() {
		return nil, ErrLooped
	}
	rows := [][]int64{ids}
	if err := s.checkRows("prefix", rows); err != nil {
		return nil, engine.Mark(err, ErrInput)
	}
	if err := s.fits("prefix", 0, len(ids)); err != nil {
		return nil, engine.Mark(err, ErrInput)
	}
	p := &Prefix{s: s, IDs: slices.Clone(ids), filled: len(ids) - 1}
	for _, state := range s.card.State {
		size, _ := state.Bytes(1, p.filled)
		p.Bytes += int64(size)
	}
	if most := s.opt.PrefixBytes; s.prefixBytes.Add(p.Bytes) > most && most > 0 {
		held := s.prefixBytes.Add(-p.Bytes)
		return nil, fmt.Errorf("%w: the prefix takes %d bytes, the session's others %d, and PrefixBytes is %d; close some",
			ErrMemory, p.Bytes, held, most)
	}
	if err := p.fill(ctx, from); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// fill reads the tokens, from what another prefix has read on where that is not nil.
func (p *Prefix) fill(ctx context.Context, from *Prefix) (err error) {
	if p.filled == 0 {
		return nil
	}
	b, err := newBatch(ctx, p.s, [][]int64{p.IDs[:p.filled]}, 0, from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.read(func(int, int) int { return 1 }, nil); err != nil {
		return err
	}
	for _, state := range b.states {
		saved, err := state.save(p.filled)
		if err != nil {
			return p.s.fault(err)
		}
		p.states = append(p.states, saved)
	}
	return nil
}

// read returns how many tokens of prompts that begin with the prefix have been read.
func (p *Prefix) read() int {
	if p == nil {
		return 0
	}
	return p.filled
}

// load gives so many rows of the states what the prefix has read, and returns how many
// tokens they have read. Where that is none, they stay as they are.
func (p *Prefix) load(states []state, rows, capacity int) (filled int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, fmt.Errorf("prefix: %w", ErrClosed)
	}
	for i, saved := range p.states {
		if err := states[i].load(saved, rows, p.filled, capacity); err != nil {
			return 0, err
		}
	}
	return p.filled, nil
}

// check refuses a prefix that prompts of a session do not begin with.
func (p *Prefix) check(s *Session, prompts [][]int64) error {
	if p == nil {
		return nil
	}
	if p.s != s {
		return errors.New("the prefix is of another session")
	}
	for i, ids := range prompts {
		if len(ids) < len(p.IDs) {
			return fmt.Errorf("prompt %d has %d tokens, and the prefix that it is to begin with %d", i, len(ids), len(p.IDs))
		}
		for j, id := range p.IDs {
			if ids[j] != id {
				return fmt.Errorf("prompt %d does not begin with the prefix: it has token id %d at index %d, the prefix %d", i,
					ids[j], j, id)
			}
		}
	}
	return nil
}

// checkStarts refuses to score tokens of the prefix, of which the last alone has its logits.
func (p *Prefix) checkStarts(from []int) error {
	for i, at := range from {
		if p != nil && at < len(p.IDs) {
			return fmt.Errorf("sequence %d is to be scored from index %d, within the prefix of %d tokens", i, at, len(p.IDs))
		}
	}
	return nil
}
