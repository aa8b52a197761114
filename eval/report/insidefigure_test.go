package report_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/internal/chromiumtest"
)

// A run that was looked into on the way has a figure of its course.
func TestCourseFigure(t *testing.T) {
	found := theorems()
	for _, o := range theorems() {
		if o.Model == "copy-nope" && o.Measure == eval.MeasureProbe {
			o.Model, o.TrainSteps, o.Values["correct"] = "copy-nope@50", 50, 3
			found = append(found, o)
		}
	}
	made, err := report.New(nil, report.Options{Observations: found})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.Index(figureNames(made), "course-copy")
	if i < 0 {
		t.Fatalf("none of %q is course-copy", figureNames(made))
	}
	var b strings.Builder
	if err := made.Figures()[i].Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">copy-nope, random tokens<", ">training step (length 10)<", ">after 2 layers<", ">share of sequences right<"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q", want)
		}
	}
}

// theorems are observations of a run of NoPE, of its untrained weights, and of the constructed model.
func theorems() []eval.Observation {
	var out []eval.Observation
	add := func(measure, model string, steps, layer, heads int, values map[string]float64) *eval.Observation {
		out = append(out, eval.Observation{Schema: eval.ObservationSchema, Measure: measure, Model: model, Encoding: "nope", TrainSteps: steps,
			TrainMin: 1, TrainMax: 10, Task: "copy", Length: 10, Tokens: eval.RandomTokens, N: 4, Layer: layer, Heads: heads,
			Values: values, Control: map[string]float64{}})
		return &out[len(out)-1]
	}
	for _, m := range []struct {
		name  string
		steps int
	}{{"copy-nope", 100}, {"copy-nope@0", 0}} {
		for layer := range 3 {
			r2 := float64(layer) * (0.3 + 0.0018*float64(m.steps))
			add(eval.MeasureProbe, m.name, m.steps, layer, 0, map[string]float64{"fit_length": 10, "r2": r2, "classified": 0})
			add(eval.MeasureLogits, m.name, m.steps, layer, 1, map[string]float64{"r2_both": 0.875}).Series = [][]float64{{0, -0.5, float64(-layer), 0.25}}
			add(eval.MeasureAttention, m.name, m.steps, layer, 1, map[string]float64{"positional": 0.25, "distance": 0, "entropy": 0})
			o := add(eval.MeasureCausal, m.name, m.steps, layer, 0, map[string]float64{"r2": 0.9, "r2_after": 0.2, "directions": 1, "tokens": 10,
				"before_tokens": 10, "ablated_tokens": 4, "shuffled_tokens": 3, "patched_queries": 8, "patched_moved": 2, "swapped_queries": 8, "swapped_moved": 7})
			o.Tokens, o.Control = eval.TaskTokens, map[string]float64{"ablated_tokens": 9, "patched_moved": 0, "swapped_moved": 1}
		}
	}
	add(eval.MeasureProbe, "theorem 1", 0, 1, 0, map[string]float64{"fit_length": 10, "r2": 1, "classified": 1}).Intervention = eval.Constructed
	return out
}

// Each measure has its figure: runs and their untrained weights, heads with their R².
func TestMeasureFigures(t *testing.T) {
	made, err := report.New(nil, report.Options{Observations: theorems()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"probe-copy", "causal-copy", "positional-copy", "logits-copy"}, figureNames(made)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	for i, want := range [][]string{
		{">copy-nope<", ">before training<", ">theorem 1, constructed<", ">R² of the position<"},
		{">copy-nope<", ">keys have changed places<", ">the query has the next place<", ">predict the next symbol, %<"},
		{">copy-nope<", ">before training<", ">by position, %<"},
		{">copy-nope<", ">copy-nope@0<", ">2.0 R² 0.88<", ">layer 2<"},
	} {
		f := made.Figures()[i]
		svg := string(figure(t, f, "svg"))
		for _, text := range want {
			if !strings.Contains(svg, text) {
				t.Errorf("%s has no %s", f.Name, text)
			}
		}
		if len(figure(t, f, "png")) < 500 {
			t.Errorf("%s is empty as PNG", f.Name)
		}
	}
}

// TestManyHeads: a panel is as high as the names of its curves beside it, so that none stands beside the axis's numbers.
func TestManyHeads(t *testing.T) {
	size := regexp.MustCompile(`<svg width="[\d.]+pt" height="([\d.]+)pt"`)
	height := func(all []eval.Observation) float64 {
		made, err := report.New(nil, report.Options{Observations: all})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range made.Figures() {
			if found := size.FindSubmatch(figure(t, f, "svg")); f.Name == "logits-copy" && found != nil {
				n, _ := strconv.ParseFloat(string(found[1]), 64)
				return n
			}
		}
		t.Fatal("no figure of logits that says its size")
		return 0
	}
	all := theorems()
	few := height(all)
	for _, o := range theorems() {
		for head := 2; o.Measure == eval.MeasureLogits && head < 9; head++ {
			o.Head = head
			all = append(all, o)
		}
	}
	if many := height(all); many < few+50 {
		t.Errorf("%v points high with 3 heads in a panel, %v with 24", few, many)
	}
}

// In a browser the figures stand within the page, and nothing fails.
func TestInsideBrowser(t *testing.T) {
	b := chromiumtest.Start(t)
	b.Size(1200, 2600)
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(page(t, report.Options{Observations: theorems()})), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Load("file://" + path)
	if n := b.Eval(`[...document.querySelectorAll("figure.paper svg")].filter((s) => s.getBoundingClientRect().width > 100).length`); n != 4.0 {
		t.Errorf("%v figures in view, want 4", n)
	}
	b.Screenshot("inside")
	b.Size(320, 800)
	if over := b.Eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); over != 0.0 {
		t.Errorf("at width 320 the page is %v pixels too wide", over)
	}
	if len(b.Errors) > 0 {
		t.Error(b.Errors)
	}
}
