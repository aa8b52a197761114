package eval_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

// constant is a model that always writes the same.
type constant []int64

func (c constant) Generate(ctx context.Context, prompts [][]int64, limits []int, _ int64, onStep func()) ([][]int64,
	error) {
	out := make([][]int64, len(prompts))
	for i := range out {
		out[i] = c[:min(len(c), limits[i])]
	}
	for range c {
		onStep()
	}
	return out, ctx.Err()
}

func (c constant) Score(_ context.Context, ids [][]int64, from []int) ([][]float64, error) {
	out := make([][]float64, len(ids))
	for i := range ids {
		out[i] = make([]float64, len(ids[i])-from[i])
	}
	return out, nil
}

// sweepConstant measures a model that always writes text.
func sweepConstant(t *testing.T, name, text string, lengths ...int) []eval.Row {
	t.Helper()
	k, err := task.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.New(tasktest.Vocabulary(k))
	if err != nil {
		t.Fatal(err)
	}
	ids, err := tok.Encode(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	cfg := config(t, lengths...)
	cfg.Task, cfg.N = k, 200
	c := copyCard(t)
	c.Task, c.Tokenizer, c.Trained = k.Name, tasktest.Vocabulary(k), card.Lengths{Min: k.Train.Min, Max: k.Train.Max}
	rows, err := sweep(t.Context(), constant(append(ids, tokenizer.EOS)), c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Prompts are different ones, all of them where there are fewer than asked for. Of
// 16 and 32 prompts none is held out, of 128 a tenth is; at 10 bits, which training
// did not see, all count, as do the 200 of them that were asked for at 9.
func TestSmallSpace(t *testing.T) {
	rows := sweepConstant(t, "parity", " The answer is Yes.", 4, 5, 7, 9)
	for i, want := range []struct {
		n, prompts     int
		whole, nothing bool
	}{{16, 16, true, true}, {32, 32, true, true}, {14, 14, false, false}, {200, 512, true, false}} {
		r := rows[i]
		if r.Split != "test" || r.N != want.n || r.Distinct != r.N || r.Asked != 200 || r.Prompts != want.prompts ||
			r.Whole != want.whole || r.NotHeldOut() != want.nothing {
			t.Errorf("length %d: split %s, whole %v, %d of %d prompts (%d different, %d asked for), want %+v", r.Length,
				r.Split, r.Whole, r.N, r.Prompts, r.Distinct, r.Asked, want)
		}
		if low, high := wilson(r.Correct, want.n); r.AccuracyLow != low || r.AccuracyHigh != high {
			t.Errorf("length %d: interval %v to %v, want %v to %v", r.Length, r.AccuracyLow, r.AccuracyHigh, low, high)
		}
		if r.TimedBatch != 4 || r.TimedBatches != (want.n+3)/4 {
			t.Errorf("length %d: %d batches of %d were timed", r.Length, r.TimedBatches, r.TimedBatch)
		}
	}
	if rows[0].Correct != 8 || rows[1].Correct != 16 {
		t.Errorf("%d of 16 and %d of 32 have an even number of ones", rows[0].Correct, rows[1].Correct)
	}
	var b strings.Builder
	if err := printed(&b, rows, "table"); err != nil || !strings.Contains(b.String(), "\nnothing "+
		"held out at length 4, 5: training") || !strings.Contains(b.String(), "  7 (14)  ") {
		t.Errorf("table does not tell, %v:\n%s", err, &b)
	}
	if rows := sweepConstant(t, "parity+paper", " The answer is Yes.", 9); !rows[0].Whole ||
		rows[0].Task != "parity+paper" {
		t.Errorf("row %+v does not say that nothing is held out", rows[0])
	}
}

// Lengths that a task cannot have are rows that say so.
func TestImpossibleLengths(t *testing.T) {
	rows := sweepConstant(t, "lego", " The answer is +1.", 20, 40)
	if rows[0].NA || !rows[1].NA || !strings.Contains(rows[1].Reason, "length 40 is outside its lengths 2..26") {
		t.Errorf("rows %+v", rows)
	}
	k, err := task.Lookup("scan")
	if err != nil {
		t.Fatal(err)
	}
	if err := eval.CheckLengths(k, card.Card{}, task.Spans(37, 100)); err == nil || !strings.Contains(err.Error(), "length 37; the nearest are 36 and 40") {
		t.Errorf("no possible length: error %v", err)
	}
	if err := eval.CheckLengths(copyTask(t), copyCard(t), task.Spans(4, 0)); err == nil || !strings.Contains(err.Error(), "length 0 is outside") {
		t.Errorf("no length: error %v", err)
	}
}

func TestScratchpadParts(t *testing.T) {
	const right = " Thinking step by step: comp 1 + sum = 1 + 0 = out 1. Thus, The answer is 1 ."
	row := sweepConstant(t, "summation+minimal", right, 1)[0] // one of nine prompts
	share := row.Accuracy
	if share < 0.02 || share > 0.3 {
		t.Fatalf("accuracy %v, want about a ninth", share)
	}
	want := map[string]float64{"computation": share, "output": share}
	if diff := cmp.Diff(want, row.Parts, cmp.Comparer(func(a, b float64) bool {
		return a-b < 1e-9 &&
			b-a < 1e-9
	})); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if rows := sweepConstant(t, "summation", " The answer is 1 .", 3); rows[0].Parts != nil {
		t.Errorf("parts %v without a scratchpad", rows[0].Parts)
	}
}

// Options do not change the prompts that are drawn: a constant answer is right
// for the same ones.
func TestSamePromptsWithOptions(t *testing.T) {
	count := map[int]bool{}
	for _, length := range []int{4, 6, 9} {
		plain := sweepConstant(t, "summation", " The answer is 1 .", length)[0]
		full := sweepConstant(t, "summation+minimal", " Thinking step by step: out 1. Thus, The answer is 1 .",
			length)[0]
		bare := sweepConstant(t, "summation+noprefix", " The answer is 1 .", length)[0]
		if plain.Correct != full.Correct || full.Parts == nil {
			t.Errorf("length %d: %d right without a scratchpad, %d with", length, plain.Correct, full.Correct)
		}
		if plain.Correct != bare.Correct {
			t.Errorf("length %d: %d right with the prefix, %d without", length, plain.Correct, bare.Correct)
		}
		count[plain.Correct] = true
	}
	if len(count) == 1 {
		t.Error("every length has as many right: the prompts do not vary")
	}
}

// All of SCAN's commands beyond the trained lengths are measured, as in the paper.
func TestAllOfSCAN(t *testing.T) {
	k, err := task.Lookup("scan")
	if err != nil {
		t.Fatal(err)
	}
	cfg := config(t, k.LengthsIn(k.Beyond)...)
	cfg.Task, cfg.N = k, 10_000
	c := copyCard(t)
	c.Tokenizer, c.Trained = tasktest.Vocabulary(k), card.Lengths{Min: k.Train.Min, Max: k.Train.Max}
	rows, err := sweep(t.Context(), constant{eos}, c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, r := range rows {
		sum += r.N
		if r.N != r.Prompts || float64(r.N) != k.Space(r.Length) {
			t.Errorf("length %d: %d of %d prompts, there are %v", r.Length, r.N, r.Prompts, k.Space(r.Length))
		}
	}
	if sum != 3136 {
		t.Errorf("%d commands, want 3136", sum)
	}
}
