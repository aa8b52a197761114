package summary_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/lists"
)

// seen is an observation of a model of copy that was trained on 1–10.
func seen(measure, encoding, tokens string, length int, values map[string]float64) eval.Observation {
	return eval.Observation{Schema: eval.ObservationSchema, Measure: measure, Model: "copy-" + encoding, Encoding: encoding,
		TrainMin: 1, TrainMax: 10, Task: "copy", Length: length, Tokens: tokens, N: 4, Values: values, Control: map[string]float64{}}
}

// looked is an observation of a head with a role, "" for none.
func looked(encoding, tokens string, length, head int, role string) eval.Observation {
	o := seen(eval.MeasureAttention, encoding, tokens, length, map[string]float64{"positional": 0.5, "distance": float64(length),
		"offset_at": 3, "position_at": 2, "entropy": 1})
	o.Head, o.Heads, o.Control["entropy"] = head, 2, 4
	if role != "" {
		o.Values[role] = 0.75
	}
	if tokens == eval.TaskTokens {
		o.Values["correct"] = float64(length / 10)
	}
	return o
}

// table is a table of a task's sections by the beginning of its title, as text.
func table(t *testing.T, sections []summary.Section, title string) string {
	t.Helper()
	for _, s := range sections {
		for _, table := range s.Tables {
			if strings.HasPrefix(table.Title, title) {
				var b strings.Builder
				lines := append([]string{strings.Join(table.Head, " | ")}, lists.Map(table.Lines, func(line []summary.Cell) string {
					return strings.Join(lists.Map(line, func(c summary.Cell) string { return c.Text }), " | ")
				})...)
				b.WriteString(strings.Join(append(lines, table.Notes...), "\n"))
				return b.String()
			}
		}
	}
	t.Fatalf("no table begins with %q", title)
	return ""
}

func TestInside(t *testing.T) {
	gone := looked("rope", eval.TaskTokens, 30, 0, "")
	gone.Values, gone.NA, gone.Reason = nil, true, "too long"
	apart := func(layer int, js, null float64) eval.Observation {
		o := seen(eval.MeasureDivergence, "rope", eval.TaskTokens, 10, map[string]float64{"js": js})
		o.Layer, o.With, o.WithEncoding, o.Control["js"] = layer, "copy-nope", "nope", null
		if layer == 0 {
			o.Values["js_published"] = 0.9
		}
		return o
	}
	other := apart(0, 0.25, 0.5)
	other.Encoding, other.Model, other.WithSeed = "nope", "copy-nope", 7
	all := summary.Inside([]eval.Observation{
		looked("rope", eval.TaskTokens, 20, 0, ""), looked("rope", eval.TaskTokens, 10, 0, eval.RoleEven),
		looked("rope", eval.TaskTokens, 10, 1, eval.RolePrevious), looked("rope", eval.TaskTokens, 20, 1, eval.RolePrevious),
		looked("nope", eval.RandomTokens, 20, 0, eval.RoleInduction),
		looked("rope", eval.TaskTokens, 10, 0, eval.RoleOffset), // again: this one counts
		gone, apart(0, 0.4, 0.6), apart(1, 0.2, 0.4), other,
	}, []string{"nope", "rope"})
	if len(all) != 1 || !slices.Equal(all[0].Lengths, []int{10, 20, 30}) {
		t.Fatalf("%+v", all)
	}
	if want := "On copy, at the longest trained length, 2 of 2 heads have a role (previous 1, offset 1)."; all[0].Summary != want {
		t.Errorf("the lead is %q, want %q", all[0].Summary, want)
	}
	sections := all[0].Sections(true)
	if got := lists.Map(sections, func(s summary.Section) string { return s.Title }); !slices.Equal(got, []string{
		"copy: what heads attend to", "copy: heads of copy-nope, trained on 1–10", "copy: heads of copy-rope, trained on 1–10"}) {
		t.Errorf("sections %q", got)
	}
	// Roles are counted at 10, the greatest trained length; for nope, which nobody observed there, at 20.
	for title, want := range map[string]string{
		"heads by role on the task":     "encoding | heads | previous | offset | by place\nrope | 2 | 1 | 1 | 50",
		"heads by role on random":       "encoding | heads | induction | by place\nnope | 1 | 1 | 50",
		"mean distance that heads":      "encoding | 10 | 20 | 30\nrope | 10.0 (25) | 20.0 (50) | –",
		"Jensen-Shannon":                "models | length | mean | shuffled | published | by layer\nnope seed 0 – nope seed 7 | 10 | 0.250 | 0.500 | 0.900 | 0.25\nrope – nope | 10 | 0.300 | 0.500 | – | 0.40 0.20\ncopy-rope at 30: too long",
		"role on random tokens, ":       "head | 20\n0.0 | induction 75 (50)",
		"mean distance in tokens, and ": "head | 10 | 20\n0.0 | 10.0 (25) | 20.0 (25)\n0.1 | 10.0 (25) | 20.0 (25)",
	} {
		if diff := cmp.Diff(want, table(t, sections, title)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", title, diff)
		}
	}
	if got := table(t, sections, "role, and its score"); got != "head | 10 | 20\n0.0 | 3 back 75 | mixed\n0.1 | previous 75 | previous 75" {
		t.Errorf("heads of rope:\n%s", got)
	}
	untrained := looked("nope", eval.TaskTokens, 10, 0, "")
	untrained.TrainMin, untrained.TrainMax = 0, 0
	if got := summary.Inside([]eval.Observation{untrained}, nil)[0].Sections(true)[1].Title; got != "copy: heads of copy-nope" {
		t.Errorf("of a model that was not trained: %s", got)
	}
	nothing := summary.Inside([]eval.Observation{gone}, nil)
	if got := nothing[0].Sections(true); len(got) != 1 || len(got[0].Tables) > 0 || got[0].Summary != "copy-rope at 30: too long" {
		t.Errorf("of nothing: %+v", got)
	}
}

