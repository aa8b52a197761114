package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/nopezoo/zoo/runtime"
)

// Of returns an open session as a Model, so that what runs can be measured. The
// session's card (Info) is the one to measure it with; closing it is the caller's.
func Of(s *runtime.Session) Model { return session{s, nil} }

type session struct {
	*runtime.Session
	prefix *runtime.Prefix // of all sequences; nil for none
}

// keeper is a Model that can keep what it has read of a prompt.
type keeper interface {
	// keep reads a prompt, and returns a Model of sequences that begin with it, which reads the rest of these, and a function that
	// ends it.
	keep(ctx context.Context, prompt []int64) (Model, func() error, error)
}

func (m session) keep(ctx context.Context, prompt []int64) (Model, func() error, error) {
	p, err := m.Session.Prefill(ctx, prompt)
	if err != nil {
		return nil, nil, tooLong(err)
	}
	return session{m.Session, p}, p.Close, nil
}

// Generate implements Model.
func (m session) Generate(
	ctx context.Context, prompts [][]int64, limits []int, stop int64, onStep func(),
) ([][]int64, error) {
	out := make([][]int64, len(prompts))
	stops := []int64{}
	if stop != NoStop {
		stops = append(stops, stop)
	}
	for step, err := range m.Session.Generate(ctx, prompts, runtime.GenerateOptions{Limits: limits, Stop: stops, Prefix: m.prefix}) {
		if err != nil {
			return nil, tooLong(err)
		}
		for i, id := range step.Tokens {
			if id != runtime.NoToken {
				out[i] = append(out[i], id)
			}
		}
		if onStep != nil {
			onStep()
		}
	}
	return out, nil
}

// Score implements Model.
func (m session) Score(ctx context.Context, ids [][]int64, from []int) ([][]float64, error) {
	out, err := m.Session.Score(ctx, ids, from, m.prefix)
	return out, tooLong(err)
}

// tooLong says in this package's words that a sequence is too long.
func tooLong(err error) error {
	if errors.Is(err, runtime.ErrTooLong) {
		return fmt.Errorf("%w: %w", ErrTooLong, err)
	}
	return err
}
