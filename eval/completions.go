package eval

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
)

// certain is the probability of a token, given those before it, from which on greedy
// generation writes it for any rounding: no other token comes within 4 % of it, and
// results of reading at once and token by token differ by far less.
const certain = 0.51

// completeAll fills in every example's log-probabilities and its output, the one that
// generation gives. Reading a target is one run, writing it is as many as it has tokens.
// So all targets are read first, and the beginning of each that is certain is taken as
// written: where that is all of it nothing is left, else generation goes on from there.
//
// With Config.Keep each prompt is read once for both.
func (s *accuracy) completeAll(ctx context.Context, examples []example) error {
	if k, ok := s.model.(keeper); ok && s.cfg.Keep {
		return s.completeEach(ctx, k, examples)
	}
	sortByPrompt(examples)
	if err := s.scoreAll(ctx, 0, examples); err != nil {
		return err
	}
	var open []int // indices
	for i := range examples {
		e := &examples[i]
		if e.output = e.target[:e.certain()]; len(e.output) < len(e.target) {
			open = append(open, i)
		}
	}
	done := 2*len(examples) - len(open)
	s.progress(done, len(examples))
	// A batch is padded to its longest prompt, and takes as many steps as the longest answer.
	slices.SortStableFunc(open, func(a, b int) int {
		return cmp.Compare(examples[a].left(), examples[b].left())
	})
	for group := range slices.Chunk(open, s.cfg.Batch) {
		rest := make([]example, len(group))
		for k, i := range group {
			e := &examples[i]
			rest[k] = example{prompt: slices.Concat(e.prompt, e.output), limit: e.left()}
		}
		if err := s.generate(ctx, rest, new(stopwatch)); err != nil {
			return err
		}
		for k, i := range group {
			examples[i].output = slices.Concat(examples[i].output, rest[k].output)
		}
		done += len(group)
		s.progress(done, len(examples))
	}
	return nil
}

// completeEach is completeAll of one example after the other, with what the model keeps of its prompt.
func (s *accuracy) completeEach(ctx context.Context, k keeper, examples []example) error {
	complete := func(i int) (err error) {
		m, end, err := k.keep(ctx, examples[i].prompt)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
		one := *s
		one.model, one.cfg.Keep, one.completed, one.all = m, false, s.completed+i, max(s.all, len(examples))
		return one.completeAll(ctx, examples[i:i+1])
	}
	for i := range examples {
		if err := complete(i); err != nil {
			return err
		}
	}
	return nil
}

// certain is how many tokens of the target the model is certain to write.
func (e *example) certain() int {
	n := slices.IndexFunc(e.logProbs, func(p float64) bool { return !(p >= math.Log(certain)) })
	if n < 0 {
		return len(e.target)
	}
	return n
}

// left is how many tokens may still be generated.
func (e *example) left() int { return e.limit - len(e.output) }
