package train_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/nopezoo/zoo/train"
)

// TestPrepare checks that a run keeps its threads, and that it is not mistaken
// for another one.
func TestPrepare(t *testing.T) {
	cfg := micro("nope", 3)
	cfg.Train.Threads = 0
	cfg, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "sweep", "run")
	for _, threads := range []int{3, 5} {
		r := train.SweepRun{Name: "run", Dir: dir, Config: cfg}
		if err := r.Prepare(threads); err != nil {
			t.Fatal(err)
		}
		was, err := train.ReadConfig(dir)
		if err != nil {
			t.Fatal(err)
		}
		if was.Train.Threads != 3 || r.Config.Hash() != was.Hash() {
			t.Errorf("prepared for %d threads: the run has %d, the directory %d; it began with 3", threads, r.Config.Train.Threads, was.Train.Threads)
		}
	}
	other := train.SweepRun{Name: "run", Dir: dir, Config: cfg}
	other.Config.Train.Steps = 4
	if err := other.Prepare(3); !errors.Is(err, train.ErrOtherRun) {
		t.Errorf("another run in the same directory: %v", err)
	}
}
