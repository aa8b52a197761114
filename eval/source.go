package eval

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
)

// source is what the samples of a length or bin are drawn from.
type source struct {
	task    task.Task
	span    task.Span
	lengths []int        // that have prompts
	splits  []task.Split // one for each, see task.Task.SplitFor
	split   task.Split   // that was asked for
	seed    uint64
}

func (s *accuracy) source(span task.Span) (source, error) {
	k := s.cfg.Task
	out := source{task: k, span: span, lengths: k.LengthsIn(task.Range(span)), split: s.cfg.Split, seed: s.cfg.Seed}
	for _, n := range out.lengths {
		split, err := k.SplitFor(n, s.cfg.Split, s.trained)
		if err != nil {
			return source{}, err
		}
		out.splits = append(out.splits, split)
	}
	return out, nil
}

// rng is the stream of samples at one length, or of the lengths in a bin.
func (s *source) rng(span task.Span) *rand.Rand {
	name, _, _ := strings.Cut(s.task.Name, "+") // the same prompts with every option
	return sampleSource(name, s.split, s.seed, span)
}

// ofLength yields the different samples of a length, given by its index.
func (s *source) ofLength(ctx context.Context, i int) iter.Seq2[task.Sample, error] {
	return s.task.Different(ctx, s.rng(task.At(s.lengths[i])), s.lengths[i], s.splits[i])
}

// different yields different samples until there are no more: see MeasureLength. The
// first error ends it.
func (s *source) different(ctx context.Context) iter.Seq2[task.Sample, error] {
	if !s.span.IsBin() {
		return s.ofLength(ctx, 0)
	}
	return func(yield func(task.Sample, error) bool) {
		rng, seen := s.rng(s.span), map[string]bool{}
		next := make([]func() (task.Sample, error, bool), len(s.lengths))
		left := make([]int, len(s.lengths)) // indices of lengths that may have more
		for i := range left {
			left[i] = i
		}
		for len(left) > 0 {
			at := rng.IntN(len(left))
			i := left[at]
			if next[i] == nil {
				var stop func()
				next[i], stop = iter.Pull2(s.ofLength(ctx, i))
				defer stop()
			}
			sample, err, ok := next[i]()
			switch {
			case !ok:
				left = slices.Delete(left, at, at+1)
				continue
			case err == nil && seen[sample.Prompt]:
				continue
			}
			seen[sample.Prompt] = true
			if !yield(sample, err) || err != nil {
				return
			}
		}
	}
}

// shares are the shares of all prompts that splits hold, about.
var shares = map[task.Split]float64{task.Train: 0.8, task.Validation: 0.1, task.Test: 0.1, task.Whole: 1}

// prompts estimates how many different ones there are; +Inf when they are past counting.
func (s *source) prompts() float64 {
	sum := 0.0
	for i, n := range s.lengths {
		sum += shares[s.splits[i]] * s.task.Space(n)
	}
	return sum
}
