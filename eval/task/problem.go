package task

import "math/rand/v2"

// problem is one instance of a mathematical task, of which prompt, answer and
// scratchpad are made.
type problem interface {
	prompt() string
	answer() string // the closing sentence, the whole target without a scratchpad
	steps() []Step
}

// scratch is what a mathematical task needs to have a scratchpad.
type scratch struct {
	draw      func(rng *rand.Rand, length int) problem
	variables bool // whether steps update variables

	// pieces is a step that contains every token of steps, and ends are the forms
	// that what remains can have in the last one: for the vocabulary.
	pieces Step
	ends   []string
}

// mathematical completes a task whose samples are problems.
func mathematical(t Task, s scratch) Task {
	t.Version = 1
	t.scratch = &s
	t.Generate = func(rng *rand.Rand, length int) Sample {
		p := s.draw(rng, length)
		return Sample{Prompt: p.prompt(), Target: p.answer(), Length: length}
	}
	return t
}
