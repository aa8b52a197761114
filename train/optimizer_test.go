package train_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// inGraph are the options of a run whose updates are made by the update graph.
var inGraph = train.Options{GraphOptimizer: true}

// Some steps with either optimizer, over weights with and without decay, tied ones and those
// of encodings; with clipping at every step, at some, and none; in micro-batches that add
// up, and lanes.
func TestOptimizersAgree(t *testing.T) {
	for name, change := range map[string]func(*runfile.Config){
		"clip at some":    func(c *runfile.Config) {},
		"clip at all":     func(c *runfile.Config) { c.Train.Clip = 0.1 },
		"no clip":         func(c *runfile.Config) { c.Train.Clip = 0 },
		"one lane":        func(c *runfile.Config) { c.Train.MicroTokens, c.Train.Lanes = 24, 1 },
		"two lanes":       func(c *runfile.Config) { c.Train.MicroTokens, c.Train.Lanes = 24, 2 },
		"lanes, no clip":  func(c *runfile.Config) { c.Train.Clip, c.Train.MicroTokens, c.Train.Lanes = 0, 24, 3 },
		"dropout":         func(c *runfile.Config) { c.Model.Settings, c.Train.Dropout = "faithful", 0.1 },
		"learned in gpt2": func(c *runfile.Config) { c.Model.Settings, c.Model.Encoding = "gpt2", "learned" },
		"t5":              func(c *runfile.Config) { c.Model.Encoding = "t5" },
		"unrolled":        func(c *runfile.Config) { *c = clockwork(c.Train.Steps) },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := micro("alibi-learned", 8)
			cfg.Train.Threads, cfg.Train.WeightDecay = 3, 0.1
			change(&cfg)
			host, graph := t.TempDir(), t.TempDir()
			want, got := losses(t, start(t, host, cfg)), losses(t, startWith(t, graph, cfg, inGraph))
			agreeLosses(t, got, want, 1e-5)
			agreeWeights(t, final(t, graph), final(t, host), 2e-5)
		})
	}
}

func agreeLosses(t *testing.T, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d losses, want %d", len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*want[i]) {
			t.Errorf("step %d: loss %v, in Go %v", i+1, got[i], want[i])
		}
	}
}

// agreeWeights compares each weight, relative to its largest element.
func agreeWeights(t *testing.T, got, want *runfile.Checkpoint, tolerance float64) {
	t.Helper()
	for name, w := range want.Weights {
		if strings.HasSuffix(name, "k_proj.bias") {
			continue // does nothing, as it adds the same to all logits: its gradient is rounding only
		}
		largest, worst := 0.0, 0.0
		for i, x := range tensor.Data[float32](w) {
			largest = max(largest, math.Abs(float64(x)))
			worst = max(worst, math.Abs(float64(x-tensor.Data[float32](got.Weights[name])[i])))
		}
		if !(worst <= tolerance*largest) {
			t.Errorf("%s is off by %g, where the largest value is %g", name, worst, largest)
		}
	}
}

// Runs of some hundred steps stay together, in data that are new at each step and in one
// batch that is learned by heart: 30 steps to 1e-5 of the loss, and then to 0.05 nats.
// Rounding grows where activations have kinks; runs in one lane and in two, which only sum in
// another order, come as far apart (0.03 nats where this was measured).
func TestOptimizersLearn(t *testing.T) {
	for name, of := range map[string]struct {
		rate, last float64
		change     func(*train.Trainer)
	}{
		"new data":  {1e-3, 3.6, func(*train.Trainer) {}},
		"one batch": {3e-3, 0.1, train.RepeatFirstBatch},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := micro("nope", 200)
			cfg.Train.Lengths, cfg.Train.Batch, cfg.Train.MicroTokens = "1..3", 32, 128
			cfg.Train.LR, cfg.Train.CheckpointEvery = of.rate, 1000
			host, graph := start(t, t.TempDir(), cfg), startWith(t, t.TempDir(), cfg, inGraph)
			of.change(host)
			of.change(graph)
			want, got := losses(t, host), losses(t, graph)
			agreeLosses(t, got[:30], want[:30], 1e-5)
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= 0.05) {
					t.Errorf("step %d: loss %v, in Go %v", i+1, got[i], want[i])
				}
			}
			if last := got[len(got)-1]; !(last < of.last) {
				t.Errorf("loss %v at the end, want below %v", last, of.last)
			}
		})
	}
}

