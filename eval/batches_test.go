package eval_test

import (
	"context"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// silent ends every answer at once and notes the lengths of its prompts.
type silent struct{ lengths []int }

func (m *silent) Generate(_ context.Context, prompts [][]int64, _ []int, stop int64, onStep func()) ([][]int64, error) {
	out := make([][]int64, len(prompts))
	for i, p := range prompts {
		m.lengths = append(m.lengths, len(p))
		out[i] = []int64{stop}
	}
	onStep()
	return out, nil
}

func (m *silent) Score(_ context.Context, ids [][]int64, from []int) ([][]float64, error) {
	out := make([][]float64, len(ids))
	for i := range ids {
		out[i] = make([]float64, len(ids[i])-from[i])
	}
	return out, nil
}

// Prompts of like length are continued together, so that batches hold little padding.
func TestBatchesByPromptLength(t *testing.T) {
	tk, err := task.Lookup("polynomial")
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := task.Vocabulary("word", tk)
	if err != nil {
		t.Fatal(err)
	}
	m := &silent{}
	cfg := sweeping{eval.Config{Task: tk, N: 40, Batch: 8, Seed: 1, Split: task.Test}, []int{6}}
	if _, err := sweep(t.Context(), m, card.Card{Tokenizer: pieces}, cfg); err != nil {
		t.Fatal(err)
	}
	if slices.Min(m.lengths) == slices.Max(m.lengths) {
		t.Fatal("all prompts are equally long; the test shows nothing")
	}
	if !slices.IsSorted(m.lengths) {
		t.Errorf("prompts of %v tokens, in this order", m.lengths)
	}
}
