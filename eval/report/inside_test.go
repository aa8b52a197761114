package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
)

// seen are observations of two heads of a model, trained on 1–10, at 10 and 20.
func seen() []eval.Observation {
	var out []eval.Observation
	for _, tokens := range []string{eval.TaskTokens, eval.RandomTokens} {
		for _, length := range []int{10, 20} {
			for head, role := range []string{eval.RoleOffset, eval.RoleEven} {
				o := eval.Observation{Schema: eval.ObservationSchema, Measure: eval.MeasureAttention, Model: "copy-nope", Encoding: "nope",
					TrainSteps: 100, TrainMin: 1, TrainMax: 10, Task: "copy", Length: length, Tokens: tokens, N: 4, SequenceTokens: length,
					Head: head, Heads: 2, Series: [][]float64{{1, 0}, {0.25, 0.75}},
					Values: map[string]float64{"positional": 0.25, "mass": 1, "queries": 9, "distance": float64(length) / 2, "entropy": 1,
						role: 0.75, "offset_at": float64(length)},
					Control: map[string]float64{"distance": float64(length) / 2, "entropy": 4}}
				if tokens == eval.TaskTokens {
					o.Values["correct"] = 3
				}
				out = append(out, o)
			}
		}
	}
	return out
}

// A page of observations alone, and one of rows and observations, have what was observed and load nothing; names are not markup.
func TestInsidePage(t *testing.T) {
	evil := seen()
	for i := range evil {
		evil[i].Model, evil[i].Encoding = "<script>alert(1)</script>", "<b>nope</b>"
	}
	for name, rows := range map[string][]eval.Row{"alone": nil, "with rows": {row(t, "nope", 0, 10, 1)}} {
		made := page(t, report.Options{Observations: evil}, rows...)
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
		t.Error("without observations there is a section of them")
	}
}

// Figures of observations: how far heads look back, and a map for each length.
func TestInsideFigures(t *testing.T) {
	made, err := report.New(nil, report.Options{Observations: seen()})
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
