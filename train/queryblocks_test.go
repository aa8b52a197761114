package train_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/train"
)

// Sequences of a known length, whose queries attend in blocks, have the loss and the gradients of others, with every encoding.
func TestQueryBlocks(t *testing.T) {
	const steps = 530 // a block, and the rest
	whole := map[string]bool{}
	for _, row := range pe.Table() {
		t.Run(row.Name, func(t *testing.T) {
			cfg := micro(row.Name, 1)
			cfg.Model.NLayers, cfg.Model.DModel, cfg.Model.DFF = 1, 8, 8
			switch row.Name {
			case "nope":
				cfg.Model.NKVHeads = 1
			case "learned":
				cfg.Model.EncodingParams = []byte(`{"max_length": 600}`)
			case "alibi":
				cfg.Model.Window = "500"
			}
			cfg, m := resolved(t, cfg)
			var graphs []*graph.Graph
			for _, n := range []int{0, steps} {
				g, err := train.StepGraph(m, models.Mode{Steps: n})
				if err != nil {
					t.Fatal(err)
				}
				graphs = append(graphs, g)
			}
			whole[row.Name] = !strings.Contains(graphs[1].String(), "[batch,2,512,512]")
			if whole[row.Name] && testing.Short() {
				return
			}
			data := randomStep(1, steps, cfg)[0]
			var results []map[string]*tensor.Tensor
			for _, g := range graphs {
				in := feed(g, data)
				addEarlier(t, g, in)
				out, err := interp.New(g, tensor.Float64).Run(t.Context(), in, perturbed(m))
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, out)
			}
			for name, want := range results[0] {
				for i, v := range tensor.Data[float64](results[1][name]) {
					if w := tensor.Data[float64](want)[i]; !(math.Abs(v-w) <= 1e-9*max(1, math.Abs(w))) {
						t.Fatalf("%s: number %d is %v, want %v", name, i, v, w)
					}
				}
			}
		})
	}
	for name, want := range map[string]bool{"nope": false, "rope": false, "alibi": false, "t5": false, "fire": false, "fox": true, "cope": true} {
		if whole[name] != want {
			t.Errorf("%s: all queries attend at once: %v", name, whole[name])
		}
	}
}

// Of as many tokens, values in one window of 2,048 take less memory than those in four of 512.
func TestLongWindowsMemory(t *testing.T) {
	cfg := preset(t, "small")
	m, err := models.New(cfg.Model)
	if err != nil {
		t.Fatal(err)
	}
	var peak [2]float64
	for i, n := range []int{512, 2048} {
		mode := models.Mode{}
		if n > 1024 {
			mode.Steps = n
		}
		g, err := train.StepGraph(m, mode)
		if err != nil {
			t.Fatal(err)
		}
		if peak[i], err = g.PeakBytes(map[string]int{"batch": 2048 / n, "seq": n}); err != nil {
			t.Fatal(err)
		}
	}
	if peak[1] > 0.9*peak[0] {
		t.Errorf("values of 2,048 tokens take %.0f MB in one window, %.0f in four", peak[1]/1e6, peak[0]/1e6)
	}
}
