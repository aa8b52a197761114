package summary_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// looked is a finding of a head of a model that was trained on 1–10.
func looked(encoding, tokens string, length, head int, label string) eval.Finding {
	right, share := length/10, 0.5
	f := eval.Finding{Schema: eval.FindingSchema, Measure: eval.FindAttention, Model: "copy-" + encoding, Encoding: encoding,
		TrainMin: 1, TrainMax: 10, Task: "copy", Length: length, Tokens: tokens, N: 4, Attention: &eval.Attention{
			Head: head, Heads: 2, Label: label, Positional: &share, Distances: eval.Distances{Mean: float64(length), EvenEntropy: 1},
			Roles: map[string]eval.Role{label: {Score: 0.75, Queries: 1, At: 3}}}}
	if tokens == eval.TaskTokens {
		f.Correct = &right
	}
	return f
}

func TestInside(t *testing.T) {
	gone := looked("rope", eval.TaskTokens, 30, 0, "")
	gone.Attention, gone.NA, gone.Reason = nil, true, "too long"
	apart := looked("rope", eval.TaskTokens, 10, 0, "")
	apart.Measure, apart.Attention = eval.FindDivergence, nil
	published := 0.9
	apart.Divergence = &eval.Divergence{With: "copy-nope", Encoding: "nope", JensenShannon: 0.4, Null: 0.6, Published: &published}
	deeper := apart
	deeper.Layer, deeper.Divergence = 1, &eval.Divergence{With: "copy-nope", Encoding: "nope", JensenShannon: 0.2, Null: 0.4}
	tasks := summary.Inside([]eval.Finding{
		looked("rope", eval.TaskTokens, 20, 0, eval.RoleMixed), looked("rope", eval.TaskTokens, 10, 0, eval.RoleEven),
		looked("rope", eval.TaskTokens, 10, 1, eval.RolePrevious), looked("rope", eval.TaskTokens, 20, 1, eval.RolePrevious),
		looked("nope", eval.RandomTokens, 20, 0, eval.RoleInduction),
		looked("rope", eval.TaskTokens, 10, 0, eval.RoleOffset), // again: this one counts
		gone, apart, deeper,
	}, []string{"nope", "rope"})
	if len(tasks) != 1 {
		t.Fatalf("%+v", tasks)
	}
	task := tasks[0]
	if diff := cmp.Diff([]int{10, 20, 30}, task.Lengths); diff != "" {
		t.Error(diff)
	}
	if len(task.Models) != 2 || task.Models[0].Encoding != "nope" || len(task.Models[1].Heads) != 2 {
		t.Fatalf("models %+v", task.Models)
	}
	rope := task.Models[1]
	if rope.Right[0] != 0.25 || rope.Right[1] != 0.5 || rope.Right[2].Known() || rope.Reasons[2] != "too long" {
		t.Errorf("right %v, reasons %q", rope.Right, rope.Reasons)
	}
	// At 10, the greatest trained length; of nope, which nobody looked at there, at 20.
	want := []summary.RoleCount{{Encoding: "rope", Models: 1, Heads: 2, Positional: 0.5,
		Roles: map[string]int{eval.RoleOffset: 1, eval.RolePrevious: 1}}}
	if diff := cmp.Diff(want, task.Roles(summary.OnTask)); diff != "" {
		t.Errorf("on the task (-want +got):\n%s", diff)
	}
	if got := task.Roles(summary.OnRandom); len(got) != 1 || got[0].Roles[eval.RoleInduction] != 1 {
		t.Errorf("on random tokens %+v", got)
	}
	untrained := looked("rope", eval.TaskTokens, 10, 0, eval.RoleEven)
	untrained.Model, untrained.TrainSteps = "copy-rope@9", 9
	along := summary.Inside([]eval.Finding{looked("rope", eval.TaskTokens, 10, 0, eval.RoleMixed), untrained}, nil)[0]
	if len(along.Models) != 2 || along.Models[0].Encoding != "rope (step 0)" || along.Models[1].Encoding != "rope (step 9)" {
		t.Errorf("along training: %+v", along.Models)
	}
	var course []eval.Finding
	for _, step := range []int{9, 0, 20, 30} {
		f := looked("rope", eval.TaskTokens, 10, 0, eval.RoleEven)
		f.Model, f.TrainSteps = fmt.Sprintf("copy-rope@%d", step), step
		course = append(course, f)
	}
	last := looked("rope", eval.TaskTokens, 10, 0, eval.RoleEven)
	last.TrainSteps = 30
	whole := summary.Inside(append(course, last, looked("nope", eval.TaskTokens, 10, 0, eval.RoleEven)), nil)[0]
	names := func(models []summary.InsideModel) []string {
		return summary.Each(models, func(m summary.InsideModel) string { return m.Name })
	}
	runs := whole.Runs()
	if len(runs) != 1 || runs[0].Model.Name != "copy-rope" || runs[0].Init.Name != "copy-rope@0" ||
		!slices.Equal(summary.Each(runs[0].Course, func(m *summary.InsideModel) int { return m.Steps }), []int{0, 9, 20, 30}) {
		t.Errorf("runs %+v", runs)
	}
	if diff := cmp.Diff([]string{"copy-rope@0", "copy-rope", "copy-nope"}, names(whole.Ends())); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
	pair := task.Pairs[0]
	if len(task.Pairs) != 1 || pair.Model != "rope" || pair.Other != "nope" || pair.Length != 10 ||
		summary.Mean(pair.JensenShannon) < 0.2999 || summary.Mean(pair.JensenShannon) > 0.3001 || summary.Mean(pair.Published).Known() {
		t.Errorf("pairs %+v", task.Pairs)
	}
}
