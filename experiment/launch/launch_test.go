package launch_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/experiment/launch"
	"github.com/nopezoo/zoo/internal/machine"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
)

// small is a run of a few milliseconds.
func small(t *testing.T, folder, steps string) launch.Run {
	t.Helper()
	var s configs.Sources
	for key, value := range map[string]string{"model.d_model": "16", "model.n_layers": "1", "model.n_heads": "2",
		"model.d_ff": "32", "train.lengths": "1..3", "train.batch": "4", "train.checkpoint_every": "1",
		"train.steps":   steps,
		"train.threads": "0", "train.eval_every": "2", "train.eval_samples": "4"} {
		s.Overrides = append(s.Overrides, configs.Value{Key: key, Value: value})
	}
	runs, err := launch.Plan(folder, s)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v, %v", runs, err)
	}
	return runs[0]
}

// A run is looked at before it begins, when it was stopped, and when it is finished; one
// with other settings in its place is told apart.
func TestRun(t *testing.T) {
	orttest.Require(t)
	folder := t.TempDir()
	look := func(state string) launch.Run {
		t.Helper()
		r, err := small(t, folder, "3").Look()
		if err != nil || r.State != state || r.Begun != (state != "not begun") || r.Cost.Memory == 0 {
			t.Fatalf("%+v, %v; want %s", r, err, state)
		}
		return r
	}
	open := func(r launch.Run, stop int) error {
		t.Helper()
		evaluations := 0
		trainer, err := r.Open(train.Options{Evaluated: func(journal.Evaluation) { evaluations++ }})
		if err != nil {
			t.Fatal(err)
		}
		defer trainer.Close()
		first := 0
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err = trainer.Run(ctx, func(s journal.Stats) {
			first = cmp.Or(first, s.Step)
			if s.Step == stop {
				cancel()
			}
		})
		if first != r.Step+1 {
			t.Errorf("the first step is %d, want %d", first, r.Step+1)
		}
		if stop == 0 && evaluations != 2 { // of steps 2 and 3
			t.Errorf("%d evaluations, want 2", evaluations)
		}
		return err
	}
	fresh := look("not begun")
	if pace, err := fresh.Pace(t.Context(), train.Options{}); err != nil || pace.Step <= 0 || pace.Evaluation <= 0 {
		t.Errorf("pace %+v (%v)", pace, err)
	}
	if err := open(fresh, 1); !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	stopped := look("stopped at step 1 of 3")
	if stopped.Config.Train.Threads != fresh.Config.Train.Threads || stopped.Loss == 0 {
		t.Errorf("%+v", stopped)
	}
	if err := open(stopped, 0); err != nil {
		t.Fatal(err)
	}
	look("finished")
	_, err := small(t, folder, "4").Look()
	if !errors.Is(err, train.ErrOtherRun) || !strings.Contains(err.Error(), "(train.steps was 3, now 4)") {
		t.Errorf("another run in its place: %v", err)
	}
	named, err := launch.Begun(fresh.Dir)
	if err != nil || len(named) != 1 || named[0].Config.Hash() != stopped.Config.Hash() {
		t.Errorf("by its name: %+v, %v", named, err)
	}
}

// A directory that was only prepared holds a run to be resumed, with its threads.
func TestPrepared(t *testing.T) {
	r := small(t, t.TempDir(), "3")
	if _, err := train.Prepare(r.Dir, r.Config, 1, 0, true); err != nil {
		t.Fatal(err)
	}
	r, err := r.Look()
	if err != nil || !r.Begun || r.State != "no checkpoint yet" || r.Config.Train.Threads != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A run that fits into the free memory with one lane only would begin with that.
func TestOneLane(t *testing.T) {
	r := small(t, t.TempDir(), "3")
	free := machine.This().MemoryFree
	if free == 0 {
		t.Skip("this system does not tell how much memory is free")
	}
	r.Config.Train.Threads, r.Config.Train.PoolSteps = 2, 0
	estimate := func(lanes int) int64 {
		t.Helper()
		c := r.Config
		c.Train.Lanes = lanes
		cost, err := train.EstimateCost(c)
		if err != nil {
			t.Fatal(err)
		}
		return cost.Memory
	}
	// What is free changes meanwhile, so neither is near it.
	for r.Config.Train.MicroTokens = 1024; estimate(1) < free/10*6; {
		r.Config.Train.MicroTokens += r.Config.Train.MicroTokens / 8
		r.Config.Train.Batch = r.Config.Train.MicroTokens / 2 // of 5 tokens and more: a run of each lane and more
	}
	if estimate(2) < free/10*11 {
		t.Fatalf("two lanes take %d bytes, one %d", estimate(2), estimate(1))
	}
	r, err := r.Look()
	if err != nil || !r.OneLane || r.Config.Train.Lanes != 1 || r.Cost.Memory != estimate(1) {
		t.Errorf("%+v, %v; want one lane", r, err)
	}
}

func TestRefused(t *testing.T) {
	var s configs.Sources
	s.Encodings = []string{"rope"}
	s.Overrides = []configs.Value{{Key: "model.encoding", Value: "nope", From: "--set"}}
	if runs, err := launch.Plan("runs", s); err == nil || !strings.Contains(err.Error(), "give it once") {
		t.Errorf("an encoding given twice: %v, %v", runs, err)
	}

	dir := t.TempDir()
	if runs, err := launch.Begun(dir); err == nil || !strings.Contains(err.Error(), "is not a run directory") {
		t.Errorf("an empty directory: %v, %v", runs, err)
	}
	weights := filepath.Join(dir, "model.safetensors")
	if err := errors.Join(os.WriteFile(weights, nil, 0o600),
		os.WriteFile(filepath.Join(dir, "config.json"), []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err := launch.Run{Dir: dir}.Look()
	if err == nil || !strings.Contains(err.Error(), "holds imported weights and no run") {
		t.Errorf("a folder of weights: %v", err)
	}
}