// Observations at one place are told from others by each part of it: kind of tokens, layers before, head.
func TestInsidePlaces(t *testing.T) {
	probe := func(tokens string, layer, length int, r2 float64) eval.Observation {
		o := seen(eval.MeasureProbe, "nope", tokens, length, map[string]float64{"fit_length": 10, "r2": r2, "classified": 0.5})
		o.Layer = layer
		if length == 10 {
			o.Values["r2_withheld"], o.Values["r2_mixed"] = r2/2, 0.75
		}
		return o
	}
	fit := func(layer, head int, both float64) eval.Observation {
		o := seen(eval.MeasureLogits, "nope", eval.RandomTokens, 10, map[string]float64{"r2_both": both, "r2_distance": 0.25, "r2_content": 0.5, "tv_both": 0.125})
		o.Layer, o.Head, o.Heads = layer, head, 2
		return o
	}
	causal := seen(eval.MeasureCausal, "nope", eval.TaskTokens, 20, map[string]float64{"r2": 0.9, "r2_after": 0.2, "directions": 16, "tokens": 10,
		"before_tokens": 10, "ablated_tokens": 1, "shuffled_tokens": 6, "patched_queries": 4, "patched_moved": 3, "patched_kept": 1,
		"swapped_queries": 8, "swapped_moved": 6, "swapped_kept": 1, "step": 2, "place": 1.5})
	causal.Control, causal.Layer = map[string]float64{"ablated_tokens": 9, "patched_moved": 0, "patched_kept": 2, "swapped_moved": 2, "swapped_kept": 4}, 1
	tasks := summary.Inside([]eval.Observation{probe(eval.TaskTokens, 0, 10, 0.125), probe(eval.TaskTokens, 1, 10, 0.25), probe(eval.RandomTokens, 0, 10, 0.5),
		probe(eval.TaskTokens, 1, 5, 0.75), probe(eval.RandomTokens, 0, 20, -0.75), probe(eval.RandomTokens, 1, 20, 1), fit(0, 0, 0.5), fit(0, 1, 0.625), fit(1, 0, 0.75), causal}, nil)
	sections := tasks[0].Sections(true)
	for title, want := range map[string]string{
		"positions read off hidden states of task":   "model | layers | fitted on | 5 | 10\ncopy-nope | 0 | 10 | – | 0.12/0.06; 0.75 (50)\ncopy-nope | 1 | 10 | 0.75 (50) | 0.25/0.12; 0.75 (50)",
		"positions read off hidden states of random": "model | layers | fitted on | 10 | 20\ncopy-nope | 0 | 10 | 0.50/0.25; 0.75 (50) | -0.75 (50)\ncopy-nope | 1 | 10 | – | 1.00 (50)",
		"attention logits": "model | layer | length | heads | distance | place | both places | content | content, distance | content, place | even\n" +
			"copy-nope | 0 | 10 | 2 | 0.25 (–) | – (–) | – (–) | 0.50 (–) | 0.56 (0.12) | – (–) | –\n" +
			"copy-nope | 1 | 10 | 1 | 0.25 (–) | – (–) | – (–) | 0.50 (–) | 0.75 (0.12) | – (–) | –",
		"% of the completions' tokens": "model | layers | length | directions | before | ablated | random | shuffled | left\n" +
			"copy-nope | 1 | 20 | 16 | 100 | 10 | 90 | 60 | 0.20 of 0.90",
		"% of queries": "model | layers | length | place | keys | control | backwards | far | control | query | control\n" +
			"copy-nope | 1 | 20 | 75 | 75 (12) | 25 (50) | – | – | – | 75 (25) | 0 (50)",
	} {
		if diff := cmp.Diff(want, table(t, sections, title)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", title, diff)
		}
	}
	m := &tasks[0].Models[0]
	for _, tc := range []struct {
		measure, tokens string
		places, length  int
	}{
		// the greatest trained length, 10; the least one where none is trained
		{eval.MeasureProbe, eval.TaskTokens, 2, 1}, {eval.MeasureProbe, eval.RandomTokens, 2, 1}, {eval.MeasureCausal, eval.TaskTokens, 1, 2}, {eval.MeasureAttention, eval.TaskTokens, 0, -1},
	} {
		if places, length := m.Seen(tc.measure, tc.tokens); len(places) != tc.places || length != tc.length {
			t.Errorf("%s of %s tokens: %d places, length %d", tc.measure, tc.tokens, len(places), length)
		}
	}
}

