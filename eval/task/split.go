package task

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/internal/suggest"
)

// Split is a part of all the prompts there are.
type Split string

// The splits. A prompt belongs to exactly one of the first three. The zero value
// is none of them, so that a forgotten choice is an error.
const (
	Train      Split = "train"      // 80 % of the prompts
	Validation Split = "validation" // 10 %
	Test       Split = "test"       // 10 %
	Whole      Split = "whole"      // every prompt
)

// check reports a split that is none of the four.
func (s Split) check() error {
	known := []string{string(Train), string(Validation), string(Test), string(Whole)}
	switch {
	case s == "":
		return errors.New("no split was chosen")
	case !slices.Contains(known, string(s)):
		return suggest.Unknown("split", shorten(string(s)), known)
	}
	return nil
}

// SplitOf returns the split of a prompt: Test, Validation or Train by the first
// 8 bytes of its SHA-256, big-endian, modulo 10 being 0, 1 or more. It depends
// on nothing else, so no training run of any seed sees a test prompt.
func SplitOf(prompt string) Split {
	sum := sha256.Sum256([]byte(prompt))
	switch binary.BigEndian.Uint64(sum[:]) % 10 {
	case 0:
		return Test
	case 1:
		return Validation
	}
	return Train
}

// MinSpace is how many prompts a length must have to be divided into splits.
// With fewer a split would hold a handful of them, or none.
const MinSpace = 100

// splitAt returns what Sample draws from when split is asked for: Whole
// where nothing is held out, because the length has too few prompts or because
// of the option "paper", else split.
func (t Task) splitAt(length int, split Split) Split {
	overlap := t.Overlap && (t.Listed == nil || !t.Train.Contains(length))
	if split != "" && (overlap || t.Space(length) < MinSpace) {
		return Whole
	}
	return split
}

// holds reports whether a sample is in one of the first three splits.
func (t Task) holds(split Split, s Sample) bool {
	if t.Listed != nil {
		return (split == Train) == (t.hash(s.Prompt) >= t.hash(t.Listed()[0].Prompt))
	}
	return SplitOf(t.withoutOptions(s.Prompt)) == split
}

// withoutOptions returns a prompt as it is without options, so that they move none to
// another split.
func (t Task) withoutOptions(prompt string) string {
	if prompt = t.dropped + prompt; t.plain != nil {
		return t.plain(prompt)
	}
	return prompt
}

// ErrNoSplit is returned (wrapped) by Sample when no prompt of the split was
// found.
var ErrNoSplit = errors.New("no prompt of this split")

// splitTries bounds Sample. A split that holds a tenth of the prompts is
// missed in 500 draws with a probability of 1e-23.
const splitTries = 500

// Sample draws samples of a length until one lies in the split. Where nothing is held out, all samples do:
// see the package comment. When none does, the error wraps ErrNoSplit; Whole takes the first.
func (t Task) Sample(rng *rand.Rand, length int, split Split) (Sample, error) {
	if err := split.check(); err != nil {
		return Sample{}, fmt.Errorf("task %s: %w", t.Name, err)
	}
	if err := t.CheckLength(At(length)); err != nil {
		return Sample{}, err
	}
	if t.Corpus != nil {
		return t.Corpus.sample(rng, length, split)
	}
	if t.InTokens {
		return Sample{}, fmt.Errorf("task %s: %w", t.Name, errInTokens)
	}
	split = t.splitAt(length, split)
	for range splitTries {
		s := t.Generate(rng, length)
		if split == Whole || t.holds(split, s) {
			return s, nil
		}
	}
	return Sample{}, fmt.Errorf("task %s: length %d: %w: none of %d draws is in %q; choose another length, "+
		"or the split %q", t.Name, length, ErrNoSplit, splitTries, split, Whole)
}

// ManyPrompts is how many prompts a length must have for a tenth of them to be
// plenty.
const ManyPrompts = 100_000

// SplitFor returns what measuring a model draws from when split is asked for. It
// belongs into every record of a measurement. trained are the lengths that the
// model was trained on, for a mixture the lengths of all its tasks together; the zero
// Range says that they are not known.
//
// No training run of the model saw a prompt of a length outside trained, so nothing
// need be held out there. Where such a length has fewer than ManyPrompts prompts,
// Test is Whole, and for Validation there is nothing left: the error wraps
// ErrNoSplit. Everywhere else SplitFor is what Sample draws from.
func (t Task) SplitFor(length int, split Split, trained Range) (Split, error) {
	beyond := trained != (Range{}) && !trained.Contains(length)
	if !beyond || t.Overlap || t.Space(length) >= ManyPrompts {
		return t.splitAt(length, split), nil
	}
	switch split {
	case Test:
		return Whole, nil
	case Validation:
		return "", fmt.Errorf("task %s: length %d: %w: outside the trained lengths %s all prompts are for the test, "+
			"as there are fewer than %d", t.Name, length, ErrNoSplit, trained, ManyPrompts)
	}
	return t.splitAt(length, split), nil
}

// Different yields samples of different prompts, all of them in the split, until
// there are no more. The same state of rng gives the same samples. The first error
// ends it, ctx's included.
//
// A task whose samples can be listed (Each) yields all of a length; others draw
// until 20 times as many draws as the length has prompts (ManyPrompts at most, and
// 500 draws at least) find nothing new. What is drawn as often as the rest is missed
// with a probability of e⁻²⁰.
func (t Task) Different(ctx context.Context, rng *rand.Rand, length int, split Split) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		if err := t.CheckLength(At(length)); err != nil {
			yield(Sample{}, err)
			return
		}
		in := func(s Sample) bool {
			return split == Whole || t.Corpus != nil || SplitOf(t.withoutOptions(s.Prompt)) == split
		}
		if t.Each != nil {
			var all []Sample
			for s := range t.Each {
				if s.Length == length && in(s) {
					all = append(all, s)
				}
			}
			rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
			for _, s := range all {
				if !yield(s, ctx.Err()) || ctx.Err() != nil {
					return
				}
			}
			return
		}
		seen := map[string]bool{}
		most := max(splitTries, int(20*min(t.Space(length), ManyPrompts)))
		for tries := 0; tries < most; tries++ {
			var s Sample
			err := ctx.Err()
			switch {
			case err != nil:
			case t.Corpus != nil:
				s, err = t.Corpus.sample(rng, length, split)
			default:
				s = t.Generate(rng, length)
			}
			if err != nil {
				yield(Sample{}, err)
				return
			}
			if !in(s) || seen[s.Prompt] {
				continue
			}
			seen[s.Prompt] = true
			if tries = -1; !yield(s, nil) {
				return
			}
		}
	}
}
