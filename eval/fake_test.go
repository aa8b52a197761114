package eval_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// Ids of the copy task's vocabulary.
const (
	pad, eos, sep, colon, word = int64(0), int64(1), int64(3), int64(5), int64(6) // word is the first of 100
)

// fake answers copy prompts: answer turns the gold answer (without the end
// token) into all that it writes.
type fake struct {
	answer    func(gold []int64) []int64
	logProb   float64
	positions int // most it takes, 0 = no limit

	generated, scored int // calls
	onGenerate        func(call int)
	prompts           [][]int64 // all it was asked to continue
	noSteps           bool
}

func gold(prompt []int64) []int64 {
	return slices.Clone(prompt[slices.Index(prompt, colon)+1 : slices.Index(prompt, sep)])
}

func perfect(gold []int64) []int64 { return append(gold, eos) }

func (f *fake) Generate(ctx context.Context, prompts [][]int64, limits []int, stop int64, onStep func()) ([][]int64,
	error) {
	f.generated++
	if f.onGenerate != nil {
		f.onGenerate(f.generated)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.prompts = append(f.prompts, prompts...)
	out := make([][]int64, len(prompts))
	steps := 0
	for i, p := range prompts {
		if f.positions > 0 && len(p)+limits[i]-1 > f.positions {
			return nil, fmt.Errorf("fake: %w", eval.ErrTooLong)
		}
		out[i] = f.answer(gold(p))
		out[i] = out[i][:min(len(out[i]), limits[i])]
		steps = max(steps, len(out[i]))
	}
	for range steps {
		if !f.noSteps {
			onStep()
		}
	}
	return out, nil
}

func (f *fake) Score(ctx context.Context, ids [][]int64, from []int) ([][]float64, error) {
	f.scored++
	out := make([][]float64, len(ids))
	for i := range ids {
		out[i] = make([]float64, len(ids[i])-from[i])
		for j := range out[i] {
			out[i][j] = f.logProb
		}
	}
	return out, ctx.Err()
}

func copyTask(t testing.TB) task.Task {
	t.Helper()
	k, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func copyCard(t testing.TB) card.Card {
	return card.Card{
		Architecture: "decoder", Encoding: "none", Positions: "contiguous", Profile: card.Portable,
		Tokenizer: tasktest.Vocabulary(copyTask(t)), Task: "copy", Trained: card.Lengths{Min: 2, Max: 20},
		Seed: 7, DataSeed: 9, Steps: 100, TrainProvider: "cuda", FittedStep: new(60), ConfigHash: "c0ffee", Parameters: 1234,
	}
}

// sweeping is a measurement at several lengths.
type sweeping struct {
	eval.Config
	Lengths []int
}

// sweep measures a model at each length, up to the first error.
func sweep(ctx context.Context, m eval.Model, c card.Card, cfg sweeping) (rows []eval.Row, err error) {
	for _, length := range cfg.Lengths {
		row, err := eval.Measure(ctx, m, c, cfg.Config, task.At(length))
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func config(t testing.TB, lengths ...int) sweeping {
	return sweeping{Lengths: lengths, Config: eval.Config{
		Task: copyTask(t), N: 10, Batch: 4, Seed: 1, Split: task.Test,
		Environment: eval.Environment{Model: "fake", ModelSHA256: "abc", Provider: "none", Threads: 1, Machine: "m",
			ToolVersion: "v0"},
	}}
}
