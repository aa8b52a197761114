package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
)

// The most that one measurement may ask for, so that no count of work or memory
// overflows, and a row stays short enough to be read again.
const (
	MaxSamples   = 1 << 20 // at one length
	MaxBatch     = 1 << 20
	MaxNewTokens = task.MaxLength
	MaxRepeats   = 1000
)

// checkRange wants a number of something from least to most.
func checkRange(name string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%s is %d, expected %d to %d", name, n, least, most)
	}
	return nil
}

// growFrom is a length whose sample is made without a thought, even where a
// scratchpad grows with the square of the length.
const growFrom = 1000

// GrowSample is SampleTokens for a length that may be absurd: from growFrom on it
// doubles the length, and stops as soon as enough says so. at is the length that
// the tokens are those of.
func GrowSample(
	t task.Task, c card.Card, length int, enough func(prompt, target int) bool,
) (prompt, target, at int, err error) {
	for at = min(length, growFrom); ; at = min(2*at, length) {
		if at < length && t.CheckLength(task.At(at)) != nil {
			continue
		}
		if prompt, target, err = SampleTokens(t, c, at); err != nil || at == length || enough(prompt, target) {
			return prompt, target, at, err
		}
	}
}

// Unavailable returns the row with NA set that MeasureLength would give, where it
// needs no model to tell: the task has no such length, or a bounded model could not
// take the longest of the samples. It is nil for a length that can be measured, as
// far as that is known beforehand.
func Unavailable(ctx context.Context, c card.Card, cfg Config, at task.Span) (*Row, error) {
	if cfg.Task.CheckLength(at) == nil {
		if c.MaxLength == 0 {
			return nil, nil
		}
		tooLong := func(prompt, target int) bool { return prompt+target-1 > c.MaxLength }
		longest := longestIn(cfg.Task, at)
		prompt, target, reached, err := GrowSample(cfg.Task, c, longest, tooLong)
		if err != nil {
			return nil, err
		}
		if reached < longest { // its samples may be too large to be made
			row := newRow(c, cfg, at)
			row.NA, row.Reason = true, fmt.Sprintf("%v: more than %d positions needed, at most %d declared",
				ErrTooLong, prompt+target-1, c.MaxLength)
			return &row, nil
		}
	}
	row, err := MeasureLength(ctx, nil, c, cfg, at)
	if err != nil || !row.NA {
		return nil, err
	}
	return &row, nil
}

// longestIn returns the longest of a task's lengths in a span that has some.
func longestIn(t task.Task, at task.Span) int { return slices.Max(t.LengthsIn(task.Range(at))) }

// checkPositions wants that the model can take the longest of the samples, and of a bin one
// of its longest length more, whether such a length was drawn or not.
func (s *sweep) checkPositions(at task.Span, examples []example) error {
	longest := 0
	if at.IsBin() && s.maxLength > 0 {
		sample, err := s.cfg.Task.Sample(sampleSource(s.cfg.Task.Name, task.Test, 0, at), longestIn(s.cfg.Task, at), task.Whole)
		if err != nil {
			return err
		}
		e, err := s.encode(sample)
		if err != nil {
			return err
		}
		examples = append(slices.Clone(examples), e)
	}
	for _, e := range examples {
		longest = max(longest, len(e.prompt)+len(e.target)-1) // the last token is predicted, not read
	}
	if s.maxLength > 0 && longest > s.maxLength {
		return fmt.Errorf("%w: %d positions needed, at most %d declared", ErrTooLong, longest, s.maxLength)
	}
	return nil
}
