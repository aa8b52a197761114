package train_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// TestPrepare checks that a run keeps its threads once it has begun, and that it is not mistaken
// for another one.
func TestPrepare(t *testing.T) {
	cfg := micro("nope", 3)
	cfg.Train.Threads = 0
	cfg, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "sweep", "run")
	for _, c := range []struct {
		threads, want int
		begins        bool
	}{{5, 5, false}, {3, 3, true}, {5, 3, true}} {
		prepared, err := train.Prepare(dir, cfg, c.threads, 0, true)
		if err != nil {
			t.Fatal(err)
		}
		was, err := runfile.ReadConfig(dir)
		if err != nil {
			t.Fatal(err)
		}
		if was.Train.Threads != c.want || prepared.Hash() != was.Hash() {
			t.Errorf("prepared for %d threads: the run has %d, the directory %d, want %d",
				c.threads, prepared.Train.Threads, was.Train.Threads, c.want)
		}
		if c.begins {
			if err := os.WriteFile(filepath.Join(dir, journal.MetricsFile), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	cfg.Train.Steps = 4
	if _, err := train.Prepare(dir, cfg, 3, 0, true); !errors.Is(err, train.ErrOtherRun) {
		t.Errorf("another run in the same directory: %v", err)
	}
}

// TestBusy checks who is seen at work, and that looking keeps nobody out.
func TestBusy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	busy := func(want bool) {
		t.Helper()
		if got, err := train.Busy(dir); got != want || err != nil {
			t.Errorf("Busy: %v, %v, want %v", got, err, want)
		}
	}
	busy(false)
	trainer := start(t, dir, micro("nope", 3))
	busy(true)
	trainer.Close()
	busy(false)
	again, err := train.Resume(dir, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