// A role stands out by the share of what could be above its control: the greatest share, from 0.3 on; of equal ones the first.
func TestRoles(t *testing.T) {
	for _, tc := range []struct {
		name           string
		score, control map[string]float64
		want           string
	}{
		{"just enough", map[string]float64{eval.RoleFirst: 0.3}, nil, "first 30"},
		{"not enough", map[string]float64{eval.RoleFirst: 0.2999}, nil, "mixed"},
		{"a control as high", map[string]float64{eval.RoleFirst: 0.5}, map[string]float64{eval.RoleFirst: 0.5}, "mixed"},
		{"no room", map[string]float64{eval.RoleEven: 1}, map[string]float64{eval.RoleEven: 1 - 1e-12}, "mixed"},
		{"the greatest share", map[string]float64{eval.RolePrevious: 0.75, eval.RoleEven: 0.9}, map[string]float64{eval.RoleEven: 0.7}, "previous 75"},
		{"of what is left", map[string]float64{eval.RolePrevious: 0.6, eval.RoleEven: 0.9}, map[string]float64{eval.RoleEven: 0.7}, "even 90"},
		{"equal ones", map[string]float64{eval.RoleOffset: 0.5, eval.RolePosition: 0.5}, nil, "3 back 50"},
		{"a place", map[string]float64{eval.RolePosition: 0.5}, nil, "at 2 50"},
	} {
		o := looked("rope", eval.TaskTokens, 10, 0, "")
		for role, v := range tc.score {
			o.Values[role] = v
		}
		for role, v := range tc.control {
			o.Control[role] = v
		}
		if got := summary.Inside([]eval.Observation{o}, nil)[0].Models[0].Places[0].Roles[0]; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// A run is told by its name before the step, encoding and seeds; its last step counts once, and the weights before training.
func TestRuns(t *testing.T) {
	head := func(name string, steps int) eval.Observation {
		o := looked("rope", eval.TaskTokens, 10, 0, eval.RoleEven)
		o.Model, o.TrainSteps = name, steps
		return o
	}
	var course []eval.Observation
	for _, step := range []int{9, 0, 20, 30} {
		course = append(course, head(fmt.Sprintf("copy-rope@%d", step), step))
	}
	changed := head("copy-rope", 30)
	changed.Intervention = "window=2"
	otherSeed := head("copy-rope", 30)
	otherSeed.TrainSeed = 2
	all := summary.Inside(append(course, head("copy-rope", 30), changed, otherSeed, looked("nope", eval.TaskTokens, 10, 0, eval.RoleEven)), nil)[0]
	var ends, runs []string
	for _, m := range all.Models {
		if !m.OnTheWay {
			ends = append(ends, m.Name+" "+m.Encoding)
		}
		if m.Course != nil {
			runs = append(runs, fmt.Sprintf("%s %v %v", m.Name, m.Init != nil, lists.Map(m.Course, func(m *summary.InsideModel) int { return m.Steps })))
		}
	}
	if diff := cmp.Diff([]string{"copy-rope true [0 9 20 30]", "copy-rope false [30]"}, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"copy-rope@0 rope (step 0)", "copy-rope rope (step 30)", "copy-rope rope (window=2)", "copy-rope rope", "copy-nope nope"},
		ends); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
	if got := len(all.Sections(true)) - len(all.Sections(false)); got != 3 {
		t.Errorf("%d sections are of steps on the way, want 3", got)
	}
}
