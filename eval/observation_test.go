package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
)

func observation(change func(*eval.Observation)) eval.Observation {
	o := eval.Observation{Schema: eval.ObservationSchema, Measure: eval.MeasureAttention, Model: "m", Encoding: "nope", Task: "copy",
		Length: 3, Tokens: eval.TaskTokens, N: 4, Heads: 2,
		Values:  map[string]float64{"correct": 2, "mass": 1, "queries": 5, "distance": 1, "entropy": 0.5, eval.RolePrevious: 1},
		Control: map[string]float64{"distance": 1.5, "entropy": 0.75, eval.RolePrevious: 0.25}}
	if change != nil {
		change(&o)
	}
	return o
}

// measuredAs turns an observation into one of a measure with these numbers.
func measuredAs(measure string, values map[string]float64) func(*eval.Observation) {
	return func(o *eval.Observation) { o.Measure, o.Values, o.Control = measure, values, nil }
}

func TestObservations(t *testing.T) {
	want := []eval.Observation{observation(nil),
		observation(func(o *eval.Observation) {
			measuredAs(eval.MeasureDivergence, map[string]float64{"js": 0.5})(o)
			o.Heads, o.With, o.WithSeed, o.WithDataSeed = 0, "b", 1<<63+1, 3
		}),
		observation(func(o *eval.Observation) { o.Values, o.Control, o.NA, o.Reason = nil, nil, true, "too long" }),
		observation(func(o *eval.Observation) {
			o.Model, o.Intervention, o.Series = "a<b", "yarn:4", [][]float64{{1, 0}, {0.25, 0.75}}
		})}
	var b strings.Builder
	if err := eval.Write(&b, want...); err != nil {
		t.Fatal(err)
	}
	got, err := eval.ReadObservations(strings.NewReader(b.String() + "\n"))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for line := range strings.Lines(b.String()) {
		if !eval.HoldsObservations([]byte(line)) {
			t.Errorf("no observation: %s", line)
		}
	}
	if eval.HoldsObservations([]byte(`{"schema":2,"measure":"accuracy"}`)) || eval.HoldsObservations([]byte("text")) {
		t.Error("rows are taken for observations")
	}
}

