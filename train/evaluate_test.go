package train_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// scripted is an evaluator whose answers depend on the step: of 1000 samples at
// a trained length, and of 10 at a longer one.
func scripted(right map[int]int) func(context.Context, int, map[string]*tensor.Tensor) ([]journal.Result, error) {
	return func(_ context.Context, step int, weights map[string]*tensor.Tensor) ([]journal.Result, error) {
		if weights["embed.weight"] == nil {
			return nil, errors.New("no weights")
		}
		n := right[step]
		return []journal.Result{
			{Length: 5, N: 20000, Correct: n, SequenceCorrect: n}, {Length: 9, N: 10, Correct: 4}, {Length: 12}}, nil
	}
}

func evaluated(steps, every int) runfile.Config {
	cfg := micro("nope", steps)
	cfg.Train.EvalEvery, cfg.Train.EvalLengths = every, "5,9,12"
	return cfg
}

func startWith(t *testing.T, dir string, cfg runfile.Config, o train.Options) *train.Trainer {
	t.Helper()
	orttest.Require(t)
	r, err := train.New(dir, cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// The best checkpoint is the first to reach the highest sequence accuracy,
// rounded to 4 digits, and outlives the pruning; the rest of the run is as if
// nothing had been evaluated.
func TestBestCheckpoint(t *testing.T) {
	dir, plain := t.TempDir(), t.TempDir()
	// 0.50002 rounds to 0.5, so step 6 is no better than step 3
	o := train.Options{Evaluate: scripted(map[int]int{3: 10000, 6: 10000, 9: 9999, 12: 8000})}
	var best []int
	o.Evaluated = func(e journal.Evaluation) {
		if e.Best {
			best = append(best, e.Step)
		}
	}
	losses(t, startWith(t, dir, evaluated(12, 3), o))
	if diff := cmp.Diff([]int{3}, best); diff != "" {
		t.Errorf("steps that were best (-want +got):\n%s", diff)
	}
	c, skipped, err := bestOf(dir)
	if err != nil || len(skipped) != 0 || c.Step != 3 {
		t.Fatalf("best is %+v, skipped %v, error %v; want step 3", c, skipped, err)
	}
	losses(t, start(t, plain, micro("nope", 12)))
	sameWeights(t, final(t, dir), final(t, plain))
	if p := final(t, dir).Progress; p.BestStep != 3 || p.BestScore != 0.5 {
		t.Errorf("the last checkpoint names step %d with %v as the best, want 3 with 0.5", p.BestStep, p.BestScore)
	}
	evals := notedEvaluations(t, dir)
	if len(evals) != 4 {
		t.Fatalf("%d evaluations in the metrics, want 4", len(evals))
	}
	if e := evals[1]; e.Step != 6 || *e.Accuracy != 0.5 || *e.Beyond != 0.4 || len(e.Lengths) != 3 {
		t.Errorf("second evaluation: %+v", e)
	}
}

// Perfect evaluations in a row end a run, and a resumed run counts on.
func TestStopAfterPerfect(t *testing.T) {
	cfg := evaluated(40, 2)
	cfg.Train.StopAfterPerfect = 3
	right := map[int]int{2: 20000, 4: 20000, 6: 19999, 8: 20000, 10: 20000, 12: 20000}
	dir := t.TempDir()
	r := startWith(t, dir, cfg, train.Options{Evaluate: scripted(right)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := r.Run(ctx, func(s journal.Stats) {
		if s.Step == 11 {
			cancel()
		}
	})
	if !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	r.Close()
	if r, err = train.Resume(dir, train.Options{Evaluate: scripted(right)}); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	losses(t, r)
	if c := final(t, dir); c.Step != 12 || !c.Finished() {
		t.Errorf("ended at step %d, finished %v; want 12, true", c.Step, c.Finished())
	}
	evals := notedEvaluations(t, dir)
	if len(evals) != 6 || !evals[5].Stop || evals[4].Stop {
		t.Errorf("evaluations %+v", evals)
	}
}

// A run interrupted within an evaluation makes that evaluation again, once.
func TestInterruptedEvaluation(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	evaluate := func(ctx context.Context, _ int, _ map[string]*tensor.Tensor) ([]journal.Result, error) {
		cancel()
		return nil, ctx.Err()
	}
	r := startWith(t, dir, evaluated(4, 2), train.Options{Evaluate: evaluate})
	if err := r.Run(ctx, nil); !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	r.Close()
	r, err := train.Resume(dir, train.Options{Evaluate: scripted(nil)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	losses(t, r)
	evals := notedEvaluations(t, dir)
	if len(evals) != 2 || evals[0].Step != 2 || evals[1].Step != 4 {
		t.Errorf("evaluations %+v, want steps 2 and 4", evals)
	}
}

func TestEvaluationErrors(t *testing.T) {
	for _, tc := range []struct {
		change func(*runfile.Recipe)
		want   string
	}{
		{func(r *runfile.Recipe) {}, "no evaluator"},
		{func(r *runfile.Recipe) { r.EvalLengths = "7..9" }, "none is a trained length (1..6)"},
		{func(r *runfile.Recipe) { r.EvalLengths = "x" }, "train.eval_lengths"},
		{func(r *runfile.Recipe) { r.EvalEvery = -1 }, "train.eval_every -1"},
		{func(r *runfile.Recipe) { r.EvalEvery, r.StopAfterPerfect = 0, 1 }, "train.stop_after_perfect"},
	} {
		cfg := evaluated(4, 2)
		tc.change(&cfg.Train)
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := train.New(dir, cfg, train.Options{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want one about %s", err, tc.want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: a refused run left its directory behind", tc.want)
		}
	}
}

// The lengths that are evaluated by default exist, also where a task has gaps, each task of
// a mixture has a trained one, and a configuration that was read again has the same.
func TestEvaluatedByDefault(t *testing.T) {
	for _, tc := range []struct{ tasks, lengths, want string }{
		{"copy", "", "2..20,30,40"},
		{"majority-interleaved", "", "6,12,15,21,24,30,36,39,45,48,72,96"},
		{"majority-interleaved,copy", "", "2..48,72,96"},
		{"copy,reverse", "1..4,1..50", "1..50,4,75,100"}, // 5, 10, …, 50 without it
		{"majority-interleaved,copy", "3..4,2..40", "2..40,3,60,80"},
	} {
		cfg := evaluated(4, 2)
		cfg.Train.Task, cfg.Train.Lengths, cfg.Train.EvalLengths = tc.tasks, tc.lengths, ""
		c, err := cfg.Resolve()
		if err != nil || c.Train.EvalLengths != tc.want {
			t.Fatalf("%s: %s, %v; want %s", tc.tasks, c.Train.EvalLengths, err, tc.want)
		}
		again, err := c.Resolve()
		if err != nil || again.Train.EvalLengths != tc.want {
			t.Errorf("%s, resolved again: %s, %v", tc.tasks, again.Train.EvalLengths, err)
		}
	}
}

// A noisy loss is none that explodes, whether it is high or near 0.
func TestExploded(t *testing.T) {
	repeat := func(n int, values ...float64) (out []float64) {
		for range n {
			out = append(out, values...)
		}
		return out
	}
	for _, tc := range []struct {
		name   string
		losses []float64
		want   int
	}{
		{"steady", repeat(500, 4.6), 0},
		{"noise near 0", append([]float64{4.6}, repeat(300, 1e-5, 0.3)...), 0},
		{"a short leap", append(append(repeat(50, 4.6), repeat(99, 50)...), repeat(50, 4.6)...), 0},
		{"above the start", append(repeat(50, 4.6), repeat(100, 50)...), 150},
	} {
		if got := train.Exploded(tc.losses); got != tc.want {
			t.Errorf("%s: exploded after %d losses, want %d", tc.name, got, tc.want)
		}
	}
	lost := append(append([]float64{4.6}, repeat(300, 0.1)...), repeat(200, 4)...)
	if got := train.Exploded(lost); got < 401 || got > 430 {
		t.Errorf("a loss that learned and forgot exploded after %d, want soon after 401", got)
	}
}

// In a mixture each task has trained lengths of its own.
func TestEvaluatedMixture(t *testing.T) {
	cfg := on("copy,summation", "1..4,1..2", 2)
	cfg.Train.EvalEvery, cfg.Train.EvalLengths = 2, "2,4"
	dir := t.TempDir()
	evaluate := func(context.Context, int, map[string]*tensor.Tensor) ([]journal.Result, error) {
		return []journal.Result{{Task: "copy", Length: 2, N: 4, Correct: 4},
			{Task: "copy", Length: 4, N: 4, Correct: 4},
			{Task: "summation", Length: 2, N: 4, Correct: 1}, {Task: "summation", Length: 4, N: 4}}, nil
	}
	losses(t, startWith(t, dir, cfg, train.Options{Evaluate: evaluate}))
	evals := notedEvaluations(t, dir)
	if len(evals) != 1 || *evals[0].Accuracy != 0.75 || *evals[0].Beyond != 0 {
		t.Errorf("evaluations %+v, want 9 of 12 in and 0 of 4 beyond", evals)
	}
}
