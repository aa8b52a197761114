package train_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// clockwork is a run of the unrolled architecture whose batches fall into several
// buckets.
func clockwork(steps int) runfile.Config {
	cfg := micro("cwrnn", steps)
	cfg.Model = models.Config{Encoding: "cwrnn", DModel: 12, NUnits: 24, NModules: 4}
	cfg.Train.MicroTokens = 24
	return cfg
}

// Batches are padded to the grid of lengths, and nothing else changes.
func TestUnrolledBuckets(t *testing.T) {
	cfg, err := clockwork(1).Resolve()
	if err != nil {
		t.Fatal(err)
	}
	widths := map[int]bool{}
	for step := range 4 {
		batches, err := train.Draw(cfg, step)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range batches {
			if w := b.IDs.Shape()[1]; w%8 != 0 {
				t.Errorf("a batch is %d tokens wide", w)
			} else {
				widths[w] = true
			}
		}
	}
	if len(widths) < 2 {
		t.Errorf("widths %v: the test wants several buckets", widths)
	}
}

// ONNX Runtime's gradients of the unrolled step against the interpreter's.
func TestUnrolledAgainstInterpreter(t *testing.T) {
	orttest.Require(t)
	deltanet := micro("deltanet", 1)
	deltanet.Train.MicroTokens = 24
	for _, cfg := range []runfile.Config{clockwork(1), deltanet} {
		t.Run(cfg.Model.Encoding, func(t *testing.T) { unrolledAgainstInterpreter(t, cfg) })
	}
}

func unrolledAgainstInterpreter(t *testing.T, cfg runfile.Config) {
	cfg, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.New(cfg.Model)
	if err != nil {
		t.Fatal(err)
	}
	batches, err := train.Draw(cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := batches[len(batches)-1]
	g, err := train.StepGraph(m, models.Mode{Steps: b.IDs.Shape()[1]})
	if err != nil {
		t.Fatal(err)
	}
	compareEngines(t, g, models.InitWeights(m.Params(), 2), feed(g, b))
}

// Training is exact under resume, and it learns.
func TestClockworkRun(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	all := losses(t, start(t, whole, clockwork(40)))
	if !(all[39] < 0.95*all[0]) {
		t.Errorf("the loss goes from %v to %v in 40 steps", all[0], all[39])
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := start(t, parts, clockwork(40))
	err := r.Run(ctx, func(s journal.Stats) {
		if s.Step == 17 {
			cancel()
		}
	})
	if !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	r.Close()
	if r, err = train.Resume(parts, train.Options{}); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	losses(t, r)
	sameWeights(t, final(t, parts), final(t, whole))
	// The structure is what the parameters are: after training, too, a module has
	// weights for itself and slower ones only.
	for name, w := range final(t, whole).Weights {
		if strings.Contains(name, "modules.3.") && w.Shape()[1] != 6 ||
			strings.Contains(name, "modules.0.") && w.Shape()[1] != 24 {
			t.Errorf("%s is %v", name, w)
		}
		if !finite(w) {
			t.Errorf("%s is not finite", name)
		}
	}
}

func finite(w *tensor.Tensor) bool {
	for _, v := range tensor.Data[float32](w) {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// Twice the steps take about twice the values, forward and backward: gradients of
// single steps are not written out at full length.
func TestUnrolledGrowsLinearly(t *testing.T) {
	cfg, err := clockwork(1).Resolve()
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.New(cfg.Model)
	if err != nil {
		t.Fatal(err)
	}
	values := func(steps int) (sum int) {
		g, err := train.StepGraph(m, models.Mode{Steps: steps})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range g.Nodes {
			count := 1
			for _, d := range n.Shape {
				length, err := d.Eval(map[string]int{"batch": 16})
				if err != nil {
					t.Fatal(err)
				}
				count *= length
			}
			sum += count
		}
		return sum
	}
	if a, b := values(128), values(256); float64(b) > 2.3*float64(a) {
		t.Errorf("128 steps take %d values, 256 take %d", a, b)
	}
}

func TestUnrolledRefusesDropout(t *testing.T) {
	orttest.Require(t)
	cfg := clockwork(4)
	cfg.Train.Dropout = 0.1
	if _, err := train.New(t.TempDir(), cfg, train.Options{}); err == nil || !strings.Contains(err.Error(), "dropout") {
		t.Errorf("error %v, want one about dropout", err)
	}
}
