package train_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
)

// Damage to the metrics, which are for people, stops no run: it says what is lost, and
// notes what follows, in event files of its own too.
func TestDamagedMetrics(t *testing.T) {
	dir := t.TempDir()
	r := start(t, dir, micro("nope", 9))
	ctx, cancel := context.WithCancel(t.Context())
	err := r.Run(ctx, func(s journal.Stats) {
		if s.Step == 8 {
			cancel()
		}
	})
	if !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	r.Close()
	path := filepath.Join(dir, journal.MetricsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	lines[2] = "damaged\n"
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}

	if r, err = train.Resume(dir, train.Options{}); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Error(), path+":3 cannot be read") {
		t.Errorf("warnings %v, want one of line 3", r.Warnings)
	}
	losses(t, r)
	if n := len(notedSteps(t, dir)); n != 8 {
		t.Errorf("%d lines of steps at the end, want 8", n)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*")); len(files) != 2 {
		t.Errorf("event files %v (%v), want one of each session", files, err)
	}
}
