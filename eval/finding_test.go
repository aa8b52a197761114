package eval_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
)

func finding(change func(*eval.Finding)) eval.Finding {
	correct := 2
	f := eval.Finding{Schema: eval.FindingSchema, Measure: eval.FindAttention, Model: "m", Encoding: "nope", Task: "copy",
		Length: 3, Tokens: eval.TaskTokens, N: 4, Correct: &correct, Attention: &eval.Attention{Heads: 2, Mass: 1,
			Distances: eval.Distances{Queries: 5, Mean: 1}, Label: eval.RolePrevious,
			Roles: map[string]eval.Role{eval.RolePrevious: {Score: 1, Null: 0.25, Queries: 5}}}}
	if change != nil {
		change(&f)
	}
	return f
}

func TestFindings(t *testing.T) {
	divergence := finding(func(f *eval.Finding) {
		f.Measure, f.Attention, f.Divergence = eval.FindDivergence, nil, &eval.Divergence{With: "b", JensenShannon: 0.5}
	})
	want := []eval.Finding{finding(nil), divergence, finding(func(f *eval.Finding) {
		f.Attention, f.NA, f.Reason = nil, true, "too long"
	})}
	var b strings.Builder
	if err := eval.WriteFindings(&b, want...); err != nil {
		t.Fatal(err)
	}
	got, err := eval.ReadFindings(strings.NewReader(b.String() + "\n"))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for line := range strings.Lines(b.String()) {
		if !eval.HoldsFindings([]byte(line)) {
			t.Errorf("no finding: %s", line)
		}
	}
	if eval.HoldsFindings([]byte(`{"schema":2,"measure":"accuracy"}`)) || eval.HoldsFindings([]byte("text")) {
		t.Error("rows are taken for findings")
	}
}

func TestFindingErrors(t *testing.T) {
	for want, change := range map[string]func(*eval.Finding){
		"schema is 9":                func(f *eval.Finding) { f.Schema = 9 },
		`measure is "speed"`:         func(f *eval.Finding) { f.Measure = "speed" },
		`tokens is "all"`:            func(f *eval.Finding) { f.Tokens = "all" },
		"length is 0":                func(f *eval.Finding) { f.Length = 0 },
		"what was found is missing":  func(f *eval.Finding) { f.Attention = nil },
		"9 correct of 4":             func(f *eval.Finding) { *f.Correct = 9 },
		"head is 2 of 2":             func(f *eval.Finding) { f.Attention.Head = 2 },
		"distance is -1":             func(f *eval.Finding) { f.Attention.Mean = -1 },
		"map has 49 rows":            func(f *eval.Finding) { f.Attention.Map = make([][]float64, 49) },
		"trained lengths are 3 to 2": func(f *eval.Finding) { f.TrainMin, f.TrainMax = 3, 2 },
		"js is 1": func(f *eval.Finding) {
			f.Measure, f.Attention, f.Divergence = eval.FindDivergence, nil, &eval.Divergence{JensenShannon: 1}
		},
		"r2 is 2": func(f *eval.Finding) {
			f.Measure, f.Attention, f.Logits = eval.FindLogits, nil, &eval.LogitFit{Heads: 1, Both: 2}
		},
		"9 tokens of 3": func(f *eval.Finding) {
			f.Measure, f.Attention = eval.FindCausal, nil
			f.Causal = &eval.Causal{Patched: eval.CausalScore{TokensCorrect: 9, Tokens: 3}}
		},
	} {
		err := eval.WriteFindings(&strings.Builder{}, finding(change))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
	if _, err := eval.ReadFindings(strings.NewReader("{}")); err == nil || !strings.Contains(err.Error(), "line 1: schema is 0") {
		t.Errorf("error %v", err)
	}
}

// The excess is 0 at the null model's score, 1 at the greatest there is, and 0 where there is no room.
func TestExcess(t *testing.T) {
	for _, tc := range []struct {
		role eval.Role
		want float64
	}{
		{eval.Role{Score: 0.25, Null: 0.25, Queries: 1}, 0}, {eval.Role{Score: 1, Null: 0.25, Queries: 1}, 1},
		{eval.Role{Score: 0.625, Null: 0.25, Queries: 1}, 0.5}, {eval.Role{Score: 1, Null: 1, Queries: 1}, 0}, {eval.Role{}, 0},
	} {
		if got := tc.role.Excess(); math.Abs(got-tc.want) > 1e-12 {
			t.Errorf("%+v: %v, want %v", tc.role, got, tc.want)
		}
	}
}
