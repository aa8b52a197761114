package report_test

import (
	"strings"
	"testing"

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
					TrainMin: 1, TrainMax: 10, Task: "copy", Length: length, Tokens: tokens, N: 4, SequenceTokens: length,
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
	for _, s := range report.InsideSections(seen(), nil) {
		if err := s.Text(&b, 80); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		"encoding  heads  offset  mixed  by place\n      nope      2       1      1        25\n",
		"encoding        10         20\n      nope  5.0 (75)  10.0 (75)\n",
		"copy: heads of copy-nope, trained on 1–10",
		"0.0     10 back 75        25  10 back 75  20 back 75\n",
		"0.1  5.0 (25)  10.0 (25)\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q in\n%s", want, b.String())
		}
	}
}
