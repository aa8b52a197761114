package sweep

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/experiment/launch"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
)

// timed are runs of two encodings with two rates and seeds each.
func timed(t *testing.T, folder string) []Run {
	t.Helper()
	f, err := Parse("p", []byte("encodings: [nope, rope]\nseeds: [1, 2]\ngrid: {train.lr: [1e-3, 2e-3]}\n"+
		"model: {d_model: 16, n_layers: 1, n_heads: 2}\ntrain: {lengths: 1..3, steps: 4}"))
	if err != nil {
		t.Fatal(err)
	}
	runs, err := f.Runs(folder, configs.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// Runs that differ in seed and rate are measured once, with the threads of a worker; those
// with results are not.
func TestPlan(t *testing.T) {
	runs := timed(t, t.TempDir())
	var mu sync.Mutex
	paces, reported := map[string]int{}, 0
	failed := errors.New("no luck")
	planned, err := Plan(t.Context(), runs, PlanOptions{
		Workers:  1 << 20,
		Measured: func(r Run) bool { return r.Name == runs[0].Name },
		Pace: func(_ context.Context, r launch.Run) (train.Pace, error) {
			mu.Lock()
			defer mu.Unlock()
			paces[r.Config.Model.Encoding]++
			if r.Config.Train.Threads != 1 {
				t.Errorf("%d threads, want 1", r.Config.Train.Threads)
			}
			if r.Config.Model.Encoding == "rope" {
				return train.Pace{}, failed
			}
			return train.Pace{Step: time.Second}, nil
		},
		Report: func(done, total int) { reported = 10*done + total },
	})
	if err != nil || paces["nope"] != 1 || paces["rope"] != 1 || reported != 22 {
		t.Fatalf("%v; measured %v, reported %d", err, paces, reported)
	}
	for i, p := range planned {
		left, failure, measured := 4*time.Second, error(nil), i == 0
		if measured {
			left = 0
		} else if p.Config.Model.Encoding == "rope" {
			left, failure = 0, failed
		}
		if p.Name != runs[i].Name || p.Left() != left || p.Err != failure || p.Measured != measured ||
			(p.Seconds == nil) != (failure != nil) {
			t.Errorf("%s: %v, %v, measured %v", p.Name, p.Seconds, p.Err, p.Measured)
		}
	}
	for workers, want := range map[int]time.Duration{1: 12, 2: 8, 3: 4, 9: 4} {
		if all := Together(planned, workers); all != want*time.Second {
			t.Errorf("%d workers: %v", workers, all)
		}
	}
}

// What is not measured within the limit has no time; the end of the context is an error.
func TestPlanLimit(t *testing.T) {
	wait := func(ctx context.Context, _ launch.Run) (train.Pace, error) {
		<-ctx.Done()
		return train.Pace{}, ctx.Err()
	}
	planned, err := Plan(t.Context(), timed(t, t.TempDir()), PlanOptions{Limit: time.Millisecond, Pace: wait})
	timely := func(p Planned) bool {
		return !errors.Is(p.Err, ErrNotTimed) || !strings.Contains(p.Err.Error(), "1ms") || p.Seconds != nil
	}
	if err != nil || len(planned) != 8 || slices.ContainsFunc(planned, timely) {
		t.Errorf("%v, %v", planned, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Plan(ended, timed(t, t.TempDir()), PlanOptions{Pace: wait}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A run that has begun takes what is left of it; one with other settings in the place is refused.
func TestPlanOfBegun(t *testing.T) {
	orttest.Require(t)
	folder := t.TempDir()
	run := Run{Name: "a", Dir: filepath.Join(folder, "a"), Config: config(t, 4)}
	trainer, err := train.New(run.Dir, run.Config, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = trainer.Run(ctx, func(s journal.Stats) {
		if s.Step == 3 {
			cancel()
		}
	})
	if !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	trainer.Close()
	second := PlanOptions{Pace: func(context.Context, launch.Run) (train.Pace, error) {
		return train.Pace{Step: time.Second}, nil
	}}
	planned, err := Plan(t.Context(), []Run{run}, second)
	if err != nil || planned[0].Left() != time.Second {
		t.Errorf("begun: %+v, %v", planned, err)
	}
	if planned, err = Plan(t.Context(), []Run{run}, PlanOptions{}); err != nil || planned[0].Err != nil || planned[0].Left() <= 0 {
		t.Errorf("measured here: %+v, %v", planned, err)
	}
	if trainer, err = train.Resume(run.Dir, train.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := trainer.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	trainer.Close()
	if planned, err = Plan(t.Context(), []Run{run}, second); err != nil || *planned[0].Seconds != 0 {
		t.Errorf("finished: %+v, %v", planned, err)
	}
	run.Config = config(t, 5)
	if _, err := Plan(t.Context(), []Run{run}, second); !errors.Is(err, train.ErrOtherRun) {
		t.Errorf("another run: %v", err)
	}
}
