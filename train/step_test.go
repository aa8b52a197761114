package train_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// resolved returns the configuration with everything filled in, and its model.
func resolved(t testing.TB, cfg runfile.Config) (runfile.Config, models.Model) {
	t.Helper()
	cfg, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.New(cfg.Model)
	if err != nil {
		t.Fatal(err)
	}
	return cfg, m
}

// feed returns the inputs that g reads for one batch.
func feed(g *graph.Graph, b train.Batch) map[string]*tensor.Tensor {
	all := map[string]*tensor.Tensor{"input_ids": b.IDs, "position_ids": b.Positions, "labels": b.Labels,
		"loss_weights": b.Weights}
	for name := range all {
		if g.Input(name) == nil {
			delete(all, name)
		}
	}
	return all
}

// addEarlier feeds g gradients of earlier runs, which are small whole numbers.
func addEarlier(t testing.TB, g *graph.Graph, in map[string]*tensor.Tensor) {
	t.Helper()
	for _, n := range g.Inputs {
		if !strings.HasPrefix(n.Name, "earlier.") {
			continue
		}
		shape := make([]int, len(n.Shape))
		for i, d := range n.Shape {
			shape[i], _ = d.Int()
		}
		in[n.Name] = tensor.New(tensor.Float32, shape...)
		for i := range tensor.Data[float32](in[n.Name]) {
			tensor.Data[float32](in[n.Name])[i] = float32(i%5 - 2)
		}
	}
}

// perturbed draws weights with gains that are not all 1, so that every gradient
// is exercised away from special values.
func perturbed(m models.Model) map[string]*tensor.Tensor {
	params := m.Params()
	for i := range params {
		params[i].Std = max(params[i].Std, 0.1)
	}
	return models.InitWeights(params, 11)
}

// The gradient of every weight of every variant against central differences.
func TestStepGradient(t *testing.T) {
	variants := map[string]models.Windows{"rope/txl": "3/0"}
	for _, row := range pe.Table() {
		variants[row.Name] = ""
	}
	for encoding, window := range variants {
		for _, settings := range []string{"modern", "faithful", "gpt2"} {
			t.Run(strings.ReplaceAll(encoding, "/", "+")+"/"+settings, func(t *testing.T) {
				cfg := micro(encoding, 1)
				cfg.Model.Settings, cfg.Model.Window = settings, window
				if settings == "faithful" {
					cfg.Model.Activation = "gelu" // relu's kink would spoil differences; relu2 and gelu have none
				}
				checkGradient(t, cfg)
			})
		}
	}
}

// checkGradient compares the gradients of a short batch with central differences.
func checkGradient(t *testing.T, cfg runfile.Config) {
	t.Helper()
	cfg.Train.Batch, cfg.Train.Lengths = 3, "1..3"
	m, g, batches := firstStep(t, cfg)
	graphtest.CheckGrad(t, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
		return train.StepLoss(b, m, models.Mode{})
	}, feed(g, batches[0]), perturbed(m))
}

