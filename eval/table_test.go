package eval_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nopezoo/zoo/eval"
)

func row(model string, length, correct, n int) eval.Row {
	return eval.Row{
		Schema: eval.RowSchema, Environment: eval.Environment{Model: model, Provider: "cpu"},
		Encoding: model, Profile: "portable", Task: "copy", TaskVersion: 1, Split: "test", Length: length,
		TrainMin: 2, TrainMax: 20, Seed: 1, Batch: 8,
		Score: &eval.Score{N: n, Correct: correct, Accuracy: float64(correct) / float64(n), Tokens: 10 * n, TokensCorrect: 9*n + correct,
			EditDistance: float64(n-correct) / float64(n) / 2, Loss: new(0.25)},
		Speed: &eval.Speed{TimedBatches: 3, TimedBatch: 8, PrefillMS: 12.345, PrefillP95MS: 13, PrefillP99MS: 14.04, FirstTokenMS: 12.345, Repeats: 1,
			DecodeSteps: 10, DecodeP50MS: 1.25, DecodeP95MS: 2.5, DecodeP99MS: 2.75,
			TokensPerSecond: 12345.6, TokensPerSecondSD: 99, SDOf: eval.SDOfBatches, RepeatRates: []float64{12345.6}, RepeatPrefillMS: []float64{12.345}, RepeatDecodeMS: []float64{1.25},
			PeakMemory: 300 << 20, PeakMemoryOf: eval.PeakOfLength},
	}
}

// seeded is the row with samples of another seed, or batches of another size.
func seeded(r eval.Row, seed uint64, batch int) eval.Row {
	r.Seed, r.Batch = seed, batch
	return r
}

func missing(model string, length int) eval.Row {
	r := row(model, length, 0, 1)
	r.NA, r.Reason, r.Score, r.Speed = true, "too long", nil, nil
	return r
}

// results is one table with everything in it.
func results() []eval.Row {
	fused := row("nope", 10, 99, 100)
	fused.Profile = "fused"
	fused.Speed.DecodeSteps = 0
	fused.Speed.PeakMemoryOf = eval.PeakOfProcess
	again := row("rope", 10, 50, 100) // another seed of the same model: pooled
	again.Seed = 2
	other := row("nope", 5, 3, 4)
	other.Split = "validation"
	return []eval.Row{
		row("nope", 30, 1999, 2000), row("nope", 10, 100, 100), row("nope", 1, 100, 100), fused,
		row("rope", 10, 100, 100), again, row("rope", 30, 0, 100), missing("rope", 40),
		missing("learned", 30), row("learned", 10, 95, 100), other,
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	if err := eval.Table(&b, all(), eval.ByLengths); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.txt", b.String())
	if err := eval.Table(&failing{}, results(), eval.ByLengths); err == nil {
		t.Error("a failing writer is not reported")
	}
	if err := eval.Table(&b, nil, eval.ByLengths); err != nil {
		t.Errorf("no rows: %v", err)
	}
}

func TestSummarize(t *testing.T) {
	want := []eval.Summary{
		// Length 1 lies below the trained lengths: it is neither inside nor beyond.
		{Model: "nope (portable)", Inside: eval.Mean{Value: 1, Lengths: 1}, Beyond: eval.Mean{Value: 0.9995, Lengths: 1}, Effective: 30, EffectiveLow: 30, EffectiveHigh: 30},
		{Model: "nope (fused)", Inside: eval.Mean{Value: 0.99, Lengths: 1}, Beyond: eval.Mean{Value: math.NaN()}, Effective: 10, EffectiveLow: 10, EffectiveHigh: 10},
		{Model: "rope", Inside: eval.Mean{Value: 0.75, Lengths: 1}, Beyond: eval.Mean{Value: 0, Lengths: 1, NA: 1}, Effective: 0},
		{Model: "learned", Inside: eval.Mean{Value: 0.95, Lengths: 1}, Beyond: eval.Mean{Value: math.NaN(), NA: 1}, Effective: 10, EffectiveHigh: 10},
		{Model: "nope", Split: "validation", Inside: eval.Mean{Value: 0.75, Lengths: 1}, Beyond: eval.Mean{Value: math.NaN()}, EffectiveHigh: 5},
	}
	for i := range want {
		want[i].Task, want[i].Trained = "copy", [2]int{2, 20}
		if want[i].Split == "" {
			want[i].Split = "test"
		}
	}
	if diff := cmp.Diff(want, eval.Summarize(results()), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("summaries (-want +got):\n%s", diff)
	}
}

// TestEffectiveInterval follows Wilson's interval: 95 of 100 reach from 0.888 to
// 0.978, 85 of 100 from 0.767 to 0.907, 84 of 100 to 0.899; 20 of 20 from 0.839.
func TestEffectiveInterval(t *testing.T) {
	for _, tc := range []struct {
		name                 string
		rows                 []eval.Row
		effective, low, high int
	}{
		{"clear", []eval.Row{row("a", 10, 100, 100), row("a", 20, 95, 100), row("a", 30, 85, 100), row("a", 40, 84, 100)}, 20, 10, 30},
		{"too few samples", []eval.Row{row("a", 10, 20, 20)}, 10, 0, 10},
		{"samples are pooled", []eval.Row{row("a", 10, 20, 20), seeded(row("a", 10, 20, 20), 2, 8)}, 10, 10, 10},
		{"the same samples in batches of another size count once", []eval.Row{row("a", 10, 20, 20), seeded(row("a", 10, 20, 20), 1, 32)}, 10, 0, 10},
		{"more samples of one seed replace fewer", []eval.Row{row("a", 10, 0, 20), row("a", 10, 100, 100), row("a", 10, 0, 20)}, 10, 10, 10},
		{"handled again after one that fails", []eval.Row{row("a", 30, 100, 100), row("a", 20, 0, 100), row("a", 10, 100, 100)}, 10, 10, 10},
		{"the first one fails", []eval.Row{row("a", 10, 0, 100), row("a", 20, 100, 100)}, 0, 0, 0},
		{"not available on the way", []eval.Row{row("a", 10, 100, 100), missing("a", 20), row("a", 30, 100, 100)}, 30, 30, 30},
		{"not available", []eval.Row{row("a", 10, 100, 100), missing("a", 20)}, 10, 10, 10},
	} {
		s := eval.Summarize(tc.rows)[0]
		if s.Effective != tc.effective || s.EffectiveLow != tc.low || s.EffectiveHigh != tc.high {
			t.Errorf("%s: %d [%d, %d], want %d [%d, %d]", tc.name, s.Effective, s.EffectiveLow, s.EffectiveHigh, tc.effective, tc.low, tc.high)
		}
	}
}

// More models than fit beside each other continue below, each of them once.
func TestTableFoldsManyModels(t *testing.T) {
	var rows []eval.Row
	for i := range 35 {
		rows = append(rows, row(fmt.Sprintf("model%02d", i), 10, 50, 100))
	}
	var b strings.Builder
	if err := eval.Table(&b, rows, eval.ByLengths); err != nil {
		t.Fatal(err)
	}
	exact, _, _ := strings.Cut(b.String(), "tokens right")
	if n := strings.Count(exact, "  length  "); n != 5 {
		t.Errorf("%d tables, want 5:\n%s", n, exact)
	}
	for i := range 35 {
		if n := strings.Count(exact, fmt.Sprintf("model%02d", i)); n != 1 {
			t.Errorf("model %d stands in %d headings", i, n)
		}
	}
}

type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errors.New("closed")
	}
	return len(p), nil
}
