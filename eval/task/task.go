// Package task holds the synthetic tasks on which models are trained and
// measured: each draws samples of any length, knows its vocabulary and scores
// an answer.
//
// The prompts and targets are the strings of Kazemnejad et al., The Impact of
// Positional Encoding on Length Generalization in Transformers (2023), arXiv
// 2305.19466. A task is a value; adding one costs a file and a row in
// registry.go. Nothing here knows of models, tokens or results.
package task

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/tokenizer"
)

// Range is a closed range of lengths.
type Range struct {
	Min, Max int
}

// Contains reports whether length lies in the range.
func (r Range) Contains(length int) bool { return r.Min <= length && length <= r.Max }

// String returns the range as ParseRange reads it, such as "2..20".
func (r Range) String() string { return fmt.Sprintf("%d..%d", r.Min, r.Max) }

// Sample is one example: a model continues Prompt and should give Target.
type Sample struct {
	Prompt, Target string
	Length         int // the task's own measure, not a count of tokens
}

// Task is one task. Values come from Lookup and All; every field is set.
type Task struct {
	Name        string
	Aliases     []string // other names that Lookup accepts
	Version     int      // raised when a seed gives other samples, or an answer another score
	Description string   // one line: what is asked, and what a length counts
	Train       Range    // lengths that the paper trains on
	Lengths     Range    // lengths that can be sampled

	// Special strings are single tokens; Texts together contain every token that
	// a sample can (see tokenizer.Vocabulary).
	Special, Texts []string

	// Generate draws a sample of a length inside Lengths. The same state of rng
	// gives the same sample.
	Generate func(rng *rand.Rand, length int) Sample

	// Correct reports whether generated, the text that a model wrote after the
	// prompt, holds the answer of target. What cannot be parsed is wrong.
	Correct func(target, generated string) bool

	// Chance is the probability in 0..1 of a correct answer by a guesser who
	// knows the form of an answer of this length but does not read the prompt.
	Chance func(length int) float64
}

// Sample draws a sample; a length outside Lengths is an error.
func (t Task) Sample(rng *rand.Rand, length int) (Sample, error) {
	if err := t.CheckLength(length); err != nil {
		return Sample{}, err
	}
	return t.Generate(rng, length), nil
}

// CheckLength returns an error when the task has no samples of length.
func (t Task) CheckLength(length int) error {
	if !t.Lengths.Contains(length) {
		return fmt.Errorf("task %s: length %d is outside its lengths %s", t.Name, length, t.Lengths)
	}
	return nil
}

// Vocabulary returns the task's pieces in their fixed order, ready for
// tokenizer.New.
func (t Task) Vocabulary() []string {
	pieces, err := tokenizer.Vocabulary(t.Special, t.Texts...)
	if err != nil {
		panic(fmt.Sprintf("task %s: %v", t.Name, err)) // a task's own texts are constants, covered by its tests
	}
	return slices.Clip(pieces)
}
