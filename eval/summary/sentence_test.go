package summary

import (
	"fmt"
	"math"
	"slices"
	"strings"
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

// The sentence of a task: who goes furthest, to what length, who is not told apart, who did not fit.
func TestSummary(t *testing.T) {
	perfect := []int{100, 100, 100}
	unfit := func(rows []eval.Row) []eval.Row { return run(rows, 1, 0) }
	for _, tc := range []struct {
		name, want string
		of         [][]eval.Row
	}{
		{"one", "a goes to 20 at ≥ 90 % exact match", [][]eval.Row{measured("a", 100, []int{100, 95, 50})}},
		{"one, to the end", "a goes to 30 (the longest measured) at ≥ 90 % exact match", [][]eval.Row{measured("a", 100, perfect)}},
		{"none of one", "none has 90 % exact match at the shortest length", [][]eval.Row{measured("a", 100, []int{50, 10, 1})}},
		{"one to the end, one not", "a goes furthest, to 30 (the longest measured) at ≥ 90 % exact match",
			[][]eval.Row{measured("b", 100, []int{100, 50, 10}), measured("a", 100, perfect)}},
		{"two alike, and one that is told apart at one length alone",
			"a, b and c go furthest, to 20 at ≥ 90 % exact match",
			[][]eval.Row{measured("c", 100, []int{100, 95, 9}), measured("a", 100, []int{100, 99, 50}), measured("b", 100, []int{100, 100, 46})}},
		{"of those that go as far the best beyond comes first", "b and a go furthest, to 20 at ≥ 90 % exact match",
			[][]eval.Row{measured("a", 100, []int{100, 100, 10}), measured("b", 100, []int{100, 100, 60})}},
		{"not told apart, though not as far", "a goes furthest, to 30 (the longest measured) at ≥ 90 % exact match; not told apart from a, though not as far: b",
			[][]eval.Row{measured("a", 20, []int{20, 20, 19}), measured("b", 20, []int{20, 20, 17})}},
		{"many", "a, b, c and 2 others go furthest, to 10 (the longest measured) at ≥ 90 % exact match",
			[][]eval.Row{measured("a", 100, []int{100}), measured("b", 100, []int{100}), measured("c", 100, []int{100}),
				measured("d", 100, []int{100}), measured("e", 100, []int{100})}},
		{"a length that cannot be taken tells nobody apart", "a goes furthest, to 20 at ≥ 90 % exact match; not told apart from a, though not as far: b",
			[][]eval.Row{measured("a", 100, []int{100, 100, 50}), measured("b", 100, []int{100, -1, -1})}},
		{"guessing", "none has 90 % exact match at the shortest length; all are at chance beyond the trained lengths",
			[][]eval.Row{guessed(measured("a", 100, []int{52, 50, 52})), guessed(measured("b", 100, []int{46, 51, 49}))}},
		{"nothing", "nothing could be measured", [][]eval.Row{measured("a", 100, []int{-1})}},
		{"nothing, beyond training too", "nothing could be measured", [][]eval.Row{measured("a", 100, []int{-1, -1, -1})}},
		{"one that did not fit goes far", "far † goes furthest, to 30 (the longest measured) at ≥ 90 % exact match",
			[][]eval.Row{measured("a", 100, []int{100, 100, 50}), unfit(measured("far", 100, perfect))}},
		{"none fitted", "a † goes furthest, to 30 (the longest measured) at ≥ 90 % exact match",
			[][]eval.Row{unfit(measured("a", 100, perfect)), unfit(measured("b", 100, []int{100, 50, 10}))}},
	} {
		want := fmt.Sprintf("On copy, %s; trained on lengths 2 to 20, 1 run each", tc.want)
		if strings.Contains(tc.want, "†") {
			want += "; † no run fitted"
		}
		want += "."
		if got := studyOf(t, tc.of...).Tasks[0].Summary; got != want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, want)
		}
	}
}

