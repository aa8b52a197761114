package task

import (
	"math/rand/v2"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// problem is one instance of a mathematical task, of which prompt, answer and
// scratchpad are made.
type problem interface {
	prompt() string
	answer() string // the closing sentence, the whole target without a scratchpad
	steps() []step
}

// scratch is what a mathematical task needs to have a scratchpad.
type scratch struct {
	draw      func(rng *rand.Rand, length int) problem
	variables bool // whether steps update variables

	// pieces is a step that contains every token of steps, and ends are the forms
	// that what remains can have in the last one: for the vocabulary.
	pieces step
	ends   []string
}

// mathematical completes a task whose samples are problems. A task that says nothing else
// has any length and an integer for an answer.
func mathematical(t Task, s scratch) Task {
	t.Version, t.Beyond, t.scratch = 1, Range{9, 16}, &s
	if t.Lengths == (Range{}) {
		t.Lengths = Range{1, MaxLength}
	}
	if t.Correct == nil {
		t.Correct = sameInteger
	}
	t.Generate = func(rng *rand.Rand, length int) Sample {
		p := s.draw(rng, length)
		return Sample{Prompt: p.prompt(), Target: p.answer(), Length: length}
	}
	return t
}

// join writes each element, with sep between them.
func join[T any](list []T, sep string, write func(T) string) string {
	all := lists.Map(list, write)
	return strings.Join(all, sep)
}
