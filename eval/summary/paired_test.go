package summary

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
)

// withEnds gives a row windows of 10 bytes, or of as many as given, with so many bits.
func withEnds(t *testing.T, r eval.Row, texts string, bits []float64, bytes ...int) eval.Row {
	t.Helper()
	own := *r.Text
	r.Text = &own
	data, err := json.Marshal(map[string]any{"texts": texts, "bits": bits, "bytes": bytes})
	if err == nil {
		err = json.Unmarshal(data, &r.Text.Ends)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.Text.SlidingN = 10 * len(bits); bytes != nil {
		r.Text.SlidingN = 0
		for _, n := range bytes {
			r.Text.SlidingN += n
		}
	}
	return r
}

// By hand: of windows of 10 bytes with differences of 1, 2 and 3 bits it is 0.2 bits per byte, ± 0.1/√3; by two runs
// their mean counts; with 5, 10 and 15 bytes the same differences are 0.2 for each byte, and nothing deviates from that.
func TestPaired(t *testing.T) {
	row := func(encoding string, seed uint64, texts string, bits []float64, bytes ...int) eval.Row {
		return withEnds(t, text(encoding, seed, 16, 2), texts, bits, bytes...)
	}
	base := newEnds([]eval.Row{row("rope", 1, "a", []float64{20, 30, 40})})
	for name, tc := range map[string]struct {
		rows     []eval.Row
		more, se float64
	}{
		"one run":     {[]eval.Row{row("nope", 1, "a", []float64{21, 32, 43})}, 0.2, 0.1 / math.Sqrt(3)},
		"two runs":    {[]eval.Row{row("nope", 1, "a", []float64{20, 30, 40}), row("nope", 2, "a", []float64{22, 34, 46})}, 0.2, 0.1 / math.Sqrt(3)},
		"other texts": {[]eval.Row{row("nope", 1, "b", []float64{21, 32, 43})}, math.NaN(), math.NaN()},
		"runs of other texts": {[]eval.Row{row("nope", 1, "a", []float64{21, 32, 43}), row("nope", 2, "b", []float64{21, 32, 43})},
			math.NaN(), math.NaN()},
		"an older run": {[]eval.Row{row("nope", 1, "a", []float64{21, 32, 43}), text("nope", 2, 16, 2)}, math.NaN(), math.NaN()},
	} {
		more, se := newEnds(tc.rows).over(base)
		for what, pair := range map[string][2]float64{"difference": {float64(more), tc.more}, "error": {float64(se), tc.se}} {
			if got, want := pair[0], pair[1]; math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %s %v, want %v", name, what, got, want)
			}
		}
	}
	long := newEnds([]eval.Row{row("nope", 1, "c", []float64{11, 22, 33}, 5, 10, 15)})
	if more, se := long.over(newEnds([]eval.Row{row("rope", 1, "c", []float64{10, 20, 30}, 5, 10, 15)})); math.Abs(float64(more)-0.2) > 1e-12 || se > 1e-12 {
		t.Errorf("windows of different bytes: %v ± %v", more, se)
	}
}

// A corpus has tables of paired differences, between encodings and between lengths, and a sentence on the former; of
// rows without ends it has none.
func TestPairedTables(t *testing.T) {
	level := func(mean, sway float64) []float64 { return []float64{mean - sway, mean, mean + sway, mean} }
	var rows []eval.Row
	for _, length := range []int{16, 32} {
		for name, bits := range map[string][]float64{"rope": level(20, 8), "fox": level(19, 8), "alibi": {14, 22, 26, 20}, "nope": level(23, 8)} {
			far := 0.0
			if length == 32 && name == "nope" {
				far = 4
			}
			for i := range bits {
				bits[i] += far
			}
			mean := 2.0
			if name != "rope" {
				mean = 2.5
			}
			rows = append(rows, withEnds(t, text(name, 1, length, mean), "a", bits))
		}
	}
	s, err := New(rows, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, table := range s.Texts[0].Section.Tables {
		if strings.HasPrefix(table.Title, "difference from") {
			fmt.Fprintln(&out, table.Title)
			for _, line := range table.texts("") {
				fmt.Fprintln(&out, strings.Join(line, " | "))
			}
		}
	}
	const how = " in bits per byte of the last 16 tokens, mean over runs ± standard error over the same windows\n"
	if got := out.String(); strings.Count(got, how) != 2 || !strings.Contains(got, "32 | +0.000 ± 0.000 | ") || !strings.Contains(got, "+0.400 ± 0.000") {
		t.Errorf("tables:\n%s", got)
	}
	const want = " Of bits per byte of the last 16 tokens of the same windows, against rope by two standard errors: fox has fewer; " +
		"alibi is not told apart; nope has more."
	if got := s.Texts[0].Section.Summary; !strings.HasSuffix(got, want) {
		t.Errorf("sentence %q, want the end %q", got, want)
	}
}