func TestObservationErrors(t *testing.T) {
	causal := func(change func(*eval.Observation)) func(*eval.Observation) {
		return func(o *eval.Observation) {
			measuredAs(eval.MeasureCausal, map[string]float64{"r2": 1, "r2_after": 0, "directions": 1, "tokens": 3, "before_tokens": 3,
				"ablated_tokens": 0, "patched_tokens": 3, "patched_correct": 4})(o)
			change(o)
		}
	}
	for want, change := range map[string]func(*eval.Observation){
		"schema is 9":                func(o *eval.Observation) { o.Schema = 9 },
		`measure is "speed"`:         func(o *eval.Observation) { o.Measure = "speed" },
		`tokens is "all"`:            func(o *eval.Observation) { o.Tokens = "all" },
		"length is 0":                func(o *eval.Observation) { o.Length = 0 },
		"layer -1":                   func(o *eval.Observation) { o.Layer = -1 },
		"layer 4097":                 func(o *eval.Observation) { o.Layer = 4097 },
		"distance is missing":        func(o *eval.Observation) { delete(o.Values, "distance") },
		"correct is 9 of 4":          func(o *eval.Observation) { o.Values["correct"] = 9 },
		"correct is -1 of 4":         func(o *eval.Observation) { o.Values["correct"] = -1 },
		"head is 2 of 2":             func(o *eval.Observation) { o.Head = 2 },
		"head is -1 of 2":            func(o *eval.Observation) { o.Head = -1 },
		"head is 0 of 0":             func(o *eval.Observation) { o.Heads = 0 },
		"heads are 4097":             func(o *eval.Observation) { o.Heads = 4097 },
		"distance is -1":             func(o *eval.Observation) { o.Values["distance"] = -1 },
		"mass is 1e+16":              func(o *eval.Observation) { o.Values["mass"] = 1e16 },
		"previous is -1e+16":         func(o *eval.Observation) { o.Control[eval.RolePrevious] = -1e16 },
		"series has 65537 numbers":   func(o *eval.Observation) { o.Series = [][]float64{make([]float64, 1<<16), {0}} },
		"series has 1e+16":           func(o *eval.Observation) { o.Series = [][]float64{{1e16}} },
		"trained lengths are 3 to 2": func(o *eval.Observation) { o.TrainMin, o.TrainMax = 3, 2 },
		"js is 1":                    measuredAs(eval.MeasureDivergence, map[string]float64{"js": 1}),
		"r2_both is 2":               measuredAs(eval.MeasureLogits, map[string]float64{"r2_distance": 0, "r2_content": 0, "r2_both": 2, "sd": 1}),
		"classified is 2":            measuredAs(eval.MeasureProbe, map[string]float64{"r2": 1, "classified": 2}),
		"patched_tokens is 9 of 3":   causal(func(o *eval.Observation) { o.Values["patched_tokens"] = 9 }),
		"ablated_tokens is 4 of 3":   causal(func(o *eval.Observation) { o.Control = map[string]float64{"ablated_tokens": 4} }),
		"patched_moved is 2 of 1":    causal(func(o *eval.Observation) { o.Values["patched_queries"], o.Values["patched_moved"] = 1, 2 }),
		"patched_kept is 3 of 1": causal(func(o *eval.Observation) {
			o.Values["patched_queries"], o.Control = 1, map[string]float64{"patched_kept": 3}
		}),
		"swapped_moved is 1 of 0":   causal(func(o *eval.Observation) { o.Values["swapped_moved"] = 1 }),
		"patched_correct is 5 of 4": causal(func(o *eval.Observation) { o.Values["patched_correct"] = 5 }),
	} {
		err := eval.Write(&strings.Builder{}, observation(change))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
	if err := eval.Write(&strings.Builder{}, observation(causal(func(*eval.Observation) {}))); err != nil {
		t.Error(err)
	}
	if _, err := eval.ReadObservations(strings.NewReader("{}")); err == nil || !strings.Contains(err.Error(), "line 1: schema is 0") {
		t.Errorf("error %v", err)
	}
}

// Lines of schema 1, one of each form, read as what the same observation is today, and are written so.
func TestSchema1(t *testing.T) {
	read := func(name string) (lines string, all []eval.Observation) {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		all, err = eval.ReadObservations(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data), all
	}
	_, got := read("observations1.jsonl")
	lines, want := read("observations2.jsonl")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-today +schema 1):\n%s", diff)
	}
	var b strings.Builder
	if err := eval.Write(&b, got...); err != nil || b.String() != lines {
		t.Errorf("error %v; written (-want +got):\n%s", err, cmp.Diff(lines, b.String()))
	}
}

// A role that no query of schema 1 could have had is unknown, not a score of 0.
func TestSchema1RoleWithoutQueries(t *testing.T) {
	const line = `{"schema":1,"measure":"attention","tokens":"task","length":3,"n":1,"attention":{"head":0,"heads":1,` +
		`"distance":1,"entropy":1,"roles":{"duplicate":{"score":0,"null":0,"queries":0},"even":{"score":0.5,"null":0.25,"queries":2}}}}`
	got, err := eval.ReadObservations(strings.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"distance": 1, "entropy": 1, "even": 0.5, "even_queries": 2}
	if diff := cmp.Diff(want, got[0].Values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]float64{"even": 0.25}, got[0].Control); diff != "" {
		t.Errorf("controls (-want +got):\n%s", diff)
	}
}

// The committed observations are read to the end, with the numbers that their measures have.
func TestCommittedObservations(t *testing.T) {
	for name, want := range map[string]map[string]int{
		"heads":    {eval.MeasureAttention: 2784, eval.MeasureDivergence: 312, eval.MeasureCausal: 152},
		"places":   {eval.MeasureAttention: 264, eval.MeasureCausal: 88},
		"theorems": {eval.MeasureAttention: 2976, eval.MeasureDivergence: 108, eval.MeasureProbe: 1008, eval.MeasureLogits: 864, eval.MeasureCausal: 288},
	} {
		file, err := os.Open("../studies/inside/" + name + ".jsonl.gz")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		_, all, err := eval.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for _, o := range all {
			counts[o.Measure]++
			if o.Measure == eval.MeasureAttention && (len(o.Control) < 3 || o.Heads != 4 || o.Values[eval.RoleEven] == 0) {
				t.Fatalf("%+v", o)
			}
		}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
