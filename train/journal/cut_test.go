package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/train/journal"
)

// Damage to the metrics, which are for people, stops nothing: what can be read is
// kept, and what is lost is said.
func TestCutDamaged(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(lines []string) []string // of steps 1 to 9
		want   string                        // of the warnings, with the path for @
		steps  int                           // that are left
	}{
		{"whole", func(l []string) []string { return l }, "", 8},
		{"a line", func(l []string) []string { l[2] = "\x00\x00\x00\n"; return l }, "@:3 cannot be read", 7},
		{"a value", func(l []string) []string { l[4] = `{"step":5,"loss":"low"}` + "\n"; return l },
			"@:5 cannot be read", 7},
		{"no step", func(l []string) []string { l[4] = "{}\n"; return l }, "@:5 cannot be read", 7},
		{"three lines", func(l []string) []string { l[1], l[5], l[7] = "2\n", "\n", "{\n"; return l },
			"@:2 cannot be read and is left out (json: cannot unmarshal number into Go value of type journal.line), " +
				"as are 2 further lines", 5},
		{"a short file", func(l []string) []string { return l[:5] },
			"@ ends at step 5, and the newest checkpoint is of step 8", 5},
		{"no lines", func([]string) []string { return nil }, "@ ends at step 0, and", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, journal.MetricsFile)
			lines := tc.damage(strings.SplitAfter(metricsLines(1, 9), "\n")[:9])
			if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
				t.Fatal(err)
			}
			warnings, err := journal.Cut(dir, 8, 0)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.ReplaceAll(errors.Join(append(warnings, errors.New("."))...).Error(), path, "@")
			if !strings.Contains(said, tc.want) || tc.want == "" && said != "." {
				t.Errorf("warnings\n%s\nwant %q", said, tc.want)
			}
			if m, err := journal.Read(dir); err != nil || len(m.Steps) != tc.steps {
				t.Errorf("%d lines are left (%v), want %d", len(m.Steps), err, tc.steps)
			}
		})
	}
}

// A run that was stopped before its first checkpoint begins anew; without a file there
// is nothing to cut, and after a checkpoint its lines are lost.
func TestCutNothing(t *testing.T) {
	dir := t.TempDir()
	if warnings, err := journal.Cut(dir, 0, 0); len(warnings) != 0 || err != nil {
		t.Errorf("%v, %v", warnings, err)
	}
	if _, err := os.Stat(filepath.Join(dir, journal.MetricsFile)); err == nil {
		t.Error("a file was made")
	}
	if warnings, err := journal.Cut(dir, 2, 0); len(warnings) != 1 || err != nil {
		t.Errorf("%v, %v; want a warning that the steps are lost", warnings, err)
	}
}

// A file of absurd size is refused before it is read.
func TestHugeMetrics(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, journal.MetricsFile)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 6<<30); err != nil {
		t.Skip(err) // not every file system has sparse files
	}
	const want = "has 6442450944 bytes; such a file has at most 1073741824"
	if _, err := journal.Read(dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
