package eval_test

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
)

func row(model string, length, correct, n int) eval.Row {
	return eval.Row{
		Schema: eval.RowSchema, Environment: eval.Environment{Model: model, Provider: "cpu"},
		Encoding: model, Profile: "portable", Task: "copy", TaskVersion: 1, Split: "test", Length: length,
		TrainMin: 2, TrainMax: 20, Seed: 1, Batch: 8,
		Score: eval.Score{N: n, Correct: correct, Accuracy: float64(correct) / float64(n), Tokens: 10 * n,
			TokensCorrect: 9*n + correct,
			EditDistance:  float64(n-correct) / float64(n) / 2, Loss: new(0.25)},
		Speed: eval.Speed{TimedBatches: 3, TimedBatch: 8, PrefillMS: 12.345, PrefillP95MS: 13, PrefillP99MS: 14.04,
			FirstTokenMS: 12.345, Repeats: 1,
			DecodeSteps: 10, DecodeP50MS: 1.25, DecodeP95MS: 2.5, DecodeP99MS: 2.75,
			TokensPerSecond: 12345.6, TokensPerSecondSD: 99, SDOf: eval.SDOfBatches, RepeatRates: []float64{12345.6},
			RepeatPrefillMS: []float64{12.345}, RepeatDecodeMS: []float64{1.25},
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
	r.NA, r.Reason, r.Score, r.Speed = true, "too long", eval.Score{}, eval.Speed{}
	return r
}

// Models in several precisions have the sizes of their files below the accuracies.
func TestFileSizes(t *testing.T) {
	small, large := row("rope", 10, 99, 100), row("rope", 10, 100, 100)
	small.DType, small.ModelBytes, large.ModelBytes = "int8", 400<<10, 1<<20
	var b strings.Builder
	if err := printed(&b, []eval.Row{small, large}, "table"); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`file, MiB +1\.00 +0\.39`).MatchString(b.String()) {
		t.Error(b.String())
	}
	b.Reset()
	if err := printed(&b, []eval.Row{large}, "table"); err != nil || strings.Contains(b.String(), "file, MiB") {
		t.Errorf("of one precision: %v\n%s", err, &b)
	}
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

// printed writes rows as tables, below the line that says where they were measured.
func printed(w io.Writer, rows []eval.Row, format string) error {
	return (&report.Printer{Out: w, Format: format}).Rest(rows)
}

func belowWhere(text string) string {
	_, tables, _ := strings.Cut(text, "\n\n")
	return tables
}

func TestTable(t *testing.T) {
	var b strings.Builder
	if err := printed(&b, all(), "table"); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.txt", belowWhere(b.String()))
	if err := printed(&failing{}, results(), "table"); err == nil {
		t.Error("a failing writer is not reported")
	}
	if err := printed(&b, nil, "table"); err != nil {
		t.Errorf("no rows: %v", err)
	}
}

// made works out a study of rows.
func made(t *testing.T, rows []eval.Row) *summary.Study {
	t.Helper()
	s, err := summary.New(rows, summary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSeries(t *testing.T) {
	// Length 1 lies below the trained lengths: it is neither inside nor beyond.
	want := []string{
		"test: learned trained 2 to 20: 0.9500 (0 n/a), NaN (1 n/a), 10 [0, 10]",
		"test: nope trained 2 to 20: 0.9900 (0 n/a), 0.9995 (0 n/a), 30 [30, 30]", // the last of both profiles' measurements
		"test: rope trained 2 to 20: 0.7500 (0 n/a), 0.0000 (1 n/a), 0 [0, 0]",
		"validation: nope trained 2 to 20: 0.7500 (0 n/a), NaN (0 n/a), 0 [0, 5]",
	}
	var got []string
	for _, task := range made(t, results()).Tasks {
		for _, s := range task.Series {
			got = append(got, fmt.Sprintf("%s: %s trained %d to %d: %.4f (%d n/a), %.4f (%d n/a), %d [%d, %d]",
				task.Split, s.Name, s.Trained[0], s.Trained[1],
				float64(s.Inside.Median), s.InsideNA, float64(s.Beyond.Median), s.BeyondNA,
				s.Effective.Length.Max, s.Effective.Low.Max, s.Effective.High.Max))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
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
		{"clear", []eval.Row{row("a", 10, 100, 100), row("a", 20, 95, 100), row("a", 30, 85, 100),
			row("a", 40, 84, 100)}, 20, 10, 30},
		{"too few samples", []eval.Row{row("a", 10, 20, 20)}, 10, 0, 10},
		{"samples are pooled", []eval.Row{row("a", 10, 20, 20), seeded(row("a", 10, 20, 20), 2, 8)}, 10, 10, 10},
		{"the same samples in batches of another size count once",
			[]eval.Row{row("a", 10, 20, 20), seeded(row("a", 10, 20, 20), 1, 32)}, 10, 0, 10},
		{"more samples of one seed replace fewer", []eval.Row{row("a", 10, 0, 20), row("a", 10, 100, 100),
			row("a", 10, 0, 20)}, 10, 10, 10},
		{"handled again after one that fails", []eval.Row{row("a", 30, 100, 100), row("a", 20, 0, 100),
			row("a", 10, 100, 100)}, 10, 10, 10},
		{"the first one fails", []eval.Row{row("a", 10, 0, 100), row("a", 20, 100, 100)}, 0, 0, 0},
		{"not available on the way", []eval.Row{row("a", 10, 100, 100), missing("a", 20), row("a", 30, 100, 100)}, 30,
			30, 30},
		{"not available", []eval.Row{row("a", 10, 100, 100), missing("a", 20)}, 10, 10, 10},
	} {
		if got, want := made(t, tc.rows).Tasks[0].Series[0].Effective,
			[3]int{tc.effective, tc.low, tc.high}; [3]int{got.Length.Max, got.Low.Max, got.High.Max} != want {
			t.Errorf("%s: %+v, want %v", tc.name, got, want)
		}
	}
}

// Tables are as wide as they are told to be: models that do not fit beside each other
// continue below, each of them once.
func TestTextFits(t *testing.T) {
	var rows []eval.Row
	encodings := []string{"nope", "rope", "alibi", "alibi-learned", "sinusoidal", "learned", "t5", "cwrnn"}
	for _, encoding := range encodings {
		for _, length := range []int{10, 100} {
			r := row("copy-"+encoding+"-tiny-s1", length, 50, 100)
			r.Encoding = encoding
			rows = append(rows, r)
		}
	}
	for width, tables := range map[int]int{40: 8, 80: 3, 200: 1} {
		var b strings.Builder
		if err := summary.Write(&b, "table", width, made(t, rows).Sections(false)[0]); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: %d characters: %s", width, n, line)
			}
		}
		exact, _, _ := strings.Cut(b.String(), "time to the first token")
		if n := strings.Count(exact, "  length  "); n != tables {
			t.Errorf("width %d: %d tables, want %d:\n%s", width, n, tables, exact)
		}
		words := strings.Fields(exact)
		for _, encoding := range encodings {
			if n := len(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w != encoding })); n != 1 {
				t.Errorf("width %d: %s stands in %d headings", width, encoding, n)
			}
		}
	}
}

// Below the table stands why a cell is n/a: once for lengths that differ in numbers alone.
func TestTableSaysWhyNot(t *testing.T) {
	rows := []eval.Row{row("nope", 10, 50, 100), row("nope", 20, 50, 100), row("nope", 30, 50, 100)}
	for _, length := range []int{30, 20} {
		r := missing("learned", length)
		r.Reason = fmt.Sprintf("%d positions needed, at most 15 declared", length)
		rows = append(rows, r)
	}
	other := missing("learned", 10)
	other.Reason = "no prompt of this split"
	var b strings.Builder
	if err := printed(&b, append(rows, other), "table"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nn/a: learned at length 10: no prompt of this split\n",
		"\nn/a: learned at length 20 (and 1 more): 20 positions needed, at most 15 declared\n"} {
		if n := strings.Count(b.String(), want); n != 1 {
			t.Errorf("%q stands %d times in:\n%s", want, n, &b)
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
