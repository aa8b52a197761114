package summary

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
)

// TestSpeedByPlace: a series has a column in the tables of each place. A length that it could not take is n/a in all, though its
// row names neither an engine's version nor a device, and one that it was not measured at there is a dash.
func TestSpeedByPlace(t *testing.T) {
	timed := func(encoding, provider string, length int, ms float64) eval.Row {
		r := eval.Row{Schema: eval.RowSchema, Measure: eval.MeasureSpeed, Environment: eval.Environment{Model: encoding, Provider: provider,
			Machine: "x86", ORTVersion: "1.29"}, Encoding: encoding, Profile: "portable", Length: length, Batch: 4}
		r.DecodeSteps, r.DecodeP50MS, r.DecodeP95MS, r.DecodeP99MS = 32, ms, 2*ms, 3*ms
		return r
	}
	lacks := func(encoding string, length int) eval.Row {
		r := timed(encoding, "cpu", length, 0)
		r.NA, r.Reason, r.Speed, r.ORTVersion = true, "too long", eval.Speed{}, ""
		return r
	}
	step := func(rows ...eval.Row) (tables []string, lines [][]string, notes []string) {
		section := speedSection(studyOf(t, rows).Tasks[0], func(c costTables) []Table { return []Table{c.step()} })
		for _, table := range section.Tables {
			lines = append(lines, table.texts("")[1:]...)
			tables, notes = append(tables, table.Title), append(notes, table.Notes...)
		}
		return tables, lines, notes
	}
	const title = "one more token of the whole batch in ms: p50/p95/p99 over steps"
	titles, lines, notes := step(timed("a", "cpu", 8, 1), lacks("b", 16), timed("a", "cpu", 16, 2), timed("b", "cpu", 8, 3), timed("a", "go", 8, 5))
	if diff := cmp.Diff([]string{title + ", x86 · cpu", title + ", x86 · go"}, titles); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
	want := [][]string{{"8", "1.00/2.00/3.00", "3.00/6.00/9.00"}, {"16", "2.00/4.00/6.00", "n/a"}, {"8", "5.00/10.0/15.0", "–"}, {"16", "–", "n/a"}}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"n/a: b at length 16: too long"}, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	titles, lines, notes = step(lacks("a", 8), lacks("a", 16))
	if len(titles) != 1 || titles[0] != title || len(lines) != 2 || lines[0][1] != "n/a" || len(notes) != 1 ||
		notes[0] != "n/a: a at length 8 (and 1 more): too long" {
		t.Errorf("of no length that it takes: %q, %q, %q", titles, lines, notes)
	}
}
