package study_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/study"
)

func TestMeanReciprocalRanks(t *testing.T) {
	for _, tc := range []struct {
		name     string
		contests []study.Contest
		tieOrder []string
		want     []study.MRR
	}{
		{"one contest", []study.Contest{{"a": 0.2, "b": 0.9, "c": 0.5}}, nil,
			[]study.MRR{{"b", 1, 1}, {"c", 1. / 2, 1}, {"a", 1. / 3, 1}}},
		{"mean over contests", []study.Contest{{"a": 1, "b": 0}, {"a": 0, "b": 1}, {"a": 0, "b": 1}}, nil,
			[]study.MRR{{"b", 2.5 / 3, 3}, {"a", 2. / 3, 3}}},
		{"two best share ranks 1 and 2", []study.Contest{{"a": 1, "b": 1, "c": 0}}, nil,
			[]study.MRR{{"a", 1 / 1.5, 1}, {"b", 1 / 1.5, 1}, {"c", 1. / 3, 1}}},
		{"three share ranks 2 to 4", []study.Contest{{"a": 0, "b": 0, "c": 0, "d": 1}}, nil,
			[]study.MRR{{"d", 1, 1}, {"a", 1. / 3, 1}, {"b", 1. / 3, 1}, {"c", 1. / 3, 1}}},
		{"ties by order", []study.Contest{{"a": 0, "b": 0, "c": 0, "d": 1}}, []string{"c", "a", "b"},
			[]study.MRR{{"d", 1, 1}, {"c", 1. / 2, 1}, {"a", 1. / 3, 1}, {"b", 1. / 4, 1}}},
		{"ties outside the order come after it", []study.Contest{{"x": 0, "b": 0, "y": 0}}, []string{"b"},
			[]study.MRR{{"b", 1, 1}, {"x", 1. / 2, 1}, {"y", 1. / 3, 1}}},
		{"order decides ties only", []study.Contest{{"a": 0.1, "b": 0.2}}, []string{"a", "b"},
			[]study.MRR{{"b", 1, 1}, {"a", 1. / 2, 1}}},
		{"absent and unknown", []study.Contest{{"a": 1, "b": 0, "c": math.NaN()}, {"b": 1, "c": 0}}, nil,
			[]study.MRR{{"a", 1, 1}, {"b", 0.75, 2}, {"c", 0.5, 1}}},
		{"no contest", []study.Contest{{"a": 1}, {"a": 1, "b": math.NaN()}, {}}, nil, nil},
	} {
		got := study.MeanReciprocalRanks(tc.contests, tc.tieOrder...)
		if diff := cmp.Diff(tc.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" { // sums of a few fractions
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// cells makes a contestant's cells from correct of 100 at each length.
func cells(chance float64, correct map[int]int) map[int]study.Cell {
	out := map[int]study.Cell{}
	for length, k := range correct {
		low, high := eval.Wilson(k, 100)
		out[length] = study.Cell{N: 100, Accuracy: float64(k) / 100, Low: low, High: high, Chance: chance}
	}
	return out
}

func TestNewRanking(t *testing.T) {
	on := map[string]map[int]study.Cell{
		"a": cells(0, map[int]int{9: 80, 10: 20, 11: 50}),
		"b": cells(0, map[int]int{9: 20, 10: 80, 12: 50}),
		"c": cells(0, nil), // measured nowhere
	}
	refused := cells(0, map[int]int{9: 90})
	refused[10] = study.Cell{}
	for _, tc := range []struct {
		name string
		task string
		by   study.Weighting
		c    map[int]study.Cell
		want study.Contest
	}{
		{"lengths in common weigh alike", "addition", study.ByLengths, nil, study.Contest{"a": 0.5, "b": 0.5}},
		{"as in the paper, by pairs of digit counts", "addition", study.ByExamples, nil, study.Contest{"a": (17*0.8 + 19*0.2) / 36, "b": (17*0.2 + 19*0.8) / 36}},
		{"options change no shares", "addition+full", study.ByExamples, nil, study.Contest{"a": (17*0.8 + 19*0.2) / 36, "b": (17*0.2 + 19*0.8) / 36}},
		{"the paper has as many of each", "copy", study.ByExamples, nil, study.Contest{"a": 0.5, "b": 0.5}},
		{"a task that is not known", "juggling", study.ByExamples, nil, study.Contest{"a": 0.5, "b": 0.5}},
		{"what cannot be taken is wrong", "copy", study.ByLengths, refused, study.Contest{"a": 0.5, "b": 0.5, "c": 0.45}},
		{"nothing in common", "copy", study.ByLengths, cells(0, map[int]int{40: 1}), nil},
	} {
		on["c"] = tc.c
		r := study.NewRanking(tc.task, on, tc.by)
		if diff := cmp.Diff(tc.want, r.Contest(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// 200 prompts in two lengths: 52 % may be guessing, 60 % is not (53.1 to 66.5 %).
func TestAtChance(t *testing.T) {
	ranking := func(of ...map[int]int) study.Ranking {
		all := map[string]map[int]study.Cell{}
		for i, correct := range of {
			all[string(rune('a'+i))] = cells(0.5, correct)
		}
		return study.NewRanking("parity", all, study.ByLengths)
	}
	for _, tc := range []struct {
		name string
		r    study.Ranking
		want bool
	}{
		{"all guess", ranking(map[int]int{9: 52, 10: 52}, map[int]int{9: 46, 10: 30}), true},
		{"one does better", ranking(map[int]int{9: 52, 10: 52}, map[int]int{9: 60, 10: 60}), false},
		{"one that guesses alone", ranking(map[int]int{9: 52}), true},
		{"nobody", ranking(), true},
	} {
		if got := tc.r.AtChance(); got != tc.want || got != (tc.r.Contest() == nil) {
			t.Errorf("%s: %v, contest %v", tc.name, got, tc.r.Contest())
		}
	}
	none := study.NewRanking("copy", map[string]map[int]study.Cell{"a": cells(1e-40, map[int]int{30: 0}), "b": cells(1e-40, map[int]int{30: 0})}, study.ByLengths)
	one := study.NewRanking("copy", map[string]map[int]study.Cell{"a": cells(1e-40, map[int]int{30: 0}), "b": cells(1e-40, map[int]int{30: 1})}, study.ByLengths)
	if !none.AtChance() || one.AtChance() {
		t.Error("where nobody copies all are at chance, where one does they are not")
	}
	r := ranking(map[int]int{9: 80, 10: 80}, map[int]int{9: 75, 10: 75}, map[int]int{9: 50, 10: 50})
	if r.Above("a", "b") || !r.Above("a", "c") || r.Above("c", "a") {
		t.Errorf("standings %+v", r.Standings)
	}
	if low, high := eval.Wilson(160, 200); math.Abs(r.Standings["a"].Low-low) > 1e-12 || math.Abs(r.Standings["a"].High-high) > 1e-12 || r.N != [2]int{100, 100} {
		t.Errorf("a mean over two equal lengths has the interval %+v, all prompts together %v to %v", r.Standings["a"], low, high)
	}
}
