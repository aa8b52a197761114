package eval_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// Whether a bounded model takes a length depends on the longest of the samples, not
// on which is drawn first, and is known before the model is asked.
func TestUnavailable(t *testing.T) {
	k, err := task.Lookup("polynomial")
	if err != nil {
		t.Fatal(err)
	}
	cfg := config(t, 3)
	cfg.Task, cfg.N = k, 200
	bounded := func(positions int) card.Card {
		c := copyCard(t)
		c.Tokenizer, c.MaxLength = tasktest.Vocabulary(k), positions
		return c
	}
	needed := func(row eval.Row) (n int) {
		t.Helper()
		if !row.NA {
			t.Fatalf("row %+v, want one that is not available", row)
		}
		if _, err := fmt.Sscanf(strings.TrimPrefix(row.Reason, eval.ErrTooLong.Error()), ": %d positions needed",
			&n); err != nil {
			t.Fatalf("reason %q: %v", row.Reason, err)
		}
		return n
	}
	row, err := eval.Measure(t.Context(), nil, bounded(1), cfg.Config, task.At(3))
	if err != nil {
		t.Fatal(err)
	}
	longest := needed(row)
	for positions := longest - 1; positions > longest-5; positions-- { // polynomials differ by more than that
		row, err := eval.Measure(t.Context(), nil, bounded(positions), cfg.Config, task.At(3))
		if err != nil {
			t.Fatal(err)
		}
		if n := needed(row); n != longest {
			t.Errorf("%d positions: %d needed, want the longest's %d", positions, n, longest)
		}
	}
	for _, positions := range []int{longest, 0} {
		if row, err := eval.Measure(t.Context(), nil, bounded(positions), cfg.Config, task.At(3)); row.NA || err != nil {
			t.Errorf("%d positions: %+v, %v", positions, row, err)
		}
	}
	if row, err := eval.Measure(t.Context(), nil, bounded(0), cfg.Config, task.At(task.MaxLength+1)); err != nil || !row.NA ||
		!strings.Contains(row.Reason, task.ErrNoLength.Error()) {
		t.Errorf("a length that no task has: %+v, %v", row, err)
	}
}

// A sample whose size explodes is not made to find out that it is too long.
func TestGrowSample(t *testing.T) {
	k, err := task.Lookup("addition+full") // which grows with the square of the length
	if err != nil {
		t.Fatal(err)
	}
	c := copyCard(t)
	c.Tokenizer, c.MaxLength = tasktest.Vocabulary(k), 512
	cfg := config(t, 4)
	cfg.Task = k
	row, err := eval.Measure(t.Context(), nil, c, cfg.Config, task.At(task.MaxLength))
	if err != nil || !row.NA || !strings.Contains(row.Reason, "positions needed, at most 512 declared") {
		t.Errorf("%+v, %v", row, err)
	}
	if err := eval.CheckLengths(k, c, task.Spans(task.MaxLength)); err != nil {
		t.Error(err)
	}
	_, _, at, err := eval.SampleTokens(copyTask(t), copyCard(t), 5000, func(int, int) bool { return false })
	if err != nil || at != 5000 {
		t.Errorf("a sample of length %d, %v", at, err)
	}
}

// A row of the most repeats can be read again.
func TestMostRepeats(t *testing.T) {
	r := row("nope", 4, 1, 2)
	for range eval.MaxRepeats {
		r.RepeatRates, r.RepeatPrefillMS, r.RepeatDecodeMS = append(r.RepeatRates, math.Pi*1e5),
			append(r.RepeatPrefillMS, math.Pi), append(r.RepeatDecodeMS, math.Pi)
	}
	var b strings.Builder
	if err := eval.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	if rows, err := eval.ReadJSONL(strings.NewReader(b.String())); err != nil || len(rows) != 1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