// By tokens right other encodings go further.
func TestSummaryByTokens(t *testing.T) {
	s := studyOf(t,
		measured("nope", 100, []int{100, 100, 0, 0}, 100, 100, 30, 0),
		measured("rope", 100, []int{100, 100, 0, 0}, 100, 100, 95, 0))
	const want = "On copy, rope goes furthest, to 30 at ≥ 90 % tokens right; all are at chance beyond the trained lengths; trained on lengths 2 to 20, 1 run each."
	if got := s.Tokens.Tasks[0].Summary; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The sentence of a corpus names who is best where all were trained, and which of those that are as good there reads on furthest.
func TestTextSummary(t *testing.T) {
	const best = "On text-walls, rope has the fewest bits per byte in windows as long as trained ones: 2.000 at 16 tokens"
	const margin = ", with bits per byte of the last 16 tokens within 2 % of the fewest at shorter lengths."
	for name, tc := range map[string]struct {
		rows []eval.Row
		want string
	}{
		"one stays": {[]eval.Row{text("rope", 1, 8, 3), text("rope", 1, 16, 2), text("rope", 1, 32, 2.5), text("rope", 1, 64, 2),
			text("alibi", 1, 16, 2.01), text("alibi", 1, 32, 2.04), text("alibi", 1, 64, 2.01)}, best + "; alibi reads on furthest, to 64" + margin},
		"up to a length": {[]eval.Row{text("rope", 1, 16, 2), text("rope", 1, 32, 2), text("rope", 1, 64, 3)},
			best + "; rope reads on furthest, to 32" + margin},
		"the furthest of four, of which one fails alike everywhere": {[]eval.Row{text("nope", 1, 16, 3), text("nope", 1, 32, 3), text("rope", 1, 16, 2), text("rope", 1, 32, 2),
			text("rope", 1, 64, 2), text("fox", 1, 16, 2.01), text("fox", 1, 64, 2.02), text("flat", 1, 16, 5), text("flat", 1, 64, 5)}, best + "; fox and rope read on furthest, to 64" + margin},
		"none":            {[]eval.Row{text("rope", 1, 16, 2), text("rope", 1, 32, 3)}, best + "; none reads on in longer ones" + margin},
		"at the margin":   {[]eval.Row{text("rope", 1, 16, 2), text("rope", 1, 32, 2.04)}, best + "; rope reads on furthest, to 32" + margin},
		"no longer ones":  {[]eval.Row{text("rope", 1, 8, 1), text("rope", 1, 16, 2), text("nope", 1, 16, 4)}, best + "."},
		"longer ones all": {[]eval.Row{text("rope", 1, 32, 2)}, ""},
	} {
		s, err := New(tc.rows, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Texts[0].Section.Summary; got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tc.want)
		}
	}
}

// text is a row of one run on a corpus, trained in windows of 16.
func text(encoding string, seed uint64, length int, bits float64) eval.Row {
	r := eval.Row{Schema: eval.RowSchema, Measure: eval.MeasureText, Encoding: encoding, Architecture: "decoder", Task: "text-walls",
		TaskVersion: 1, Split: "test", TrainSeed: seed, TrainMin: 16, TrainMax: 16, Length: length, Batch: 8, Untimed: true}
	r.Model, r.Provider = encoding, "go"
	r.Text = &eval.TextScore{N: 20, Documents: 7, Bits: bits, Stride: 16, Sliding: bits}
	return r
}

// Each precision of files is a series of its own, and a column of its own with its size.
func TestPrecisions(t *testing.T) {
	small := measured("a", 100, []int{100, 90, 80})
	for i := range small {
		small[i].DType = "int8"
	}
	s := studyOf(t, small, measured("a", 100, []int{100, 50, 10}))
	if names := s.namesOf(s.Encodings); !slices.Equal(names, []string{"a", "a (int8)"}) {
		t.Errorf("series %v", names)
	}
	if got, want := s.Tasks[0].Accuracy.Head, []string{"length", "a (int8)", "a"}; !slices.Equal(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
}

func namesIn(s *Study) []string { return s.namesOf(s.Encodings) }

// What was changed after training makes a series of its own, which says so even where it
// stands alone; the one as it was trained comes first.
func TestInterventions(t *testing.T) {
	changed := measured("a", 100, []int{100, 100, 100})
	for i := range changed {
		changed[i].Intervention = "yarn:4"
	}
	if names := namesIn(studyOf(t, changed)); !slices.Equal(names, []string{"a (yarn:4)"}) {
		t.Errorf("alone: %v", names)
	}
	s := studyOf(t, changed, measured("a", 100, []int{100, 50, 10}))
	if names := s.namesOf(s.Encodings); !slices.Equal(names, []string{"a", "a (yarn:4)"}) {
		t.Errorf("beside the model as it was trained: %v", names)
	}
	old := slices.Clone(changed)
	for i := range old {
		old[i].Intervention = "yarn-paper:4"
	}
	if names := namesIn(studyOf(t, changed, old)); !slices.Equal(names, []string{"a (yarn-paper:4)", "a (yarn:4)"}) {
		t.Errorf("of two ramps: %v", names)
	}
	if of := s.Tasks[0].Series; of[0].Variant != 0 || of[1].Variant != 1 || of[1].Encoding != of[0].Encoding {
		t.Errorf("series %+v", of)
	}
}
