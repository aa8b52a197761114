package summary

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/eval"
)

// measured makes rows of an encoding with correct of n at the lengths 10, 20, …, trained
// on 2 to 20, and the same share of tokens right unless tokens has their percent. −1 is a
// length that the model cannot take.
func measured(encoding string, n int, correct []int, tokens ...float64) []eval.Row {
	var rows []eval.Row
	for i, right := range correct {
		r := row(encoding, 10*(i+1), max(right, 0), n)
		r.Split, r.TrainMin, r.TrainMax, r.Tokens, r.TokensCorrect = "test", 2, 20, 100, 100*right/n
		switch {
		case right < 0:
			r.NA, r.Score = true, eval.Score{}
		case i < len(tokens) && math.IsNaN(tokens[i]):
			r.Tokens, r.TokensCorrect = 0, 0
		case i < len(tokens):
			r.TokensCorrect = int(tokens[i])
		}
		rows = append(rows, r)
	}
	return rows
}

func guessed(rows []eval.Row) []eval.Row {
	for i := range rows {
		rows[i].Chance = 0.5
	}
	return rows
}

// studyOf puts rows of encodings together, in their order.
func studyOf(t *testing.T, of ...[]eval.Row) *Study {
	t.Helper()
	var opt Options
	for _, rows := range of {
		opt.Encodings = append(opt.Encodings, rows[0].Encoding)
	}
	s, err := New(slices.Concat(of...), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFinding(t *testing.T) {
	perfect, half := []int{100, 100, 100}, []int{100, 50, 10}
	for _, tc := range []struct {
		name, want string
		of         [][]eval.Row
	}{
		{"one", "a goes on to 20 at ≥ 90 % exact match", [][]eval.Row{measured("a", 100, []int{100, 95, 50})}},
		{"one, to the end", "a goes on to 30 (the longest measured) at ≥ 90 % exact match",
			[][]eval.Row{measured("a", 100, perfect)}},
		{"one that falls to nothing", "a goes on to 10 at ≥ 90 % exact match; from 20 on a is at 0 %",
			[][]eval.Row{measured("a", 100, []int{95, 0, 0})}},
		{"one that learned nothing", "a stays nowhere at ≥ 90 % exact match",
			[][]eval.Row{measured("a", 100, []int{50, 10, 1})}},
		{"one to the end, one not", "a goes on to 30 (the longest measured) at ≥ 90 % exact match, b to 10",
			[][]eval.Row{measured("b", 100, half), measured("a", 100, perfect)}},
		{"the zero at the end, told apart by tokens", "nope goes on to 40 at ≥ 90 % exact match, alibi to 20; from " +
			"50 on all are at 0 %: tokens right tell alibi (31 %) apart",
			[][]eval.Row{measured("nope", 100, []int{100, 100, 100, 95, 0, 0}, 100, 100, 100, 99, 3),
				measured("alibi", 100, []int{100, 100, 60, 3, 0, 0}, 100, 100, 90, 40, 31)}},
		{"told apart beyond", "all go on to 20 at ≥ 90 % exact match; at 40 exact match tells a (50 %) and b (46 " +
			"%) apart; at 50 all are at 0 %",
			[][]eval.Row{measured("c", 100, []int{100, 95, 60, 9, 0}, 1, 1, 1, 1, math.NaN()),
				measured("a", 100, []int{100, 99, 60, 50, 0}, 1, 1, 1, 1, math.NaN()),
				measured("b", 100, []int{100, 100, 61, 46, 0}, 1, 1, 1, 1, math.NaN())}},
		{"zero at one length", "a goes on to 20 at ≥ 90 % exact match, b to 10; at 30 all are at 0 %: " +
			"tokens right tell b (60 %) apart",
			[][]eval.Row{measured("a", 100, []int{100, 95, 0}, 100, 99, 20),
				measured("b", 100, []int{100, 20, 0}, 100, 60, 60)}},
		{"zero everywhere", "all are at 0 % at every length: tokens right tell a (53 %) and b (45 %) apart",
			[][]eval.Row{measured("a", 100, []int{0, 0}, 53), measured("b", 100, []int{0, 0}, 45),
				measured("c", 100, []int{0, 0}, 3)}},
		{"zero everywhere, tokens alike", "all are at 0 % at every length: tokens right " +
			"do not tell them apart at n = 20",
			[][]eval.Row{measured("a", 20, []int{0, 0}, 13), measured("b", 20, []int{0, 0}, 9)}},
		{"not told apart", "all go on to 30 (the longest measured) at ≥ 90 % exact match: not told " +
			"apart by exact match at n = 20",
			[][]eval.Row{measured("a", 20, []int{20, 20, 20}), measured("b", 20, []int{20, 20, 19})}},
		{"not told apart where it matters", "a goes on to 30 (the longest measured) at ≥ 90 % exact match, b to 20: " +
			"not told apart by exact match at n = 20",
			[][]eval.Row{measured("a", 20, []int{20, 20, 19}), measured("b", 20, []int{20, 20, 17})}},
		{"the best two are not told apart", "a goes on to 30 (the longest measured) at ≥ 90 % exact match, b to 20, " +
			"c nowhere; a and b are not told apart at n = 20",
			[][]eval.Row{measured("a", 20, []int{20, 20, 19}), measured("b", 20, []int{20, 20, 17}),
				measured("c", 20, []int{2, 2, 2})}},
		{"nobody, and not told apart", "none stays at ≥ 90 % exact match: not told apart by exact match at n = 20",
			[][]eval.Row{measured("a", 20, []int{10}), measured("b", 20, []int{11})}},
		{"many", "a goes on to 50 (the longest measured) at ≥ 90 % exact match, b to 40, c " +
			"to 30, the other 3 to 20 or less",
			[][]eval.Row{measured("f", 100, []int{0, 0, 0, 0, 0}), measured("e", 100, []int{100, 0, 0, 0, 0}),
				measured("d", 100, []int{100, 100, 0, 0, 0}),
				measured("c", 100, []int{100, 100, 100, 0, 0}), measured("b", 100, []int{100, 100, 100, 100, 0}),
				measured("a", 100, []int{100, 100, 100, 100, 100})}},
		{"many nowhere", "a goes on to 10 (the longest measured) at ≥ 90 % exact match, the other 4 nowhere",
			[][]eval.Row{measured("a", 100, []int{100}), measured("b", 100, []int{0}), measured("c", 100, []int{0}),
				measured("d", 100, []int{0}), measured("e", 100, []int{0})}},
		{"what cannot be taken does not count", "a goes on to 30 (the longest measured) at ≥ 90 % exact match, b to 10",
			[][]eval.Row{measured("a", 100, perfect), measured("b", 100, []int{100, 20, -1})}},
		{"guessing", "none stays at ≥ 90 % exact match: not told apart by exact match at n = 100; at chance (50 %) " +
			"beyond the trained lengths, hence not ranked",
			[][]eval.Row{guessed(measured("a", 100, []int{52, 50, 52})),
				guessed(measured("b", 100, []int{46, 51, 49}))}},
		{"nothing", "nothing could be measured", [][]eval.Row{measured("a", 100, []int{-1})}},
	} {
		want := fmt.Sprintf("On copy, %s; trained on lengths 2 to 20, 1 run each: other seeds may differ.", tc.want)
		if got := studyOf(t, tc.of...).Tasks[0].Answer; got != want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, want)
		}
	}
}

