package eval_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

func ExampleOf() {
	file, err := catalogue.Embedded().ONNX("copy-alibi", card.Portable)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := runtime.OpenBytes(file, runtime.Options{Provider: "go"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	copyTask, _ := task.Lookup("copy")
	samples := eval.Config{Task: copyTask, Split: task.Test, N: 8, Batch: 8, Seed: 1}
	for _, length := range []int{10, 20} {
		r, err := eval.Measure(context.Background(), eval.Of(s), s.Info().Card, samples, task.At(length))
		if err != nil {
			fmt.Println(err)
		}
		fmt.Printf("length %d: %d of %d right\n", r.Length, r.Correct, r.N)
	}
	// Output:
	// length 10: 8 of 8 right
	// length 20: 8 of 8 right
}

// A session's error about a sequence that is too long is eval's own.
func TestOfTooLong(t *testing.T) {
	file, err := catalogue.Embedded().ONNX("copy-learned", card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtime.OpenBytes(file, runtime.Options{Provider: "go"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	long := make([]int64, s.Info().Card.MaxLength+2)
	m := eval.Of(s)
	if _, err := m.Generate(t.Context(), [][]int64{long}, []int{1}, eval.NoStop, nil); !errors.Is(err,
		eval.ErrTooLong) {
		t.Errorf("Generate: %v", err)
	}
	if _, err := m.Score(t.Context(), [][]int64{long}, []int{1}); !errors.Is(err, eval.ErrTooLong) {
		t.Errorf("Score: %v", err)
	}
}
