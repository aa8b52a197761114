package summary

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
)

// TestUnmeasuredPlace: lengths that a model could not take stand in the column of those that were measured, though
// their rows name neither an engine's version nor a device.
func TestUnmeasuredPlace(t *testing.T) {
	in := func(ort, adapter string, r eval.Row) eval.Row {
		r.Profile, r.Provider, r.Machine, r.ORTVersion, r.Adapter = "portable", "cuda", "x86", ort, adapter
		return r
	}
	timed := func(length int) eval.Row {
		r := eval.Row{Schema: eval.RowSchema, Measure: eval.MeasureSpeed, Environment: eval.Environment{Model: "a"}, Encoding: "a", Length: length, Batch: 4}
		r.DecodeSteps, r.DecodeP50MS = 32, 4
		return r
	}
	lacks := func(length int) eval.Row {
		r := timed(length)
		r.NA, r.Reason, r.Cost = true, "too long", eval.Cost{}
		return r
	}
	older := func(r eval.Row) eval.Row { r.ToolVersion = "0.1"; return r }
	other := func(r eval.Row) eval.Row { r.Profile = "fused"; return r }
	type column struct {
		Name    string
		Lengths []int
	}
	for _, tc := range []struct {
		name string
		rows []eval.Row
		runs []column
	}{
		{"after what was measured", []eval.Row{in("1.29", "card", timed(8)), in("", "", lacks(16))},
			[]column{{"a", []int{8, 16}}}},
		{"before it", []eval.Row{in("", "", lacks(16)), older(in("1.29", "card", timed(8)))},
			[]column{{"a", []int{16, 8}}}},
		{"measured anew by another version", []eval.Row{in("1.29", "card", timed(8)), in("", "", lacks(16)),
			in("1.32", "card", timed(8)), in("", "", lacks(16))},
			[]column{{"a (ONNX Runtime 1.29)", []int{8, 16}}, {"a (ONNX Runtime 1.32)", []int{8, 16}}}},
		{"of another file", []eval.Row{in("1.29", "card", timed(8)), other(in("", "", lacks(16)))},
			[]column{{"a (portable, x86, card)", []int{8}}, {"a (fused, x86)", []int{16}}}},
		{"what it names stays", []eval.Row{in("1.29", "card", timed(8)), in("1.32", "card", lacks(16))},
			[]column{{"a (ONNX Runtime 1.29)", []int{8}}, {"a (ONNX Runtime 1.32)", []int{16}}}},
	} {
		s := studyOf(t, tc.rows)
		lengths := func(rows []eval.Row) []int { return each(rows, func(r eval.Row) int { return r.Length }) }
		runs := each(s.Tasks[0].Runs, func(of modelRun) column { return column{of.Name, lengths(of.Rows)} })
		if diff := cmp.Diff(tc.runs, runs); diff != "" {
			t.Errorf("%s: runs (-want +got):\n%s", tc.name, diff)
		}
	}
}
