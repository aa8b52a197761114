package train_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/train"
)

// Damage to the metrics, which are for people, stops nothing: what can be read is
// kept, and what is lost is said.
func TestDamagedMetrics(t *testing.T) {
	cfg := micro("nope", 9)
	cfg.Train.CheckpointEvery, cfg.Train.KeepCheckpoints = 8, 1
	for _, tc := range []struct {
		name   string
		damage func(lines []string) []string // of steps 1 to 8
		want   string                        // of the warnings, with the path for @
		steps  int                           // lines of steps when the run is finished
	}{
		{"whole", func(l []string) []string { return l }, "", 9},
		{"a line", func(l []string) []string { l[2] = "\x00\x00\x00\n"; return l }, "@:3 cannot be read", 8},
		{"a value", func(l []string) []string { l[4] = `{"step":5,"loss":"low"}` + "\n"; return l }, "@:5 cannot be read", 8},
		{"no step", func(l []string) []string { l[4] = "{}\n"; return l }, "@:5 cannot be read", 8},
		{"three lines", func(l []string) []string { l[1], l[5], l[7] = "2\n", "\n", "{\n"; return l }, "@:2 cannot be read and is left out (json: cannot unmarshal number into Go value of type train.metricsLine), as are 2 further lines", 6},
		{"a short file", func(l []string) []string { return l[:5] }, "@ ends at step 5, and the newest checkpoint is of step 8", 6},
		{"no lines", func([]string) []string { return nil }, "@ ends at step 0, and", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			r := start(t, dir, cfg)
			ctx, cancel := context.WithCancel(t.Context())
			err := r.Run(ctx, func(s train.Stats) {
				if s.Step == 8 {
					cancel()
				}
			})
			if !errors.Is(err, train.ErrInterrupted) {
				t.Fatal(err)
			}
			r.Close()
			path := filepath.Join(dir, train.MetricsFile)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := tc.damage(strings.SplitAfter(strings.TrimSpace(string(data))+"\n", "\n")[:8])
			if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
				t.Fatal(err)
			}

			r, err = train.Resume(dir, train.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			said := strings.ReplaceAll(errors.Join(append(r.Warnings, errors.New("."))...).Error(), path, "@")
			if r.Step() != 8 || !strings.Contains(said, tc.want) || tc.want == "" && said != "." {
				t.Errorf("resumed at step %d with the warnings\n%s\nwant step 8 and %q", r.Step(), said, tc.want)
			}
			losses(t, r)
			if m, err := train.ReadMetrics(path); err != nil || len(m) != tc.steps {
				t.Errorf("%d lines of steps at the end (%v), want %d", len(m), err, tc.steps)
			}
		})
	}
}
