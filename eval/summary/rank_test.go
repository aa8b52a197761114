package summary

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

func TestReciprocalRanks(t *testing.T) {
	for _, tc := range []struct {
		name     string
		contests []contest
		tieOrder []string
		want     map[string][]float64
	}{
		{"one contest", []contest{{"a": 0.2, "b": 0.9, "c": 0.5}}, nil,
			map[string][]float64{"b": {1}, "c": {1. / 2}, "a": {1. / 3}}},
		{"each contest in turn", []contest{{"a": 1, "b": 0}, {"a": 0, "b": 1}, {"a": 0, "b": 1}}, nil,
			map[string][]float64{"a": {1, 0.5, 0.5}, "b": {0.5, 1, 1}}},
		{"two best share ranks 1 and 2", []contest{{"a": 1, "b": 1, "c": 0}}, nil,
			map[string][]float64{"a": {1 / 1.5}, "b": {1 / 1.5}, "c": {1. / 3}}},
		{"three share ranks 2 to 4", []contest{{"a": 0, "b": 0, "c": 0, "d": 1}}, nil,
			map[string][]float64{"d": {1}, "a": {1. / 3}, "b": {1. / 3}, "c": {1. / 3}}},
		{"ties by order", []contest{{"a": 0, "b": 0, "c": 0, "d": 1}}, []string{"c", "a", "b"},
			map[string][]float64{"d": {1}, "c": {1. / 2}, "a": {1. / 3}, "b": {1. / 4}}},
		{"ties outside the order come after it", []contest{{"x": 0, "b": 0, "y": 0}}, []string{"b"},
			map[string][]float64{"b": {1}, "x": {1. / 2}, "y": {1. / 3}}},
		{"order decides ties only", []contest{{"a": 0.1, "b": 0.2}}, []string{"a", "b"},
			map[string][]float64{"b": {1}, "a": {1. / 2}}},
		{"absent and unknown", []contest{{"a": 1, "b": 0, "c": math.NaN()}, {"b": 1, "c": 0}}, nil,
			map[string][]float64{"a": {1}, "b": {0.5, 1}, "c": {0.5}}},
		{"no contest", []contest{{"a": 1}, {"a": 1, "b": math.NaN()}, {}}, nil, map[string][]float64{}},
	} {
		if diff := cmp.Diff(tc.want, reciprocalRanks(tc.contests, tc.tieOrder)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// cells makes a contestant's cells from correct of 100 at each length.
func cells(chance float64, correct map[int]int) map[task.Span]cell {
	out := map[task.Span]cell{}
	for length, k := range correct {
		low, high := eval.Wilson(float64(k)/100, 100)
		out[task.At(length)] = cell{n: 100, accuracy: float64(k) / 100, low: low, high: high, chance: chance}
	}
	return out
}

func TestContestOf(t *testing.T) {
	on := map[string]map[task.Span]cell{
		"a": cells(0, map[int]int{9: 80, 10: 20, 11: 50}),
		"b": cells(0, map[int]int{9: 20, 10: 80, 12: 50}),
		"c": cells(0, nil), // measured nowhere
	}
	refused := cells(0, map[int]int{9: 90})
	refused[task.At(10)] = cell{}
	for _, tc := range []struct {
		name string
		task string
		by   string
		c    map[task.Span]cell
		want contest
	}{
		{"lengths in common weigh alike", "addition", ByLengths, nil, contest{"a": 0.5, "b": 0.5}},
		{"as in the paper, by pairs of digit counts", "addition", ByExamples, nil,
			contest{"a": (17*0.8 + 19*0.2) / 36, "b": (17*0.2 + 19*0.8) / 36}},
		{"options change no shares", "addition+full", ByExamples, nil,
			contest{"a": (17*0.8 + 19*0.2) / 36, "b": (17*0.2 + 19*0.8) / 36}},
		{"the paper has as many of each", "copy", ByExamples, nil, contest{"a": 0.5, "b": 0.5}},
		{"a task that is not known", "juggling", ByExamples, nil, contest{"a": 0.5, "b": 0.5}},
		{"what cannot be taken is wrong", "copy", ByLengths, refused, contest{"a": 0.5, "b": 0.5, "c": 0.45}},
		{"nothing in common", "copy", ByLengths, cells(0, map[int]int{40: 1}), contest{}},
	} {
		on["c"] = tc.c
		means, _ := contestOf(tc.task, on, tc.by)
		if diff := cmp.Diff(tc.want, means, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// 200 prompts in two lengths: 52 % may be guessing, 60 % is not (53.1 to 66.5 %).
func TestAtChance(t *testing.T) {
	atChance := func(name string, chance float64, of ...map[int]int) bool {
		all := map[string]map[task.Span]cell{}
		for i, correct := range of {
			all[string(rune('a'+i))] = cells(chance, correct)
		}
		_, atChance := contestOf(name, all, ByLengths)
		return atChance
	}
	low, _ := eval.Wilson(0.8, 200) // of all prompts of two equal lengths together
	better := []map[int]int{{9: 80, 10: 80}, {9: 75, 10: 75}}
	for _, tc := range []struct {
		name      string
		got, want bool
	}{
		{"all guess", atChance("parity", 0.5, map[int]int{9: 52, 10: 52}, map[int]int{9: 46, 10: 30}), true},
		{"one does better", atChance("parity", 0.5, map[int]int{9: 52, 10: 52}, map[int]int{9: 60, 10: 60}), false},
		{"one that guesses alone", atChance("parity", 0.5, map[int]int{9: 52}), true},
		{"nobody", atChance("parity", 0.5), true},
		{"nobody copies", atChance("copy", 1e-40, map[int]int{30: 0}, map[int]int{30: 0}), true},
		{"one copies", atChance("copy", 1e-40, map[int]int{30: 0}, map[int]int{30: 1}), false},
		{"the lower end above a guesser", atChance("parity", low-1e-9, better...), false},
		{"below one", atChance("parity", low+1e-9, better...), true},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %v", tc.name, tc.got)
		}
	}
}
