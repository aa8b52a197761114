package train_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// A pool of steps holds the sequences that its steps have by themselves, in runs of
// the same number for every step, each within the budget.
func TestPooledSteps(t *testing.T) {
	cfg, _ := resolved(t, micro("nope", 1))
	cfg.Train.Batch, cfg.Train.Lengths = 16, "1..20"
	pooled := cfg
	pooled.Train.PoolSteps, pooled.Train.MicroTokens = 4, 160
	var want, got []string
	runs := map[int]bool{}
	for step := 8; step < 12; step++ {
		want = append(want, decoded(t, cfg, step)...)
		got = append(got, decoded(t, pooled, step)...)
		batches, err := train.Draw(pooled, step)
		if err != nil {
			t.Fatal(err)
		}
		runs[len(batches)] = true
		weights, sequences := 0.0, 0
		for _, b := range batches {
			if b.Step != step || b.First != sequences {
				t.Errorf("step %d, sequence %d: the batch says %d, %d", step, sequences, b.Step, b.First)
			}
			sequences += b.IDs.Shape()[0]
			if b.IDs.Len() > 160 {
				t.Errorf("step %d: a run has %d tokens, the budget is 160", step, b.IDs.Len())
			}
			for _, w := range tensor.Data[float32](b.Weights) {
				weights += float64(w)
			}
		}
		if weights < 1-1e-5 || weights > 1+1e-5 {
			t.Errorf("step %d: loss weights sum to %v, want 1", step, weights)
		}
	}
	if len(runs) != 1 {
		t.Errorf("the steps have different numbers of runs: %v", runs)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the pool's sequences are not its steps' (-want +got):\n%s", diff)
	}
}

func decoded(t *testing.T, cfg runfile.Config, step int) []string {
	t.Helper()
	out, err := train.Decode(cfg, step)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A budget below the longest sequence, and one below every sequence, leave runs of one.
func TestBudgetBelowTheLongest(t *testing.T) {
	cfg, _ := resolved(t, micro("nope", 1))
	for i, budget := range []int{8, 1, 8, 1} {
		cfg.Train.MicroTokens = budget
		if i > 1 { // a batch that is no multiple of the lanes
			cfg.Train.Batch = 3
		}
		batches, err := train.Draw(cfg, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range batches {
			if n := b.IDs.Shape()[0]; n > 1 && b.IDs.Len() > budget {
				t.Errorf("budget %d: a run of %d sequences has %d tokens", budget, n, b.IDs.Len())
			}
		}
	}
}

// Groups are found at once however many they are, each of a sequence at least.
func TestManyRuns(t *testing.T) {
	for name, change := range map[string]func(*runfile.Recipe){
		"one sequence":              func(r *runfile.Recipe) { r.Batch = 1 },
		"one length":                func(r *runfile.Recipe) { r.Lengths = "6..6" },
		"a run for each of many":    func(r *runfile.Recipe) { r.Batch, r.MicroTokens = 4096, 1 },
		"a budget beyond the batch": func(r *runfile.Recipe) { r.MicroTokens = math.MaxInt },
		"a pool beyond the run":     func(r *runfile.Recipe) { r.Steps, r.PoolSteps = 1, 64 },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := micro("nope", 3)
			cfg.Train.PoolSteps, cfg.Train.MicroTokens = 2, 64
			change(&cfg.Train)
			cfg, _ = resolved(t, cfg)
			batches, err := train.Draw(cfg, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range batches {
				if n := b.IDs.Shape()[0]; n == 0 || n > 1 && b.IDs.Len() > cfg.Train.MicroTokens {
					t.Errorf("a run has %d sequences and %d tokens, the budget is %d", n, b.IDs.Len(),
						cfg.Train.MicroTokens)
				}
			}
		})
	}
}

// Without a budget a pool would give a step sequences of one length.
func TestPoolNeedsBudget(t *testing.T) {
	cfg := micro("nope", 1)
	cfg.Train.PoolSteps = 4
	const want = "train.pool_steps 4: needs train.micro_tokens"
	if _, err := cfg.Resolve(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}

// What a step sees does not depend on which steps were drawn before.
func TestPoolFromTheMiddle(t *testing.T) {
	cfg, _ := resolved(t, micro("nope", 1))
	cfg.Train.PoolSteps, cfg.Train.MicroTokens = 4, 32
	inOrder, err := train.DrawAll(cfg, 0, 1, 2, 3, 4, 5, 6, 7)
	if err != nil {
		t.Fatal(err)
	}
	jumping, err := train.DrawAll(cfg, 6, 1, 7, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []int{6, 1, 7, 4} {
		if diff := cmp.Diff(ids(inOrder[step]), ids(jumping[i])); diff != "" {
			t.Errorf("step %d (-in order +jumping):\n%s", step, diff)
		}
	}
}

func ids(batches []train.Batch) (out [][]int64) {
	for _, b := range batches {
		out = append(out, tensor.Data[int64](b.IDs))
	}
	return out
}

// The presets waste little on padding; paper, whose batches are random, a sixth.
func TestPresetsPadLittle(t *testing.T) {
	for _, name := range configs.Names(configs.Presets) {
		cfg := preset(t, name)
		p := padding(t, cfg)
		t.Logf("preset %s: %.1f %% padding", name, 100*p)
		most := 0.05
		if cfg.Train.PoolSteps == 0 {
			most = 0.2
		}
		if p > most {
			t.Errorf("preset %s: %.1f %% padding", name, 100*p)
		}
	}
}

// padding is the part of a run's tokens that is padding, over 16 steps.
func padding(t testing.TB, cfg runfile.Config) float64 {
	t.Helper()
	real, slots := 0, 0
	for step := range 16 {
		batches, err := train.Draw(cfg, step)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range batches {
			real += b.Tokens
			slots += b.IDs.Len()
		}
	}
	return 1 - float64(real)/float64(slots)
}

// preset returns one of the embedded configurations, resolved.
func preset(t testing.TB, name string) runfile.Config {
	t.Helper()
	layers, err := configs.Load(configs.Sources{Preset: name})
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := layers.Config("")
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
