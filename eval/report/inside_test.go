package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
)

// seen are findings of two heads of a model, trained on 1–10, at 10 and 20.
func seen() []eval.Finding {
	right, share := 3, 0.25
	var out []eval.Finding
	for _, tokens := range []string{eval.TaskTokens, eval.RandomTokens} {
		for _, length := range []int{10, 20} {
			for head, label := range []string{eval.RoleOffset, eval.RoleMixed} {
				f := eval.Finding{Schema: eval.FindingSchema, Measure: eval.FindAttention, Model: "copy-nope", Encoding: "nope",
					TrainSteps: 100, TrainMin: 1, TrainMax: 10, Task: "copy", Length: length, Tokens: tokens, N: 4, SequenceTokens: length,
					Attention: &eval.Attention{Head: head, Heads: 2, Label: label, Positional: &share, Mass: 1,
						Distances: eval.Distances{Queries: 9, Mean: float64(length) / 2, Entropy: 1, EvenEntropy: 4, EvenMean: float64(length) / 2},
						Roles:     map[string]eval.Role{label: {Score: 0.75, Queries: 9, At: length}},
						Map:       [][]float64{{1, 0}, {0.25, 0.75}}}}
				if tokens == eval.TaskTokens {
					f.Correct = &right
				}
				out = append(out, f)
			}
		}
	}
	return out
}

func TestInsideSections(t *testing.T) {
	var b strings.Builder
	probed, withheld := seen(), 0.75
	probed[0].Measure, probed[0].Attention = eval.FindProbe, nil
	probed[0].Probe = &eval.Probe{FitLength: 10, R2: 0.876, Withheld: &withheld, Classified: 0.5}
	probed[1].Measure, probed[1].Attention = eval.FindLogits, nil
	probed[1].Logits = &eval.LogitFit{Head: 1, Heads: 2, Distance: 0.25, Content: 0.5, Both: 0.75, Slope: 0.0625}
	probed[2].Measure, probed[2].Attention = eval.FindCausal, nil
	score := func(right int) eval.CausalScore { return eval.CausalScore{TokensCorrect: right, Tokens: 10} }
	probed[2].Causal = &eval.Causal{R2: 0.9, R2After: 0.2, Before: score(10), Ablated: score(1), AblatedControl: score(9),
		Patched: score(2), PatchedControl: score(8)}
	for _, s := range report.InsideSections(append(seen(), probed[:3]...), nil) {
		if err := s.Text(&b, 80); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		"encoding  heads  offset  mixed  by place\n      nope      2       1      1        25\n",
		"encoding        10         20\n      nope  5.0 (75)  10.0 (75)\n",
		"copy-nope       0         10  0.88/0.75 (50)   –\n",
		"copy-nope   0.1  0.75 (0.25, 0.50)/0.062   –\n",
		"copy-nope       0      20           1     100  10 (90)  20 (80)  0.20 of 0.90\n",
		"copy: heads of copy-nope, trained on 1–10",
		"0.0     10 back 75        25  10 back 75  20 back 75\n",
		"0.1  5.0 (25)  10.0 (25)\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q in\n%s", want, b.String())
		}
	}
}

// A page of findings alone, and one of rows and findings, have what was found and load nothing; names are not markup.
func TestInsidePage(t *testing.T) {
	evil := seen()
	for i := range evil {
		evil[i].Model, evil[i].Encoding = "<script>alert(1)</script>", "<b>nope</b>"
	}
	for name, rows := range map[string][]eval.Row{"alone": nil, "beside rows": {row(t, "nope", 0, 10, 1)}} {
		made := page(t, report.Options{Findings: evil}, rows...)
		for _, want := range []string{"Inside the heads", "copy: what heads attend to", "10 back 75", "heads-copy", "&lt;b&gt;nope", "<svg"} {
			if !strings.Contains(made, want) {
				t.Errorf("%s: there is no %q", name, want)
			}
		}
		plain := withoutLibrary(made)
		for _, bad := range []string{"<script>alert", "<b>", "http:", "https:"} {
			if at := strings.Index(plain, bad); at >= 0 {
				t.Errorf("%s: a name is markup, or something is loaded: %q", name, plain[max(at-60, 0):at+20])
			}
		}
	}
	if made := page(t, report.Options{}, row(t, "nope", 0, 10, 1)); strings.Contains(made, "Inside the heads") {
		t.Error("without findings there is a section of them")
	}
}

// Figures of findings: how far heads look back, and a map for each length.
func TestInsideFigures(t *testing.T) {
	made, err := report.New(nil, report.Options{Findings: seen()})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range made.Figures() {
		names = append(names, f.Name)
		for _, format := range []string{"svg", "png"} {
			var b strings.Builder
			if err := f.Write(&b, format); err != nil || b.Len() < 500 {
				t.Errorf("%s as %s: %d bytes, %v", f.Name, format, b.Len(), err)
			}
		}
	}
	if diff := cmp.Diff([]string{"positional-copy", "heads-copy", "map-copy-copy-nope-10", "map-copy-copy-nope-20"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
