package report_test

import (
	"os"
	"path/filepath"
	"slices"
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
	for _, f := range theorems() {
		if f.Model == "copy-nope" && f.Probe != nil {
			right := 3
			f.Model, f.TrainSteps, f.Correct = "copy-nope@50", 50, &right
			found = append(found, f)
		}
	}
	made, err := report.New(nil, report.Options{Findings: found})
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

// theorems are findings of a run of NoPE and of its untrained weights, beside the constructed model.
func theorems() []eval.Finding {
	var out []eval.Finding
	share := 0.25
	add := func(model string, steps, layer int, change func(*eval.Finding)) {
		f := eval.Finding{Schema: eval.FindingSchema, Model: model, Encoding: "nope", TrainSteps: steps, TrainMin: 1, TrainMax: 10,
			Task: "copy", Length: 10, Tokens: eval.RandomTokens, N: 4, Layer: layer}
		change(&f)
		out = append(out, f)
	}
	for _, m := range []struct {
		name  string
		steps int
	}{{"copy-nope", 100}, {"copy-nope@0", 0}} {
		for layer := range 3 {
			r2 := float64(layer) * (0.3 + 0.0018*float64(m.steps))
			add(m.name, m.steps, layer, func(f *eval.Finding) {
				f.Measure, f.Probe = eval.FindProbe, &eval.Probe{FitLength: 10, R2: r2}
			})
			add(m.name, m.steps, layer, func(f *eval.Finding) {
				f.Measure = eval.FindLogits
				f.Logits = &eval.LogitFit{Heads: 1, Both: 0.875, Shape: []float64{0, -0.5, float64(-layer), 0.25}}
			})
			add(m.name, m.steps, layer, func(f *eval.Finding) {
				f.Measure, f.Attention = eval.FindAttention, &eval.Attention{Heads: 1, Positional: &share, Label: eval.RoleMixed, Roles: map[string]eval.Role{},
					Distances: eval.Distances{EvenEntropy: 1}}
			})
			add(m.name, m.steps, layer, func(f *eval.Finding) {
				score := func(right int) eval.CausalScore { return eval.CausalScore{TokensCorrect: right, Tokens: 10} }
				f.Measure, f.Tokens, f.Causal = eval.FindCausal, eval.TaskTokens, &eval.Causal{R2: 0.9, R2After: 0.2, Before: score(10),
					Ablated: score(4), AblatedControl: score(9), Patched: score(3), PatchedControl: score(8)}
			})
		}
	}
	add("theorem 1", 0, 1, func(f *eval.Finding) {
		f.Measure, f.Intervention, f.Probe = eval.FindProbe, eval.Constructed, &eval.Probe{FitLength: 10, R2: 1}
	})
	return out
}

// Each measure has its figure: runs beside their untrained weights, heads with their R².
func TestMeasureFigures(t *testing.T) {
	made, err := report.New(nil, report.Options{Findings: theorems()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"probe-copy", "causal-copy", "logits-copy", "positional-copy"}, figureNames(made)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	for i, want := range [][]string{
		{">copy-nope<", ">before training<", ">theorem 1, constructed<", ">R² of the position<"},
		{">copy-nope<", ">ablated<", ">as far at random<", ">tokens right, %<"},
		{">copy-nope<", ">copy-nope@0<", ">2.0 R² 0.88<", ">layer 2<"},
		{">copy-nope<", ">before training<", ">by position, %<"},
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

// In a browser the figures stand within the page, and nothing fails.
func TestInsideBrowser(t *testing.T) {
	b := chromiumtest.Start(t)
	b.Size(1200, 2600)
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(page(t, report.Options{Findings: theorems()})), 0o600); err != nil {
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
