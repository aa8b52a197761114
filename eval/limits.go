package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
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

// SampleTokens returns how many tokens prompt and target of a sample have, the end token included. For a length
// that may be absurd, enough is not nil: from growFrom on the length doubles, up to the first one whose sample is
// enough. reached is the length of the sample.
func SampleTokens(
	t task.Task, c card.Card, length int, enough func(prompt, target int) bool,
) (prompt, target, reached int, err error) {
	reached = length
	if enough != nil {
		reached = min(length, growFrom)
	}
	for ; ; reached = min(2*reached, length) {
		if reached < length && t.CheckLength(task.At(reached)) != nil {
			continue
		}
		if prompt, target, err = tokensOfSample(t, c, reached); err != nil || reached == length || enough(prompt, target) {
			return prompt, target, reached, err
		}
	}
}

func tokensOfSample(t task.Task, c card.Card, length int) (prompt, target int, err error) {
	tok, err := tokenizer.New(c.Tokenizer)
	if err != nil {
		return 0, 0, err
	}
	sample, err := t.Sample(sampleSource(t.Name, task.Test, 0, task.At(length)), length, task.Whole)
	if err != nil {
		return 0, 0, err
	}
	ids, start, err := tok.EncodePair(sample.Prompt, sample.Target)
	if err != nil {
		err = fmt.Errorf("the model's vocabulary cannot write the task %s: %w; take the model's own task, or a model of this one", t.Name, err)
	}
	return start, len(ids) - start + 1, err
}

// available reports what makes a length unavailable as far as it is known without a model: the task has no such length,
// or a bounded model could not take the longest of the samples.
func (s *accuracy) available(ctx context.Context, c card.Card, span task.Span) error {
	if s.cfg.Task.CheckLength(span) == nil {
		if s.maxLength == 0 {
			return nil
		}
		tooLong := func(prompt, target int) bool { return prompt+target-1 > s.maxLength }
		longest := longestIn(s.cfg.Task, span)
		prompt, target, reached, err := SampleTokens(s.cfg.Task, c, longest, tooLong)
		if err != nil {
			return err
		}
		if reached < longest { // its samples may be too large to be made
			return fmt.Errorf("%w: more than %d positions needed, at most %d declared", ErrTooLong, prompt+target-1, s.maxLength)
		}
	}
	_, _, err := s.fitting(ctx, span)
	return err
}

// fitting draws the samples of a length or bin, which the model must be able to take.
func (s *accuracy) fitting(ctx context.Context, span task.Span) (examples []example, prompts int, err error) {
	if examples, prompts, err = s.examples(ctx, span); err == nil {
		err = s.checkPositions(span, examples)
	}
	return examples, prompts, err
}

// longestIn returns the longest of a task's lengths in a span that has some.
func longestIn(t task.Task, span task.Span) int { return slices.Max(t.LengthsIn(task.Range(span))) }

// checkPositions wants that the model can take the longest of the samples, and of a bin one
// of its longest length more, whether such a length was drawn or not.
func (s *accuracy) checkPositions(span task.Span, examples []example) error {
	longest := 0
	if span.IsBin() && s.maxLength > 0 {
		sample, err := s.cfg.Task.Sample(sampleSource(s.cfg.Task.Name, task.Test, 0, span), longestIn(s.cfg.Task, span), task.Whole)
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