// An update whose runs do not fill all lanes takes no gradients of the update before.
func TestIdleLanes(t *testing.T) {
	cfg := micro("nope", 4)
	cfg.Train.Threads, cfg.Train.Lanes, cfg.Train.MicroTokens = 3, 3, 24
	host, graph := start(t, t.TempDir(), cfg), startWith(t, t.TempDir(), cfg, inGraph)
	for step, runs := range []int{5, 2, 1, 3} {
		data, err := train.Drawn(host, step)
		if err != nil {
			t.Fatal(err)
		}
		var of [2]journal.Stats
		for i, r := range []*train.Trainer{host, graph} {
			if of[i], err = train.Update(r, data[:runs]); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := of[0].GradNorm, of[1].GradNorm; !(math.Abs(a-b) <= 1e-5*a) {
			t.Errorf("%d runs: gradient norm %v, in Go %v", runs, b, a)
		}
	}
}

// interruptAt makes the steps of a run up to one.
func interruptAt(t *testing.T, r *train.Trainer, step int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := r.Run(ctx, func(s journal.Stats) {
		if s.Step == step {
			cancel()
		}
	})
	if !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	r.Close()
}

func resumeWith(t *testing.T, dir string, o train.Options) *train.Trainer {
	t.Helper()
	r, err := train.Resume(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// A run goes on from the other optimizer's checkpoint, and its metrics say who made which
// steps.
func TestOptimizersTakeTurns(t *testing.T) {
	cfg := micro("rope", 10)
	whole, turns := t.TempDir(), t.TempDir()
	want := losses(t, start(t, whole, cfg))
	interruptAt(t, start(t, turns, cfg), 3)
	interruptAt(t, resumeWith(t, turns, inGraph), 6)
	losses(t, resumeWith(t, turns, train.Options{}))
	var got []float64
	made := ""
	for _, s := range notedSteps(t, turns) {
		got = append(got, s.Loss)
		made += map[string]string{"": "h", journal.OptimizerGraph: "g"}[s.Optimizer]
	}
	agreeLosses(t, got, want, 1e-5)
	agreeWeights(t, final(t, turns), final(t, whole), 2e-5)
	if made != "hhhggghhhh" {
		t.Errorf("steps were made by %s, want hhhggghhhh", made)
	}
}

// What the graph optimizer holds comes whole to the host and back: an interrupted run has
// the bits of one that was not, and an evaluation sees the weights of its step.
func TestGraphOptimizerResumes(t *testing.T) {
	cfg := evaluated(10, 3)
	cfg.Train.MicroTokens, cfg.Train.CheckpointEvery, cfg.Train.KeepCheckpoints = 24, 1, 20
	seen := map[int]float32{}
	o := inGraph
	o.Evaluate = func(ctx context.Context, step int, w map[string]*tensor.Tensor) ([]journal.Result, error) {
		seen[step] = tensor.Data[float32](w["embed.weight"])[7]
		return scripted(nil)(ctx, step, w)
	}
	whole, parts := t.TempDir(), t.TempDir()
	losses(t, startWith(t, whole, cfg, o))
	for step, x := range seen {
		c, err := runfile.ReadCheckpoint(runfile.Path(whole, step))
		if err != nil {
			t.Fatal(err)
		}
		if y := tensor.Data[float32](c.Weights["embed.weight"])[7]; x != y {
			t.Errorf("evaluation of step %d saw %v, the checkpoint has %v", step, x, y)
		}
	}
	if seen[3] == seen[6] || len(seen) != 4 {
		t.Errorf("evaluations saw %v", seen)
	}
	interruptAt(t, startWith(t, parts, cfg, o), 5)
	losses(t, resumeWith(t, parts, o))
	sameWeights(t, final(t, parts), final(t, whole))
}

// An update of numbers that are not finite ends the run, and its weights go nowhere, though
// they are written in place.
func TestGraphOptimizerDiverges(t *testing.T) {
	cfg := micro("nope", 8)
	cfg.Train.CheckpointEvery = 2
	dir := t.TempDir()
	r := startWith(t, dir, cfg, inGraph)
	interruptAt(t, r, 3)
	r = resumeWith(t, dir, inGraph)
	data, err := train.Drawn(r, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := train.Update(r, data); err != nil {
		t.Fatal(err)
	}
	of := tensor.Data[float32](data[0].Weights)
	for i := range of {
		of[i] *= 1e30 // a loss that is finite, and squares of gradients that are not
	}
	if _, err := train.Update(r, data); !errors.Is(err, train.ErrDiverged) ||
		!strings.Contains(err.Error(), "gradient norm +Inf") {
		t.Errorf("error %v, want ErrDiverged for the norm", err)
	}
	if err := r.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "resume the run") {
		t.Errorf("a run goes on with lost weights: %v", err)
	}
	r.Close()
	if c := final(t, dir); c.Step != 3 {
		t.Errorf("the newest checkpoint is of step %d, want 3", c.Step)
	}
	losses(t, resumeWith(t, dir, inGraph))
}
