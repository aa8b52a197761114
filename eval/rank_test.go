package eval_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nopezoo/zoo/eval"
)

func TestMeanReciprocalRanks(t *testing.T) {
	for _, tc := range []struct {
		name     string
		contests []eval.Contest
		tieOrder []string
		want     []eval.MRR
	}{
		{"one contest", []eval.Contest{{"a": 0.2, "b": 0.9, "c": 0.5}}, nil,
			[]eval.MRR{{"b", 1, 1}, {"c", 1. / 2, 1}, {"a", 1. / 3, 1}}},
		{"mean over contests", []eval.Contest{{"a": 1, "b": 0}, {"a": 0, "b": 1}, {"a": 0, "b": 1}}, nil,
			[]eval.MRR{{"b", 2.5 / 3, 3}, {"a", 2. / 3, 3}}},
		{"two best share ranks 1 and 2", []eval.Contest{{"a": 1, "b": 1, "c": 0}}, nil,
			[]eval.MRR{{"a", 1 / 1.5, 1}, {"b", 1 / 1.5, 1}, {"c", 1. / 3, 1}}},
		{"three share ranks 2 to 4", []eval.Contest{{"a": 0, "b": 0, "c": 0, "d": 1}}, nil,
			[]eval.MRR{{"d", 1, 1}, {"a", 1. / 3, 1}, {"b", 1. / 3, 1}, {"c", 1. / 3, 1}}},
		{"ties by order", []eval.Contest{{"a": 0, "b": 0, "c": 0, "d": 1}}, []string{"c", "a", "b"},
			[]eval.MRR{{"d", 1, 1}, {"c", 1. / 2, 1}, {"a", 1. / 3, 1}, {"b", 1. / 4, 1}}},
		{"ties outside the order come after it", []eval.Contest{{"x": 0, "b": 0, "y": 0}}, []string{"b"},
			[]eval.MRR{{"b", 1, 1}, {"x", 1. / 2, 1}, {"y", 1. / 3, 1}}},
		{"order decides ties only", []eval.Contest{{"a": 0.1, "b": 0.2}}, []string{"a", "b"},
			[]eval.MRR{{"b", 1, 1}, {"a", 1. / 2, 1}}},
		{"absent and unknown", []eval.Contest{{"a": 1, "b": 0, "c": math.NaN()}, {"b": 1, "c": 0}}, nil,
			[]eval.MRR{{"a", 1, 1}, {"b", 0.75, 2}, {"c", 0.5, 1}}},
		{"no contest", []eval.Contest{{"a": 1}, {"a": 1, "b": math.NaN()}, {}}, nil, nil},
	} {
		got := eval.MeanReciprocalRanks(tc.contests, tc.tieOrder...)
		if diff := cmp.Diff(tc.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" { // sums of a few fractions
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}
