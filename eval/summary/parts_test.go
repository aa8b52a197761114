package summary

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
)

// TestPartTable checks what stands of the parts of a sweep beside one another, and which differences are said to be one.
func TestPartTable(t *testing.T) {
	var rows []eval.Row
	add := func(part, encoding string, correct ...int) {
		for seed, n := range correct {
			rows = append(rows, with(rowFor(t, encoding, seed, 30, n), func(r *eval.Row) {
				r.Model = fmt.Sprintf("copy-%s-tiny-%s-s%d", encoding, part, seed+1)
				r.ConfigHash = r.Model
			}))
		}
	}
	add("modern", "nope", 10, 20, 30)
	add("modern-ssmax", "nope", 50, 60, 70)
	add("modern", "rope", 80, 90, 100)
	add("gpt2", "nope", 20, 30, 40)
	add("gpt2", "rope", 40, 50, 60)
	s := fullStudy(t, rows...)
	table := s.Tasks[0].Differences[0]
	want := [][]string{
		{"encoding", "gpt2", "modern"},
		{"nope", "30.0 (25.0–35.0)", "20.0 (15.0–25.0)"}, // runs of both have 20 and 30
		{"nope (ssmax)", "–", "60.0 (55.0–65.0)"},
		{"rope", "50.0 (45.0–55.0)", "90.0 (85.0–95.0)"},
	}
	if diff := cmp.Diff(want, table.texts("")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Every run of modern is above every run of gpt2: rope."}, table.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}
