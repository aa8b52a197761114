package journal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/train/journal"
)

func TestFitted(t *testing.T) {
	for _, tc := range []struct {
		name      string
		sequences []*float64 // of the evaluations of steps 10, 20, …
		want      *int
	}{
		{"no evaluation", nil, nil},
		{"one without sequences", []*float64{nil}, nil},
		{"mistakes", []*float64{new(0.0), new(0.99999)}, new(0)},
		{"the first of several", []*float64{nil, new(0.5), new(1.0), new(0.5), new(1.0)}, new(30)},
	} {
		dir := t.TempDir()
		text := metricsLine(1)
		for i, s := range tc.sequences {
			e, err := json.Marshal(map[string]any{"step": 10 * (i + 1), "eval": journal.Evaluation{Sequence: s}})
			if err != nil {
				t.Fatal(err)
			}
			text += string(e) + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, journal.MetricsFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := journal.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, m.Fitted); diff != "" {
			t.Errorf("%s (-want +got): %s", tc.name, diff)
		}
	}
}
