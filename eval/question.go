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

// Question is a prompt of a task with its answer.
type Question struct {
	Task     string `json:"task,omitempty"`
	Length   int    `json:"length,omitempty"` // the task's own measure
	Prompt   string `json:"prompt"`
	Expected string `json:"expected,omitempty"`
	// MaxNew is how many tokens a model may write: what the answer needs and a few more,
	// as far as the model's maximum length lets it.
	MaxNew int `json:"-"`

	correct func(target, generated string) bool
}

// Correct reports whether the text that a model wrote after the prompt is right.
func (q Question) Correct(generated string) bool { return q.correct(q.Expected, generated) }

// Questions yields prompts of a length, one of each task of a model in turn, without end. They are
// prompts of the split Test, which no training run sees, where the length has as many that one is found. The
// same seed gives the same questions. The error is that of a model without a task that is known, or of a length
// that one of its tasks does not have.
func Questions(c card.Card, length int, seed uint64) (iter.Seq2[Question, error], error) {
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
	s := accuracy{tok: words, maxLength: c.MaxLength}
	return func(yield func(Question, error) bool) {
		rng := rand.New(rand.NewPCG(seed, 0))
		for i := 0; ; i++ {
			q, err := s.question(tasks[i%len(tasks)], rng, length)
			if !yield(q, err) || err != nil {
				return
			}
		}
	}, nil
}

func (s *accuracy) question(t task.Task, rng *rand.Rand, length int) (Question, error) {
	sample, err := t.Sample(rng, length, task.Test)
	if errors.Is(err, task.ErrNoSplit) { // so short that there are few prompts
		sample, err = t.Sample(rng, length, task.Whole)
	}
	if err != nil {
		return Question{}, err
	}
	e, err := s.encode(sample)
	return Question{
		Task: t.Name, Length: sample.Length, Prompt: sample.Prompt, Expected: sample.Target,
		MaxNew: e.limit, correct: t.Correct,
	}, err
}
