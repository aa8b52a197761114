package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
)

// The tables of a task come when it is complete, and once; where rows were measured
// stands above, and again where that changes.
func TestPrinter(t *testing.T) {
	first, second := synthetic([]string{"copy"}, 1), synthetic([]string{"reverse"}, 1)
	for i := range second {
		second[i].Threads = 2
	}
	const where = "test machine, 2 cores, ONNX Runtime 1.29.0, provider cpu, "
	var out strings.Builder
	p := report.Printer{Out: &out, Format: "table", Width: 200}
	if err := p.Task(first); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if !strings.HasPrefix(text, where+"a thread per core, zoo 0.1.0\n\ntask copy") ||
		strings.Contains(text, "encodings, ranked") {
		t.Errorf("after a task:\n%s", text)
	}
	out.Reset()
	if err := p.Rest(append(first, second...)); err != nil {
		t.Fatal(err)
	}
	text = out.String()
	if !strings.HasPrefix(text, "\n"+where+"a thread per core, zoo 0.1.0; "+where+"2 threads, zoo 0.1.0\n\ntask reverse") ||
		strings.Contains(text, "task copy") || strings.Count(text, where) != 2 ||
		!strings.Contains(text, "encodings, ranked") {
		t.Errorf("at the end:\n%s", text)
	}
}

// Formats without tables write every row at the end, and nothing before.
func TestPrinterOfRows(t *testing.T) {
	rows := synthetic([]string{"copy"}, 1)[:3]
	for _, format := range report.Formats()[3:] {
		var out strings.Builder
		p := report.Printer{Out: &out, Format: format}
		if err := p.Task(rows); err != nil || out.Len() > 0 {
			t.Errorf("%s: %q for a task, error %v", format, out.String(), err)
		}
		if err := p.Rest(rows); err != nil || out.Len() == 0 {
			t.Errorf("%s: nothing at the end, error %v", format, err)
		}
	}
	if err := (&report.Printer{Out: &strings.Builder{}, Format: "xml"}).Rest([]eval.Row{rows[0]}); err == nil {
		t.Error("an unknown format is no error")
	}
}

// Published numbers stand next to ours where both have them, with how many runs fitted.
func TestPrinterCompares(t *testing.T) {
	name := filepath.Join(t.TempDir(), "paper.csv")
	if err := os.WriteFile(name, []byte("# A study of length\ntask,encoding,size,lr,ended,51-100\n"+
		"majority,nope,1l1h16d,0.001,fit,0.9\nmajority,nope,1l1h16d,0.001,max steps,0.5\nmajority,rope,1l1h16d,0.001,fit,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	published, err := summary.ReadPublished(name)
	if err != nil {
		t.Fatal(err)
	}
	row := func(seed uint64, fitted, correct int) eval.Row {
		return eval.Row{Schema: eval.RowSchema, Measure: eval.MeasureAccuracy, Task: "majority", Split: "test", Encoding: "nope",
			Untimed: true, LengthMin: 51, Length: 100, TrainMin: 1, TrainMax: 50, TrainSeed: seed, FittedStep: &fitted,
			Score: eval.Score{N: 10, Asked: 10, Correct: correct, Accuracy: float64(correct) / 10}}
	}
	var out strings.Builder
	p := report.Printer{Out: &out, Format: "table", Options: summary.Options{Published: published}, Compare: true}
	if err := p.Rest([]eval.Row{row(1, 9, 10), row(2, 7, 8), row(3, 0, 2)}); err != nil {
		t.Fatal(err)
	}
	const want = `exact match in %, here and published: A study of length

majority

  encoding  lengths   here, median, %  published, median, %  difference, points
      nope   51–100  80.0 (50.0–90.0)      70.0 (60.0–80.0)               +10.0
`
	if got := out.String(); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at the end\n%s", got, want)
	}
	out.Reset()
	other := row(1, 9, 10)
	other.Task = "parity"
	if err := p.Rest([]eval.Row{other}); err != nil || strings.Contains(out.String(), "A study of length") {
		t.Errorf("nothing to compare gives %q, %v", out.String(), err)
	}
}