// firstStep returns the model of a configuration, its step graph and the data of the first step.
func firstStep(t *testing.T, cfg runfile.Config) (models.Model, *graph.Graph, []train.Batch) {
	t.Helper()
	cfg, m := resolved(t, cfg)
	batches, err := train.Draw(cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	g, err := train.StepGraph(m, models.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	return m, g, batches
}

// ONNX Runtime's gradients against the interpreter's in float64, at a size where
// each token occurs many times and both threads are busy. 1e-4 of the largest
// gradient is float32 rounding over 1,300 rows.
func TestStepAgainstInterpreter(t *testing.T) {
	orttest.Require(t)
	for _, row := range pe.Table() {
		t.Run(row.Name, func(t *testing.T) {
			checkEngines(t, micro(row.Name, 1))
		})
	}
	t.Run("gpt2", func(t *testing.T) {
		cfg := micro("learned", 1)
		cfg.Model.Settings = "gpt2"
		checkEngines(t, cfg)
	})
}

// checkEngines compares the gradients of a batch of 64 sequences.
func checkEngines(t *testing.T, cfg runfile.Config) {
	t.Helper()
	cfg.Train.Batch, cfg.Train.Lengths = 64, "5..10"
	m, g, batches := firstStep(t, cfg)
	compareEngines(t, g, perturbed(m), feed(g, batches[0]))
}

// compareEngines runs a step graph in ONNX Runtime and in the interpreter.
func compareEngines(t *testing.T, g *graph.Graph, weights, in map[string]*tensor.Tensor) {
	t.Helper()
	addEarlier(t, g, in)
	want, err := interp.New(g, tensor.Float64).Run(t.Context(), in, weights)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := export.Write(&buf, g, nil, export.Options{ParamsAsInputs: true}); err != nil {
		t.Fatal(err)
	}
	s, err := orttest.Load(buf.Bytes(), engine.Options{Threads: 2, Training: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, w := range weights {
		in[name] = w
	}
	for range 3 { // a race would show in some run
		for name, x := range want {
			in[name] = tensor.New(tensor.Float32, x.Shape()...)
		}
		if err := s.Run(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		for name := range want {
			if err := close32(in[name], want[name], 1e-4); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// close32 compares with a tolerance relative to the largest value.
func close32(got, want *tensor.Tensor, tol float64) error {
	a, b := tensor.Data[float32](got), tensor.Data[float64](want)
	largest, worst := 0.0, 0.0
	for i := range b {
		largest = max(largest, math.Abs(b[i]))
		worst = max(worst, math.Abs(float64(a[i])-b[i]))
	}
	if !(worst <= tol*largest) {
		return fmt.Errorf("off by %g where the largest value is %g", worst, largest)
	}
	return nil
}

// Golden texts of the training steps guard refactors.
func TestStepText(t *testing.T) {
	var names []string
	for _, row := range pe.Table() {
		cfg := micro(row.Name, 1)
		cfg.Model.NLayers = 1
		_, m := resolved(t, cfg)
		g, err := train.StepGraph(m, models.Mode{})
		if err != nil {
			t.Fatal(err)
		}
		name := "step_" + row.Name
		names = append(names, name)
		graphtest.Golden(t, name, g.String())
	}
	cfg := micro("nope", 1)
	cfg.Model.NLayers = 1
	_, _, g := dropped(t, cfg, 0.1)
	graphtest.Golden(t, "step_dropout", g.String())
	cfg.Model.Settings = "gpt2"
	_, m := resolved(t, cfg)
	g, err := train.StepGraph(m, models.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	graphtest.Golden(t, "step_gpt2", g.String())
	graphtest.NoOtherGolden(t, append(names, "step_dropout", "step_gpt2", "update")...)
}

// A batch holds what the task drew: labels are the next tokens, weights sum to 1
// over target tokens, padding weighs nothing.
func TestBatch(t *testing.T) {
	cfg, _ := resolved(t, micro("nope", 1))
	cfg.Train.MicroTokens = 24
	batches, err := train.Draw(cfg, 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(batches) < 2 {
		t.Fatalf("%d micro-batches of at most 24 tokens for 8 sequences", len(batches))
	}
	sum, width := 0.0, 0
	for _, b := range batches {
		if w := b.IDs.Shape()[1]; w < width {
			t.Errorf("a micro-batch is narrower than the one before: %d after %d", w, width)
		} else {
			width = w
		}
		ids, labels, weights := tensor.Data[int64](b.IDs), tensor.Data[int64](b.Labels), tensor.Data[float32](b.Weights)
		for i := range ids {
			sum += float64(weights[i])
			if (i+1)%width != 0 && labels[i] != 1 && labels[i] != ids[i+1] {
				t.Errorf("label %d is %d, the next token is %d", i, labels[i], ids[i+1])
			}
			if ids[i] == 0 && weights[i] != 0 {
				t.Errorf("padding at %d weighs %v", i, weights[i])
			}
		}
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("loss weights sum to %v, want 1", sum)
	}
}
