package report_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
)

// The tables of a task come when it is complete, and once; where rows were measured
// stands above, and again where that changes.
func TestPrinter(t *testing.T) {
	first, second := synthetic([]string{"copy"}, 1), synthetic([]string{"reverse"}, 1)
	for i := range second {
		second[i].Threads = 2
	}
	const where = "test machine, 2 cores; ONNX Runtime 1.29.0, provider cpu; "
	var out strings.Builder
	p := report.Printer{Out: &out, Format: "table", Width: 200}
	if err := p.Task(first); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if !strings.HasPrefix(text, where+"one thread per core; zoo 0.1.0\n\ntask copy") ||
		strings.Contains(text, "encodings, ranked") {
		t.Errorf("after a task:\n%s", text)
	}
	out.Reset()
	if err := p.Rest(append(first, second...)); err != nil {
		t.Fatal(err)
	}
	text = out.String()
	if !strings.HasPrefix(text, "\n"+where+"2 threads and one thread per core; zoo 0.1.0\n\ntask reverse") ||
		strings.Contains(text, "task copy") || strings.Count(text, where) != 1 ||
		!strings.Contains(text, "encodings, ranked") {
		t.Errorf("at the end:\n%s", text)
	}
}

// Formats without tables write every row at the end, and nothing before.
func TestPrinterOfRows(t *testing.T) {
	rows := synthetic([]string{"copy"}, 1)[:3]
	for _, format := range report.Formats()[2:] {
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
