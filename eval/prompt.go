package eval

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

// Prompt is a prompt of a task with its completion.
type Prompt struct {
	Task     string `json:"task,omitempty"`
	Length   int    `json:"length,omitempty"` // the task's own measure
	Text     string `json:"prompt"`
	Expected string `json:"expected,omitempty"`
	// MaxNew is how many tokens a model may write: what the completion needs and a few more,
	// as far as the model's maximum length lets it.
	MaxNew int `json:"-"`
	// Correct reports whether the text that a model wrote after the prompt is right.
	Correct func(generated string) bool `json:"-"`
}

// Prompts yields prompts of a length, one of each task of a model in turn, without end. They are
// prompts of the split Test, which no training run sees, where the length has as many that one is found. The
// same seed gives the same prompts. The error is about a model without a task that is known, or of a length
// that one of its tasks does not have.
func Prompts(c card.Card, length int, seed uint64) (iter.Seq2[Prompt, error], error) {
	if c.Task == "" {
		return nil, errors.New("the model was trained on no task of zoo's, and prompts are drawn from one")
	}
	tasks, err := task.LookupList(c.Task)
	if err != nil {
		return nil, fmt.Errorf("the model's task: %w", err)
	}
	words, err := tokenizer.New(c.Tokenizer)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if err := t.CheckLength(task.At(length)); err != nil {
			return nil, err
		}
	}
	s := accuracy{tok: words, words: words, stop: tokenizer.EOS, maxLength: c.MaxLength}
	return func(yield func(Prompt, error) bool) {
		rng := rand.New(rand.NewPCG(seed, 0))
		for i := 0; ; i++ {
			p, err := s.prompt(tasks[i%len(tasks)], rng, length)
			if !yield(p, err) || err != nil {
				return
			}
		}
	}, nil
}

func (s *accuracy) prompt(t task.Task, rng *rand.Rand, length int) (Prompt, error) {
	sample, err := t.Sample(rng, length, task.Test)
	if errors.Is(err, task.ErrNoSplit) { // so short that there are few prompts
		sample, err = t.Sample(rng, length, task.Whole)
	}
	if err != nil {
		return Prompt{}, err
	}
	e, err := s.encode(sample)
	return Prompt{
		Task: t.Name, Length: sample.Length, Text: sample.Prompt, Expected: sample.Target,
		MaxNew: e.limit, Correct: func(generated string) bool { return t.Correct(sample.Target, generated) },
	}, err
}
