package eval_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

func ExampleMeasure() {
	copyTask, _ := task.Lookup("copy")
	words, _ := task.Vocabulary("", copyTask)
	model := &fake{answer: perfect} // anything with Generate and Score
	about := card.Card{Tokenizer: words, Trained: card.Lengths{Min: 2, Max: 20}}
	samples := eval.Config{Task: copyTask, Split: task.Test, N: 100, Batch: 32, Seed: 1}
	for _, length := range []int{10, 40} {
		r, err := eval.Measure(context.Background(), model, about, samples, task.At(length))
		fmt.Printf("length %d: %d of %d right (%.3f to %.3f) %v\n", r.Length, r.Correct, r.N, r.AccuracyLow, r.AccuracyHigh, err)
	}
	// Output:
	// length 10: 100 of 100 right (0.963 to 1.000) <nil>
	// length 40: 100 of 100 right (0.963 to 1.000) <nil>
}

// With an open session s, s.Complete(ctx, p.Text, runtime.GenerateOptions{MaxNew: p.MaxNew}) asks a model.
func ExamplePrompts() {
	copyTask, _ := task.Lookup("copy")
	words, _ := task.Vocabulary("", copyTask)
	prompts, err := eval.Prompts(card.Card{Task: "copy", Tokenizer: words}, 3, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for p, err := range prompts {
		fmt.Println(p.Text+p.Expected, p.Correct(p.Expected), p.Correct("7"), err)
		break // they have no end
	}
	// Output: Copy: E box 8 [SEP] E box 8 true false <nil>
}
