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
	"github.com/nopezoo/zoo/train/runfile"
)

// timed are runs of two encodings with two rates and seeds each.
func timed(t *testing.T, folder string) []Run {
	t.Helper()
	f, err := parse("p", []byte("encodings: [nope, rope]\nseeds: [1, 2]\ngrid: {train.lr: [1e-3, 2e-3]}\n"+
		"model: {d_model: 16, n_layers: 1, n_heads: 2}\ntrain: {lengths: 1..3, steps: 4}"))
	if err != nil {
		t.Fatal(err)
	}
	runs, err := f.runs(folder, configs.Sources{})
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
	planned, _, err := Plan(t.Context(), runs, Timing{
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
		Listed: func(p []Planned) error {
			if len(paces) > 0 || len(p) != len(runs) || p[0].Seconds == nil || p[1].Seconds != nil {
				t.Errorf("listed after %d measurements: %+v", len(paces), p)
			}
			return nil
		},
	})
	if err != nil || paces["nope"] != 1 || paces["rope"] != 1 || reported != 22 {
		t.Fatalf("%v; measured %v, reported %d", err, paces, reported)
	}
	for i, p := range planned {
		left, failure, measured := 4.0, error(nil), i == 0
		if measured {
			left = 0
		} else if p.Config.Model.Encoding == "rope" {
			left, failure = 0, failed
		}
		if p.Name != runs[i].Name || p.Seconds != nil && *p.Seconds != left || p.Err != failure || p.Measured != measured ||
			(p.Seconds == nil) != (failure != nil) {
			t.Errorf("%s: %v, %v, measured %v", p.Name, p.Seconds, p.Err, p.Measured)
		}
	}
	for workers, want := range map[int]time.Duration{1: 12, 2: 8, 3: 4, 9: 4} {
		if all := together(planned, workers); all != want*time.Second {
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
	planned, _, err := Plan(t.Context(), timed(t, t.TempDir()), Timing{Limit: time.Millisecond, Pace: wait})
	timely := func(p Planned) bool {
		return !errors.Is(p.Err, ErrNotTimed) || !strings.Contains(p.Err.Error(), "1ms") || p.Seconds != nil
	}
	if err != nil || len(planned) != 8 || slices.ContainsFunc(planned, timely) {
		t.Errorf("%v, %v", planned, err)
	}
	slow := func(context.Context, launch.Run) (train.Pace, error) {
		return train.Pace{Step: time.Second, AtLeast: true}, nil
	}
	planned, total, err := Plan(t.Context(), timed(t, t.TempDir()), Timing{Pace: slow})
	if err != nil || planned[0].Seconds != nil || planned[0].Least != 4 || planned[0].Err == nil || total != 8*4*time.Second {
		t.Errorf("a step longer than the limit: %+v, %v, %v", planned[0], total, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Plan(ended, timed(t, t.TempDir()), Timing{Pace: wait}); !errors.Is(err, context.Canceled) {
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
	second := Timing{Pace: func(context.Context, launch.Run) (train.Pace, error) {
		return train.Pace{Step: time.Second}, nil
	}}
	planned, total, err := Plan(t.Context(), []Run{run}, second)
	if err != nil || *planned[0].Seconds != 1 || total != time.Second {
		t.Errorf("begun: %+v, %v", planned, err)
	}
	if planned, _, err = Plan(t.Context(), []Run{run}, Timing{}); err != nil || planned[0].Err != nil || *planned[0].Seconds <= 0 {
		t.Errorf("measured here: %+v, %v", planned, err)
	}
	if trainer, err = train.Resume(run.Dir, train.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := trainer.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	trainer.Close()
	var listed *float64
	second.Listed = func(p []Planned) error { listed = p[0].Seconds; return nil }
	if planned, _, err = Plan(t.Context(), []Run{run}, second); err != nil || *planned[0].Seconds != 0 || listed == nil || *listed != 0 {
		t.Errorf("finished: %+v, listed %v, %v", planned, listed, err)
	}
	run.Config = config(t, 5)
	if _, _, err := Plan(t.Context(), []Run{run}, second); !errors.Is(err, train.ErrOtherRun) {
		t.Errorf("another run: %v", err)
	}
}

// Runs have one pace where they differ in seeds, rates, lengths of the run and of what lies between
// evaluations; not where they differ in what a step computes, or in whether anything is evaluated.
func TestPaceKey(t *testing.T) {
	one := config(t, 4)
	one.Train.EvalEvery = 5
	key := paceKey(one)
	for name, c := range map[string]struct {
		change func(*runfile.Recipe)
		same   bool
	}{
		"seed":         {func(r *runfile.Recipe) { r.Seed, r.DataSeed = 7, 8 }, true},
		"steps":        {func(r *runfile.Recipe) { r.Steps, r.CheckpointEvery, r.StopAfterPerfect = 9, 3, 2 }, true},
		"rates":        {func(r *runfile.Recipe) { r.LR, r.FinalLR, r.Warmup, r.WeightDecay = 1, 1, 1, 1 }, true},
		"moments":      {func(r *runfile.Recipe) { r.Beta1, r.Beta2, r.Eps = 0.5, 0.5, 1 }, true},
		"more often":   {func(r *runfile.Recipe) { r.EvalEvery = 1 }, true},
		"less often":   {func(r *runfile.Recipe) { r.EvalEvery = 50 }, true},
		"never":        {func(r *runfile.Recipe) { r.EvalEvery = 0 }, false},
		"batch":        {func(r *runfile.Recipe) { r.Batch++ }, false},
		"more prompts": {func(r *runfile.Recipe) { r.EvalSamples = 9 }, false},
	} {
		other := one
		c.change(&other.Train)
		if same := paceKey(other) == key; same != c.same {
			t.Errorf("%s: the same pace is %v, want %v", name, same, c.same)
		}
	}
}
