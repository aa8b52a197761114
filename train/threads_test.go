package train_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// stopAfterFirst makes the first step of a run, which then saves and ends.
func stopAfterFirst(t *testing.T, r *train.Trainer) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	if err := r.Run(ctx, func(journal.Stats) { cancel() }); !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	r.Close()
}

// resumed returns the warnings of a run that goes on.
func resumed(t *testing.T, dir string) string {
	t.Helper()
	r, err := train.Resume(dir, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	return fmt.Sprint(r.Warnings)
}

// A run stores the threads that it began with: another machine must not choose
// others.
func TestThreadsAreSettled(t *testing.T) {
	cfg := micro("nope", 3)
	cfg.Train.Threads = 0
	dir := t.TempDir()
	r := start(t, dir, cfg)
	if stored, err := runfile.ReadConfig(dir); err != nil || stored.Train.Threads != goruntime.NumCPU() {
		t.Errorf("%d threads are stored (%v), want one for each of %d processors",
			stored.Train.Threads, err, goruntime.NumCPU())
	}
	stopAfterFirst(t, r)
	if said := resumed(t, dir); said != "[]" {
		t.Errorf("resumed on the same machine with the warnings %s", said)
	}
}

// Runs of earlier versions go on, and it is said that their bits may differ.
func TestThreadsThatAreNotStored(t *testing.T) {
	cfg := micro("nope", 3)
	cfg.Train.Threads = 0
	dir := t.TempDir()
	r := start(t, dir, cfg)
	if err := train.LeaveThreadsOpen(r); err != nil {
		t.Fatal(err)
	}
	stopAfterFirst(t, r)
	if said := resumed(t, dir); !strings.Contains(said, "does not say how many threads") {
		t.Errorf("warnings %s, want one about the unknown threads", said)
	}
	if stored, err := runfile.ReadConfig(dir); err != nil || stored.Train.Threads != 0 {
		t.Errorf("%d threads are stored (%v), want 0 as in the run's checkpoints", stored.Train.Threads, err)
	}
}

// On a smaller machine a run keeps its threads, as far as that bears them.
func TestThreadsOfALargerMachine(t *testing.T) {
	cfg := micro("nope", 3)
	cfg.Train.Threads = goruntime.NumCPU() + 1
	dir := t.TempDir()
	stopAfterFirst(t, start(t, dir, cfg))
	if said := resumed(t, dir); !strings.Contains(said, fmt.Sprintf("keeps its %d threads", cfg.Train.Threads)) {
		t.Errorf("warnings %s, want one about more threads than processors", said)
	}

	orttest.Require(t)
	cfg.Train.Threads = engine.MaxThreads() + 1
	if _, err := train.New(t.TempDir(), cfg, train.Options{}); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprintf("train.threads is %d, ", cfg.Train.Threads)) {
		t.Errorf("a new run with too many threads: %v", err)
	}
	large := t.TempDir()
	if _, err := train.Prepare(large, cfg, 1, 0, true); err != nil {
		t.Fatal(err)
	}
	if _, err := train.Resume(large, train.Options{}); err == nil ||
		!strings.Contains(err.Error(), "go on with it where there are more") {
		t.Errorf("a run that began with too many threads: %v", err)
	}
}
