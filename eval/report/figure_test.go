package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
)

func figureNames(s *report.Report) []string {
	var out []string
	for _, f := range s.Figures() {
		out = append(out, f.Name)
	}
	return out
}

func TestFigureNames(t *testing.T) {
	one := []string{"accuracy-copy", "cost-tokens-copy", "cost-decode-copy", "cost-prefill-copy", "cost-memory-copy"}
	few := func(r *eval.Row) { r.PeakMemory, r.DecodeSteps = 0, 0 }
	atTwo := func(changes ...func(*eval.Row)) (out []eval.Row) { // lengths
		for _, length := range []int{10, 20} {
			r := row(t, "nope", 0, length, 5)
			for _, change := range changes {
				change(&r)
			}
			out = append(out, r)
		}
		return out
	}
	for _, tc := range []struct {
		name string
		rows []eval.Row
		want []string
	}{
		{"inside only", atTwo(), one},
		{"costs of one length", []eval.Row{row(t, "nope", 0, 10, 5)}, one[:1]},
		{"nothing measured", []eval.Row{refused(row(t, "nope", 0, 10, 5))}, nil},
		{"no memory, no steps", atTwo(few),
			[]string{"accuracy-copy", "cost-tokens-copy", "cost-prefill-copy"}},
		{"beyond", append(atTwo(), row(t, "nope", 0, 30, 5)), append(slices.Clone(one), "tradeoff-copy", "published-copy")},
		{"two encodings", append(atTwo(), row(t, "nope", 0, 30, 5), row(t, "rope", 0, 30, 5)),
			append(slices.Clone(one), "tradeoff-copy", "published-copy", "ranks")},
		{"two places", append(atTwo(), atTwo(func(r *eval.Row) { r.Machine = "m" })...),
			append(one[:1:1], "cost-tokens-copy-place1", "cost-decode-copy-place1", "cost-prefill-copy-place1",
				"cost-memory-copy-place1",
				"cost-tokens-copy-place2", "cost-decode-copy-place2", "cost-prefill-copy-place2",
				"cost-memory-copy-place2")},
		{"speed alone", []eval.Row{speedRow(t, "nope", 512, 1)},
			[]string{"cost-tokens-speed-without-a-task", "cost-decode-speed-without-a-task",
				"cost-prefill-speed-without-a-task", "cost-memory-speed-without-a-task",
				"cost-token-speed-without-a-task"}},
		{"tasks of like names", append(atTwo(few, func(r *eval.Row) { r.Task = "a+b" }), atTwo(few, func(r *eval.Row) { r.Task = "a-b" })...),
			[]string{"accuracy-a-b", "cost-tokens-a-b", "cost-prefill-a-b", "accuracy-a-b-2", "cost-tokens-a-b-2", "cost-prefill-a-b-2", "heatmap"}},
		{"two tasks, nothing measured", []eval.Row{refused(row(t, "nope", 0, 10, 5)),
			with(row(t, "nope", 0, 10, 5), func(r *eval.Row) { *r = refused(*r); r.Task = "addition+full" })},
			[]string{"heatmap"}},
	} {
		if diff := cmp.Diff(tc.want, figureNames(reportOf(t, tc.rows...))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestFigures writes every kind of figure: the same bytes each time, the name of
// every encoding in it, and a picture of the right size.
func TestFigures(t *testing.T) {
	rows := synthetic([]string{"copy", "parity"}, 2)
	s, again := reportOf(t, rows...), reportOf(t, rows...)
	names := figureNames(s)
	for i, f := range s.Figures() {
		if slices.Contains(names[:i], f.Name) {
			t.Errorf("two figures are called %s", f.Name)
		}
		if strings.HasSuffix(f.Name, "-parity") {
			continue // as for copy
		}
		svg := figure(t, f, "svg")
		if !bytes.Equal(svg, figure(t, again.Figures()[i], "svg")) {
			t.Errorf("%s: the same rows give other bytes", f.Name)
		}
		for _, e := range s.Encodings {
			if published := strings.HasPrefix(f.Name, "published"); !bytes.Contains(svg, []byte(">"+e.Name+"<")) &&
				(!published || e.Name == "nope") {
				t.Errorf("%s does not name %s", f.Name, e.Name)
			}
		}
		if err := wellFormed(svg); err != nil || len(svg) > 200_000 {
			t.Errorf("%s: %v, %d bytes", f.Name, err, len(svg))
		}
		if texts, fonts := bytes.Count(svg, []byte("<text")),
			bytes.Count(svg, []byte("'Liberation Sans',Arial,")); texts == 0 || texts != fonts {
			t.Errorf("%s: %d of %d texts name a font for machines that lack the first", f.Name, fonts, texts)
		}
	}
	paper := figure(t, s.Figures()[0], "pdf")
	if !bytes.HasPrefix(paper, []byte("%PDF-")) || !bytes.Equal(paper, figure(t, again.Figures()[0], "pdf")) {
		t.Errorf("the PDF begins with %.8q, or the same rows give other bytes", paper)
	}
	picture, err := png.Decode(bytes.NewReader(figure(t, s.Figures()[0], "png")))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(picture.Bounds().Size()); got != "(1260,720)" { // 6.3 × 3.6 inches at 200 a inch
		t.Errorf("the picture's size is %s", got)
	}
	if err := s.Figures()[0].Write(io.Discard, "gif"); err == nil ||
		!strings.Contains(err.Error(), `unknown figure format "gif"; known: svg, png, pdf`) {
		t.Errorf("another format: %v", err)
	}
}

// TestTokenFigure checks that the figure of the time per new token names every curve, also
// one that ends early, and the roofline, on axes of octaves.
func TestTokenFigure(t *testing.T) {
	rows := []eval.Row{speedRow(t, "learned", 128, 1.3), speedRow(t, "learned", 256, 1.3)}
	for length := 128; length <= 32768; length *= 2 {
		rows = append(rows, speedRow(t, "nope", length, 1), speedRow(t, "rope", length, 1),
			speedRow(t, "txl", length, 2))
	}
	drawn := func(rows []eval.Row) string {
		figures := reportOf(t, rows...).Figures()
		return string(figure(t, figures[len(figures)-1], "svg"))
	}
	svg := drawn(rows)
	for _, text := range []string{"nope", "rope", "learned", "txl", "roofline", "Time per new token, ms", "128",
		"32,768", "0.25", "1", "16"} {
		if n := strings.Count(svg, ">"+text+"<"); n != 1 {
			t.Errorf("%q is written %d times", text, n)
		}
	}
	if n := strings.Count(svg, "stroke-dasharray:5,5"); n != 2 {
		t.Errorf("%d curves take turns, want 2 that lie on one another", n)
	}
	for i := range rows {
		rows[i].PeakFLOPS = 0
	}
	if strings.Contains(drawn(rows), "roofline") {
		t.Error("there is a roofline without peaks")
	}
}

// TestKeys: where lines alone tell curves apart, a legend has them, and a map of depths says what its axes are.
func TestKeys(t *testing.T) {
	var rows []eval.Row
	for _, length := range []int{10, 20, 30} {
		rows = append(rows, row(t, "rope", 0, length, 50), with(row(t, "rope", 0, length, 20), func(r *eval.Row) { r.Intervention = "yarn:4" }))
	}
	const second = "stroke-dasharray:5,3"
	if n := strings.Count(string(figure(t, reportOf(t, rows...).Figures()[0], "svg")), second); n != 2 {
		t.Errorf("%d dashed lines, want the curve and its key", n)
	}
	rows = nil
	for _, depth := range []int{0, 50, 100} {
		rows = append(rows, with(row(t, "rope", 0, 10, 50), func(r *eval.Row) { r.Depth = new(depth) }))
	}
	for _, f := range reportOf(t, rows...).Figures() {
		if svg := string(figure(t, f, "svg")); strings.HasPrefix(f.Name, "depths") && strings.Contains(svg, ">depth, %<") &&
			strings.Contains(svg, ">length, tokens<") {
			return
		}
	}
	t.Error("no map of depths whose axes have labels")
}

// TestHostileFigures draws what no measurement gives and a file can hold.
func TestHostileFigures(t *testing.T) {
	for name, change := range map[string]func(*eval.Row){
		"no time at all":    func(r *eval.Row) { r.DecodeP50MS, r.TokensPerSecond = 0, 0 },
		"the least number":  func(r *eval.Row) { r.DecodeP50MS = math.SmallestNonzeroFloat64 },
		"infinite sums":     func(r *eval.Row) { r.DecodeP50MS = math.MaxFloat64 },
		"control character": func(r *eval.Row) { r.Encoding, r.Task = "a\x00\n<b>", "t\x1b" },
		"endless length":    func(r *eval.Row) { r.Length, r.Task, r.Score = 1e15, "", eval.Score{} },
		"endless name":      func(r *eval.Row) { r.Task = strings.Repeat("x", 10_000) },
	} {
		var rows []eval.Row
		for seed := range 3 {
			for _, length := range []int{10, 30} {
				rows = append(rows, row(t, "nope", seed, length, 50), with(row(t, "rope", seed, length, 50), change))
			}
		}
		s := reportOf(t, rows...)
		for _, f := range s.Figures() {
			if err := wellFormed(figure(t, f, "svg")); err != nil || len(f.Name) > 200 {
				t.Errorf("%s: %.200s: %v", name, f.Name, err)
			}
		}
		if !json.Valid([]byte(dataScript.FindStringSubmatch(page(t, report.Options{}, rows...))[1])) {
			t.Errorf("%s: the page's data are no JSON", name)
		}
	}
}

// TestSharedBands checks that what several bands have in common is filled once, and that
// each run has a dot.
func TestSharedBands(t *testing.T) {
	fills := func(rows ...eval.Row) (bands, dots int) {
		svg := figure(t, reportOf(t, rows...).Figures()[0], "svg")
		return bytes.Count(svg, []byte("fill-opacity:0.13333")), bytes.Count(svg, []byte("fill-opacity:0.66667"))
	}
	var nope, same []eval.Row
	for seed, last := range []int{10, 30} {
		for i, correct := range []int{100, 100, 90 - 10*seed, last} {
			nope = append(nope, row(t, "nope", seed, 10*(i+1), correct))
			same = append(same, row(t, "rope", seed, 10*(i+1), correct))
		}
	}
	if bands, dots := fills(nope...); bands != 1 || dots != 4 {
		t.Errorf("one band has %d parts and %d runs, want 1 and 4 that are not the median", bands, dots)
	}
	if bands, _ := fills(append(same, nope...)...); bands != 1 {
		t.Errorf("two equal bands have %d parts, want 1", bands)
	}
	same[3].Score.Correct = 50
	if bands, _ := fills(append(same, nope...)...); bands != 3 {
		t.Errorf("two bands that part have %d parts, want one in common and two", bands)
	}
}

// TestBars checks that single runs have no bands: thin bars of their prompts, those that are
// the same once and in grey.
func TestBars(t *testing.T) {
	drawn := func(rows ...eval.Row) string { return string(figure(t, reportOf(t, rows...).Figures()[0], "svg")) }
	grey := regexp.MustCompile(`stroke:#555C66[^"]*stroke-opacity:0.58824`)
	nope, rope := row(t, "nope", 0, 10, 100), row(t, "rope", 0, 10, 100)
	svg := drawn(nope, row(t, "nope", 0, 20, 50), rope, row(t, "rope", 0, 20, 30))
	if n := strings.Count(svg, "stroke-opacity:0.58824"); n != 9 || len(grey.FindAllString(svg, -1)) != 3 ||
		strings.Contains(svg, "fill-opacity:0.13333") {
		t.Errorf("%d strokes of bars, %d in grey: want 3 for each of 3, one grey, and no band", n, len(grey.FindAllString(svg, -1)))
	}
}

func figure(t *testing.T, f report.Figure, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, format); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return b.Bytes()
}

func wellFormed(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// TestEqualCurves checks that all curves that lie on one another can be seen: where
// they do they are dashed and share out the markers, and nowhere else.
func TestEqualCurves(t *testing.T) {
	rows := []eval.Row{row(t, "nope", 0, 10, 100), row(t, "nope", 0, 20, 100), row(t, "nope", 0, 30, 90),
		row(t, "nope", 0, 40, 10)}
	for _, r := range rows {
		rows = append(rows, with(r, func(r *eval.Row) { r.Encoding = "rope" }))
	}
	seen := func(last int) (dashed map[string]int, markers map[string]int) {
		rows[7].Correct = last
		s := reportOf(t, rows...)
		svg := string(figure(t, s.Figures()[0], "svg"))
		dashed, markers = map[string]int{}, map[string]int{}
		for _, e := range s.Encodings {
			dashed[e.Name] = len(regexp.MustCompile(`fill:none;stroke:`+e.Light+`[^"]*stroke-dasharray`).FindAllString(svg, -1))
			markers[e.Name] = strings.Count(svg, `style="fill:`+e.Light+`"`) - 1 // for the name
		}
		return dashed, markers
	}
	for last, want := range map[int][2]map[string]int{
		10: {{"nope": 1, "rope": 1}, {"nope": 2, "rope": 2}},
		50: {{"nope": 1, "rope": 1}, {"nope": 3, "rope": 2}}, // apart at the end
	} {
		dashed, markers := seen(last)
		if diff := cmp.Diff(want, [2]map[string]int{dashed, markers}); diff != "" {
			t.Errorf("last accuracy %d: dashed lines and markers (-want +got):\n%s", last, diff)
		}
	}
}
