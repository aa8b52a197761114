package report_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
)

// textRow is a row of running text, all of whose bytes have so many bits.
func textRow(encoding string, seed uint64, length int, bits float64) eval.Row {
	r := eval.Row{Schema: eval.RowSchema, Measure: eval.MeasureText, Encoding: encoding, Architecture: "decoder", Task: "text-walls-0123456789ab",
		TaskVersion: 1, Split: "test", TrainSeed: seed, TrainMin: 16, TrainMax: 16, Length: length, Batch: 8, Untimed: true}
	r.Model, r.Provider, r.ToolVersion = encoding, "go", "test"
	r.Text = &eval.TextScore{N: 20, Documents: 7, Bits: bits, Stride: 16, Sliding: bits - 0.5, SlidingSE: 0.25}
	r.Text.Positions = slices.Grow(r.Text.Positions, 3)[:3]
	for i, end := range []int{1, 2, 4} {
		p := &r.Text.Positions[i]
		p.From, p.To, p.Bits = i+1, end, bits+1-float64(i)
	}
	return r
}

// Rows of running text are tables of their own, by themselves and with other rows.
func TestText(t *testing.T) {
	rows := []eval.Row{textRow("rope", 1, 16, 2), textRow("rope", 2, 16, 3), textRow("rope", 1, 32, 5), textRow("nope", 1, 16, 2.25)}
	na := textRow("nope", 1, 32, 0)
	na.NA, na.Untimed, na.Text, na.Reason = true, false, nil, "too few documents"
	rows = append(rows, na)
	var text strings.Builder
	p := report.Printer{Out: &text, Format: "table"}
	if err := p.Task(rows); err != nil {
		t.Fatal(err)
	}
	if err := p.Rest(rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"text-walls: trained at 16 tokens, 2 runs at most of an encoding",
		"  length           nope           rope\n      16  1.750 ± 0.250  2.000 ± 0.250\n      32            n/a  4.500 ± 0.250\n",
		"  length   nope   rope\n      16  2.250  2.500\n      32    n/a  5.000\n",
		"20 windows of each length, of 7 documents",
		"nope has the fewest bits per byte in windows as long as trained\nones: 2.250",
		"bits per byte by the tokens before, in windows of 32, median over runs",
		"              1   n/a  6.000\n              2   n/a  5.000\n            3–4   n/a  4.000\n",
	} {
		if strings.Count(text.String(), want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, text.String())
		}
	}
	for _, others := range [][]eval.Row{nil, synthetic([]string{"copy"}, 1)} {
		made, err := report.New(append(others, rows...), report.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err := made.Write(&page, "html"); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(page.String(), "bits per byte, every token</text>"); n != 1 {
			t.Errorf("with %d other rows the page has %d charts of every token", len(others), n)
		}
		if n := strings.Count(page.String(), "1.750 ± 0.250"); n != 1 {
			t.Errorf("with %d other rows the number stands %d times in the page", len(others), n)
		}
		if n := strings.Count(page.String(), "nope has the fewest bits per byte in windows as long as trained ones"); n == 0 || strings.Contains(page.String(), "Speed alone") {
			t.Errorf("with %d other rows the page has the answer %d times", len(others), n)
		}
		skip := regexp.MustCompile(`class="skip" href="#(\w+)"`).FindStringSubmatch(page.String())
		if skip == nil || strings.Count(page.String(), ` id="`+skip[1]+`"`) != 1 {
			t.Errorf("with %d other rows the link to the results leads nowhere: %q", len(others), skip)
		}
		if charts := strings.Contains(page.String(), `id="chart-accuracy"`); charts != (len(others) > 0) {
			t.Errorf("with %d other rows, charts of accuracy: %v", len(others), charts)
		}
	}
}

// Curves of running text are medians over runs with their quartiles, in both protocols and by place in
// the longest windows, with the contexts of training shaded.
func TestTextFigures(t *testing.T) {
	made, err := report.New([]eval.Row{textRow("rope", 1, 16, 2), textRow("rope", 2, 16, 3), textRow("rope", 1, 32, 5),
		textRow("nope", 1, 16, 2.25), textRow("alibi", 1, 32, 0)}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"bits-text-walls", "bits-sliding-text-walls", "bits-place-text-walls"}
	if diff := cmp.Diff(want, figureNames(made)); diff != "" {
		t.Fatalf("figures (-want +got):\n%s", diff)
	}
	for i, f := range made.Figures() {
		svg := string(figure(t, f, "svg"))
		for _, text := range []string{">rope<", ">trained<"} {
			if strings.Count(svg, text) != 1 {
				t.Errorf("%s has %s %d times", f.Name, text, strings.Count(svg, text))
			}
		}
		if got := strings.Contains(svg, ">nope<"); got != (i < 2) { // it has no windows of 32
			t.Errorf("%s names nope: %v", f.Name, got)
		}
	}
	text := made.Texts[0]
	if text.Trained != [2]int{1, 16} || text.Longest != 1 {
		t.Errorf("trained %v, longest %d", text.Trained, text.Longest)
	}
	all, sliding, places := report.TextCharts(text)
	rope := func(c report.Chart) int {
		for i, l := range c.Lines {
			if text.Series[l.Series].Name == "rope" {
				return i
			}
		}
		t.Fatal("no curve of rope")
		return 0
	}
	if d := all.Lines[rope(all)].Points[0]; d.X != 16 || d.Y != 2.5 || d.Low != 2.25 || d.High != 2.75 || d.Over != summary.OverRuns {
		t.Errorf("every token: %+v", d)
	}
	if d := sliding.Lines[rope(sliding)].Points[1]; d.X != 32 || d.Y != 4.5 || d.Over != "" && d.Low.Known() {
		t.Errorf("sliding: %+v", d)
	}
	if d := places.Lines[rope(places)].Points[2]; d.X != 3.5 || d.Y != 4 {
		t.Errorf("by place: %+v", d)
	}
	if lines := len(all.Lines); lines != 2 { // 0 bits, as of no model, have no place on an axis of octaves
		t.Errorf("%d curves, want 2", lines)
	}
}