// TestFindingByTokens takes tokens right for exact match, and leaves it at that.
func TestFindingByTokens(t *testing.T) {
	s := studyOf(t,
		measured("nope", 100, []int{100, 100, 0, 0}, 100, 100, 30, 0),
		measured("rope", 100, []int{100, 100, 0, 0}, 100, 100, 80, 0))
	const want = "On copy, all go on to 20 at ≥ 90 % tokens right; at 30 tokens right tell rope (80 %) apart; " +
		"at 40 all are at 0 %; trained on lengths 2 to 20, 1 run each: other seeds may differ."
	if got := s.Tokens.Tasks[0].Answer; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Each precision of files is a series of its own, and a column of its own with its size.
func TestPrecisions(t *testing.T) {
	small := measured("a", 100, []int{100, 90, 80})
	for i := range small {
		small[i].DType = "int8"
	}
	s := studyOf(t, small, measured("a", 100, []int{100, 50, 10}))
	if names := s.Names(); !slices.Equal(names, []string{"a", "a (int8)"}) {
		t.Errorf("series %v", names)
	}
	for i := range small {
		small[i].ModelSHA256 = "0123456789" // which need not be said as well
	}
	s = studyOf(t, small, measured("a", 100, []int{100, 50, 10}))
	var columns []string
	for _, c := range s.Tasks[0].Columns {
		columns = append(columns, c.Name)
	}
	slices.Sort(columns)
	if !slices.Equal(columns, []string{"a (float32)", "a (int8)"}) {
		t.Errorf("columns %q", columns)
	}
}

// What was changed after training makes a series of its own, which says so even where it
// stands alone; the one as it was trained comes first.
func TestInterventions(t *testing.T) {
	changed := measured("a", 100, []int{100, 100, 100})
	for i := range changed {
		changed[i].Intervention = "yarn:4"
	}
	if names := studyOf(t, changed).Names(); !slices.Equal(names, []string{"a (yarn:4)"}) {
		t.Errorf("alone: %v", names)
	}
	s := studyOf(t, changed, measured("a", 100, []int{100, 50, 10}))
	if names := s.Names(); !slices.Equal(names, []string{"a", "a (yarn:4)"}) {
		t.Errorf("beside the model as it was trained: %v", names)
	}
	old := slices.Clone(changed)
	for i := range old {
		old[i].Intervention = "yarn-paper:4"
	}
	if names := studyOf(t, changed, old).Names(); !slices.Equal(names, []string{"a (yarn-paper:4)", "a (yarn:4)"}) {
		t.Errorf("of two ramps: %v", names)
	}
	if of := s.Tasks[0].Series; of[0].Variant != 0 || of[1].Variant != 1 || of[1].Encoding != of[0].Encoding {
		t.Errorf("series %+v", of)
	}
}
