package eval_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// Prompts go through the tasks of a mixture in turn, are held out where that is possible, and leave room for
// a completion that runs on, as far as the model has it.
func TestPrompts(t *testing.T) {
	tasks, err := task.LookupList("copy,parity")
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := task.Vocabulary("", tasks...)
	if err != nil {
		t.Fatal(err)
	}
	c := card.Card{Task: "copy,parity", Tokenizer: pieces}
	ask := func(c card.Card, length, n int) (out []eval.Prompt) {
		prompts, err := eval.Prompts(c, length, 1)
		if err != nil {
			t.Fatal(err)
		}
		for q, err := range prompts {
			if err != nil {
				t.Fatal(err)
			}
			if out = append(out, q); len(out) == n {
				break
			}
		}
		return out
	}
	for i, q := range ask(c, 10, 20) {
		want := tasks[i%2].Name
		held := task.SplitOf(q.Text) == task.Test
		if q.Task != want || q.Length != 10 || !held || !q.Correct(q.Expected) || q.Correct("") {
			t.Errorf("prompt %d is %+v, want one of %s", i, q, want)
		}
	}
	for _, q := range ask(c, 1, 2) { // parity has two prompts of one bit
		if q.Length != 1 {
			t.Errorf("%+v", q)
		}
	}
	free, bound := ask(c, 4, 1)[0], c
	bound.MaxLength = 2*4 + 4 // Copy : w w w w [SEP] w w w w, and no more
	if tight := ask(bound, 4, 1)[0]; free.MaxNew != 4+1+8 || tight.MaxNew >= free.MaxNew || tight.MaxNew < 4+1 {
		t.Errorf("%d new tokens, and %d where %d is the most", free.MaxNew, tight.MaxNew, bound.MaxLength)
	}
	if _, err := eval.Prompts(c, 1<<30, 1); !errors.Is(err, task.ErrNoLength) {
		t.Errorf("a length too long: %v", err)
	}
	for _, wrong := range []string{"", "tellme"} {
		if _, err := eval.Prompts(card.Card{Task: wrong, Tokenizer: pieces}, 4, 1); err == nil {
			t.Errorf("task %q: no error", wrong)
		}
	}
	same := func(x, y eval.Prompt) bool { return x.Text == y.Text }
	if !slices.EqualFunc(ask(c, 10, 9), ask(c, 10, 9), same) {
		t.Error("the same seed gives other prompts")
	}
}
