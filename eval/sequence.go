package eval

import (
	"context"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// Sequence is a sample of a task as one sequence of tokens: the prompt, its right answer and
// the end token.
type Sequence struct {
	IDs    []int64
	Prompt int // tokens of the prompt, at least one
}

// Sequences returns the samples that a row of a length is of (see Measure), in tokens:
// of cfg it reads Task, N, Seed and Split. Errors that wrap ErrTooLong, task.ErrNoSplit and
// task.ErrNoLength say that there is nothing at this length.
func Sequences(ctx context.Context, c card.Card, cfg Config, span task.Span) ([]Sequence, error) {
	s, err := newAccuracy(nil, c, cfg)
	if err != nil {
		return nil, err
	}
	examples, _, err := s.fitting(ctx, span)
	if err != nil {
		return nil, err
	}
	return lists.Map(examples, func(e example) Sequence { return Sequence{IDs: e.sequence(), Prompt: len(e.prompt)} }), nil
}
