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

// available reports what makes a length unavailable as far as it is known without a model: the task has no such length,
// or a bounded model could not take the longest of the samples.
func (s *accuracy) available(ctx context.Context, c card.Card, at task.Span) error {
	if s.cfg.Task.CheckLength(at) == nil {
		if s.maxLength == 0 {
			return nil
		}
		tooLong := func(prompt, target int) bool { return prompt+target-1 > s.maxLength }
		longest := longestIn(s.cfg.Task, at)
		prompt, target, reached, err := GrowSample(s.cfg.Task, c, longest, tooLong)
		if err != nil {
			return err
		}
		if reached < longest { // its samples may be too large to be made
			return fmt.Errorf("%w: more than %d positions needed, at most %d declared", ErrTooLong, prompt+target-1, s.maxLength)
		}
	}
	_, _, err := s.fitting(ctx, at)
	return err
}

// fitting draws the samples of a length or bin, which the model must be able to take.
func (s *accuracy) fitting(ctx context.Context, at task.Span) (examples []example, prompts int, err error) {
	if examples, prompts, err = s.examples(ctx, at); err == nil {
		err = s.checkPositions(at, examples)
	}
	return examples, prompts, err
}

// longestIn returns the longest of a task's lengths in a span that has some.
func longestIn(t task.Task, at task.Span) int { return slices.Max(t.LengthsIn(task.Range(at))) }

// checkPositions wants that the model can take the longest of the samples, and of a bin one
// of its longest length more, whether such a length was drawn or not.
func (s *accuracy) checkPositions(at task.Span, examples []example) error {
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
