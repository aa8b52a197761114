package summary_test

import (
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// The answer of a corpus names who is best where all were trained, and up to which length others keep to their own.
func TestTextAnswer(t *testing.T) {
	const best = "On text-walls, in windows of 16 tokens, as long as in training, rope has the fewest bits per byte: 2.000."
	for name, tc := range map[string]struct {
		rows []eval.Row
		want string
	}{
		"one stays": {[]eval.Row{text("rope", 1, 8, 3), text("rope", 1, 16, 2), text("rope", 1, 32, 2.5), text("rope", 1, 64, 2),
			text("alibi", 1, 16, 2.1), text("alibi", 1, 32, 2.14), text("alibi", 1, 64, 2.1)},
			best + " In longer ones these stay within 2 % of what they have there: alibi to 64 (2.100); 1 of 2 do not."},
		"up to a length": {[]eval.Row{text("rope", 1, 16, 2), text("rope", 1, 32, 2), text("rope", 1, 64, 3)},
			best + " In longer ones these stay within 2 % of what they have there: rope to 32 (2.000)."},
		"the furthest first": {[]eval.Row{text("nope", 1, 16, 3), text("nope", 1, 32, 3), text("rope", 1, 16, 2), text("rope", 1, 32, 2), text("rope", 1, 64, 2),
			text("fox", 1, 16, 4), text("fox", 1, 64, 4)},
			best + " In longer ones these stay within 2 % of what they have there: rope to 64 (2.000), fox to 64 (4.000), nope to 32 (3.000)."},
		"none":            {[]eval.Row{text("rope", 1, 16, 2), text("rope", 1, 32, 3)}, best + " In longer ones none stays within 2 % of what it has there."},
		"no longer ones":  {[]eval.Row{text("rope", 1, 8, 1), text("rope", 1, 16, 2), text("nope", 1, 16, 4)}, best},
		"longer ones all": {[]eval.Row{text("rope", 1, 32, 2)}, ""},
	} {
		s, err := summary.New(tc.rows, summary.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Texts[0].Answer; got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
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
