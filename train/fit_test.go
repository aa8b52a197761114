package train_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// fit is what a checkpoint says, with -1 for a step that is not known.
func fit(t *testing.T, c *runfile.Checkpoint) (int, string) {
	t.Helper()
	said, err := train.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	if c.Progress.Fitted == nil {
		return -1, said
	}
	return *c.Progress.Fitted, said
}

func checkFit(t *testing.T, c *runfile.Checkpoint, step int, want string) {
	t.Helper()
	if got, said := fit(t, c); got != step || said != want {
		t.Errorf("step %d: fitted at %d, %q; want %d, %q", c.Step, got, said, step, want)
	}
}

// The first evaluation without a mistake counts, even where rounding hides one before,
// and by nothing later; a resumed run knows it on.
func TestFitted(t *testing.T) {
	dir := t.TempDir()
	o := train.Options{Evaluate: scripted(map[int]int{2: 19999, 4: 20000, 6: 10, 8: 20000})}
	cfg := evaluated(8, 2)
	cfg.Train.CheckpointEvery, cfg.Train.KeepCheckpoints = 1, 8
	r := startWith(t, dir, cfg, o)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := r.Run(ctx, func(s journal.Stats) {
		if s.Step == 5 {
			cancel()
		}
	})
	if !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	r.Close()
	if r, err = train.Resume(dir, o); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	losses(t, r)

	const fitted = "fitted at step 4 (no mistake in 20000 prompts at lengths 5..5)"
	if said, err := r.Fit(); err != nil || said != fitted {
		t.Errorf("%q, %v", said, err)
	}
	for step, want := range map[int]struct {
		step int
		text string
	}{1: {-1, ""}, 2: {0, "did not fit in 2 steps: best 100 %"}, 3: {0, "did not fit in 3 steps: best 100 %"},
		4: {4, fitted}, 6: {4, fitted}, 8: {4, fitted}} {
		c, err := runfile.ReadCheckpoint(runfile.Path(dir, step))
		if err != nil {
			t.Fatal(err)
		}
		checkFit(t, c, want.step, want.text)
		described, err := c.Card("")
		if err != nil || (described.FittedStep == nil) != (want.step < 0) ||
			want.step >= 0 && *described.FittedStep != want.step {
			t.Errorf("step %d: card %+v, %v", step, described, err)
		}
	}
	for i, e := range notedEvaluations(t, dir) {
		if e.Fitted != (i == 1) || e.Prompts != 20000 || strings.Contains(e.String(), "the first without a mistake") != e.Fitted {
			t.Errorf("evaluation %+v: %v", e, e)
		}
	}
}

func TestNotFitted(t *testing.T) {
	dir, plain := t.TempDir(), t.TempDir()
	losses(t, startWith(t, dir, evaluated(4, 2), train.Options{Evaluate: scripted(map[int]int{2: 19440, 4: 19000})}))
	checkFit(t, final(t, dir), 0, "did not fit in 4 steps: best 97.2 %")
	losses(t, start(t, plain, micro("nope", 2)))
	checkFit(t, final(t, plain), -1, "")
}

// What checkpoints of older versions leave open is known where their best score tells.
func TestFittedBefore(t *testing.T) {
	for _, tc := range []struct {
		name    string
		right   int
		samples int
		step    int
		text    string
	}{
		{"a mistake", 19000, 64, 0, "did not fit in 4 steps: best 95 %"},
		{"none", 20000, 64, 2, "fitted at step 2 (no mistake in prompts at lengths 5..5)"},
		{"so many that rounding may hide one", 20000, 10000, -1, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			cfg := evaluated(4, 2)
			cfg.Train.EvalSamples = tc.samples
			r := startWith(t, dir, cfg, train.Options{Evaluate: scripted(map[int]int{2: tc.right, 4: tc.right})})
			losses(t, r)
			if err := train.SaveWithoutFit(r); err != nil {
				t.Fatal(err)
			}
			checkFit(t, final(t, dir), tc.step, tc.text)
		})
	}
}

// A second phase counts on from the first, as its steps do.
func TestFittedSecondPhase(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	losses(t, start(t, first, micro("nope", 3)))
	cfg := evaluated(4, 2)
	at, err := train.StartAt(first)
	if err != nil {
		t.Fatal(err)
	}
	cfg.From = at
	losses(t, startWith(t, second, cfg, train.Options{Evaluate: scripted(map[int]int{4: 20000})}))
	c := final(t, second)
	described, err := c.Card("")
	if err != nil || described.Steps != 7 || *described.FittedStep != 7 || *c.Progress.Fitted != 4 {
		t.Errorf("card %+v, %v; fitted at %d of the run", described, err, *c.Progress.Fitted)
	}
}
