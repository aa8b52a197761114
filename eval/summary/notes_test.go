package summary

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// A note stands where its condition holds, and nowhere else.
func TestNotesAreAll(t *testing.T) {
	good := []int{100, 100, 95, 60}
	second := func(rows []eval.Row) []eval.Row { // of another file
		for i := range rows {
			rows[i].Model += "-2"
		}
		return rows
	}
	fitted := slices.Concat(run(measured("a", 100, good), 1, 100), second(run(measured("a", 100, good), 2, 0)))
	for _, tc := range []struct {
		name string
		rows []eval.Row
		opt  Options
		want []string
	}{
		{"nothing to note", slices.Concat(measured("a", 100, good), measured("b", 100, []int{100, 90, 50, 20})), Options{}, nil},
		{"some runs count", fitted, Options{OnlyFitted: true}, []string{"On copy, a counts with 1 of 2 runs: those that fitted."}},
		{"all runs count", fitted, Options{}, nil},
		{"the runs that count are all", run(measured("a", 100, good), 1, 100), Options{OnlyFitted: true}, nil},
		{"a ranking more for two of three", slices.Concat(measured("a", 100, good), second(run(measured("a", 100, good), 1, -1)),
			measured("b", 100, []int{100, 90, 50, 20}), second(run(measured("b", 100, []int{100, 90, 50, 20}), 1, -1)),
			measured("c", 100, []int{100, 90, 50, 20})), Options{},
			[]string{"c is ranked with 1 run, others with up to 2: its mean reciprocal rank is of fewer tasks or seeds."}},
	} {
		s, err := New(tc.rows, tc.opt)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, s.Notes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// A column of published numbers is a length or a bin, of which the ends may be one.
func TestReadSpan(t *testing.T) {
	for text, want := range map[string]task.Span{"20": {Min: 20, Max: 20}, "51-100": {Min: 51, Max: 100}, "7-7": {Min: 7, Max: 7}, "0": {}} {
		if got, err := readSpan(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "100-51", "51-", "-51", "51-x", "x-51", "1-2-3"} {
		if got, err := readSpan(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
