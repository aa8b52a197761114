package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
)

// binOf is a row of a bin of lengths.
func binOf(r eval.Row, least int) eval.Row {
	return with(r, func(r *eval.Row) { r.LengthMin = least })
}

// A bin is merged with no length and no other bin, and has its label in tables. Copying
// is trained on 2 to 20: a bin across the end of that is neither inside nor beyond.
func TestBinsStandApart(t *testing.T) {
	rows := []eval.Row{row(t, "nope", 0, 100, 10), binOf(row(t, "nope", 0, 100, 40), 51),
		binOf(row(t, "nope", 0, 100, 60), 31), binOf(row(t, "nope", 0, 20, 100), 2), binOf(row(t, "nope", 0, 30, 80), 11)}
	s := reportOf(t, rows...)
	tk := s.Tasks[0]
	want := []task.Span{{Min: 2, Max: 20}, {Min: 11, Max: 30}, {Min: 31, Max: 100}, {Min: 51, Max: 100}, task.At(100)}
	if diff := cmp.Diff(want, tk.Lengths); diff != "" {
		t.Fatalf("lengths (-want +got):\n%s", diff)
	}
	var exact []summary.Number
	for _, p := range tk.Series[0].Points {
		exact = append(exact, p.Exact.Median)
	}
	if diff := cmp.Diff([]summary.Number{1, 0.8, 0.6, 0.4, 0.1}, exact); diff != "" {
		t.Errorf("exact match (-want +got):\n%s", diff)
	}
	of := tk.Series[0]
	if of.Inside.Median != 1 || cmp.Diff(summary.Number((0.6+0.4+0.1)/3), of.Beyond.Median, approx) != "" {
		t.Errorf("inside %v, beyond %v", of.Inside.Median, of.Beyond.Median)
	}
	if of.Effective.String() != "2–20" {
		t.Errorf("effective length %+v", of.Effective)
	}
	if len(report.ExactChart(tk).Lines[0].Points) != len(want) || tk.X[2] != 65.5 || tk.X[4] != 100 ||
		!strings.Contains(tk.Axis, "bin") {
		t.Errorf("chart %+v over %v, %s", report.ExactChart(tk).Lines, tk.X, tk.Axis)
	}
	var labels []string
	for _, line := range tk.Accuracy.Lines[:len(tk.Lengths)] {
		labels = append(labels, line[0].Text)
	}
	if diff := cmp.Diff([]string{"2–20", "11–30", "31–100", "51–100", "100"}, labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}

	var b strings.Builder
	printer := report.Printer{Out: &b, Format: "md"}
	if err := printer.Rest(rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`| 51–100 | 40.0 `, `| 31–100 | 60.0 `, `| 2–20 | 100.0 [96.3–100.0]\* `, `| 11–30 | 80.0 `} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
}

// Bins of one middle are two places of a chart.
func TestBinsOfOneMiddle(t *testing.T) {
	s := reportOf(t, binOf(row(t, "nope", 0, 60, 50), 40), binOf(row(t, "nope", 0, 70, 50), 30),
		binOf(row(t, "rope", 0, 70, 50), 30))
	lines := report.ExactChart(s.Tasks[0]).Lines
	if len(lines[0].Points) != 2 || lines[0].Points[0].X != lines[0].Points[1].X {
		t.Fatalf("points %+v", lines[0].Points)
	}
	got := [][]int{lines[0].Points[0].Users, lines[0].Points[1].Users} // the second curve ends at the first bin
	if diff := cmp.Diff([][]int{{1}, {0}}, got); diff != "" {
		t.Errorf("curves at the two places (-want +got):\n%s", diff)
	}
}

// Prompts that are not held out at some lengths of a bin are reported as such.
func TestBinNotHeldOut(t *testing.T) {
	whole := func(r eval.Row, least int) eval.Row {
		return with(binOf(r, least), func(r *eval.Row) { r.Whole = true })
	}
	s := reportOf(t, whole(row(t, "nope", 0, 30, 80), 11), whole(row(t, "nope", 0, 100, 80), 51))
	if !strings.Contains(strings.Join(s.Tasks[0].Accuracy.Notes, "\n"), "held out at length some of 11–30: training") {
		t.Errorf("notes %q", s.Tasks[0].Accuracy.Notes)
	}
}
