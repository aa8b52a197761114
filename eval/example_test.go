package eval_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

func ExampleSweep() {
	copyTask, _ := task.Lookup("copy")
	model := &fake{answer: perfect} // anything with Generate and Score
	about := card.Card{Tokenizer: copyTask.Vocabulary(), Trained: card.Lengths{Min: 2, Max: 20}}
	rows, err := eval.Sweep(context.Background(), model, about, eval.Config{
		Task: copyTask, Split: task.Test, Lengths: []int{10, 40}, N: 100, Batch: 32, Seed: 1,
	}, nil)
	if err != nil {
		fmt.Println(err)
	}
	for _, r := range rows {
		fmt.Printf("length %d: %d of %d right (%.3f to %.3f)\n", r.Length, r.Correct, r.N, r.AccuracyLow, r.AccuracyHigh)
	}
	// Output:
	// length 10: 100 of 100 right (0.963 to 1.000)
	// length 40: 100 of 100 right (0.963 to 1.000)
}
