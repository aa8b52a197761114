package summary

import (
	"math"
	"testing"

	"github.com/nopezoo/zoo/eval"
)

// of makes a row whose samples are different prompts among all there are.
func of(seed uint64, correct, n, prompts int) eval.Row {
	r := row("a", 30, correct, n)
	r.Seed, r.Distinct, r.Prompts = seed, n, prompts
	return r
}

// older makes a row of schema 1, in which prompts may repeat.
func older(seed uint64, correct, n, distinct int) eval.Row {
	r := of(seed, correct, n, 0)
	r.Schema, r.Distinct = 1, distinct
	return r
}

func TestPool(t *testing.T) {
	for _, tc := range []struct {
		name     string
		rows     []eval.Row
		n        int
		accuracy float64
	}{
		{"one row", []eval.Row{of(1, 95, 100, 0)}, 100, 0.95},
		{"a shorter measurement after a longer", []eval.Row{of(1, 950, 1000, 0), of(1, 5, 10, 0)}, 1000, 0.95},
		{"and before it", []eval.Row{of(1, 5, 10, 0), of(1, 950, 1000, 0)}, 1000, 0.95},
		{"of equals the last", []eval.Row{of(1, 20, 100, 0), of(1, 40, 100, 0)}, 100, 0.4},
		{"seeds add up", []eval.Row{of(1, 20, 100, 0), of(2, 40, 100, 0), of(3, 60, 200, 0)}, 400, 0.3},
		{"no seed adds to all prompts", []eval.Row{of(1, 50, 100, 100), of(2, 50, 100, 100), of(3, 50, 100, 100)}, 100,
			0.5},
		{"nor does one with fewer", []eval.Row{of(2, 10, 10, 100), of(1, 50, 100, 100), of(3, 10, 10, 100)}, 100, 0.5},
		{"half and half of all have a quarter in common", []eval.Row{of(1, 50, 500, 1000), of(2, 150, 500, 1000)}, 750,
			0.2},
		{"a few of many have nothing in common", []eval.Row{of(1, 50, 100, 1e8), of(2, 50, 100, 1e8)}, 200, 0.5},
		{"older rows count different prompts", []eval.Row{older(1, 50, 100, 7)}, 7, 0.5},
		{"and seeds add none to a handful", []eval.Row{older(1, 50, 100, 7), older(2, 70, 100, 7)}, 7, 0.7},
		{"older rows without repetition add up", []eval.Row{older(1, 50, 100, 100), older(2, 70, 100, 100)}, 200, 0.6},
		{"what is not available is passed over", []eval.Row{missing("a", 30), of(1, 50, 100, 0), missing("a", 30)}, 100,
			0.5},
	} {
		c := pool(tc.rows)
		low, high := eval.Wilson(tc.accuracy, float64(tc.n))
		if tc.n == 7 {
			low, high = c.low, c.high // no whole number of seven
		}
		if c.n != tc.n || math.Abs(c.accuracy-tc.accuracy) > 1e-12 || math.Abs(c.low-low) > 1e-12 ||
			math.Abs(c.high-high) > 1e-12 {
			t.Errorf("%s: %d prompts, %v (%v to %v); want %d, %v (%v to %v)", tc.name, c.n, c.accuracy, c.low, c.high,
				tc.n, tc.accuracy, low, high)
		}
	}
	if c := pool([]eval.Row{older(1, 700, 1000, 7)}); c.low > 0.36 || c.high < 0.91 { // 5 of 7: 0.359 to 0.918
		t.Errorf("70 %% of seven prompts lies in %v to %v", c.low, c.high)
	}
	if c := pool([]eval.Row{missing("a", 30)}); c.n != 0 {
		t.Errorf("nothing available gives %+v", c)
	}
	bad := of(2, 1, 100, 0)
	bad.Loss = nil
	if c := pool([]eval.Row{of(1, 1, 100, 0), bad}); !math.IsNaN(c.loss) {
		t.Errorf("loss %v of rows of which one has none", c.loss)
	}
}

// row has correct of n samples, each of ten tokens, of which one more is right in
// a right one.
func row(model string, length, correct, n int) eval.Row {
	return eval.Row{Schema: eval.RowSchema, Environment: eval.Environment{Model: model}, Encoding: model, Task: "copy",
		Length: length,
		Score:  eval.Score{N: n, Correct: correct, Tokens: 10 * n, TokensCorrect: 9*n + correct, Loss: new(0.25)},
		Speed:  eval.Speed{}}
}

func missing(model string, length int) eval.Row {
	r := row(model, length, 0, 1)
	r.NA, r.Reason, r.Score, r.Speed = true, "too long", eval.Score{}, eval.Speed{}
	return r
}
