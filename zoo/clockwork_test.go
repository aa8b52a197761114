package zoo_test

import (
	"fmt"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/ort/orttest"
	"github.com/nopezoo/zoo/zoo"
)

// TestClockworkParity: the unrolled graph that training uses, the exported
// one-step file in ONNX Runtime and the same read back in pure Go give the same
// logits, for rows of different lengths in one batch. Both profiles are one graph.
func TestClockworkParity(t *testing.T) {
	orttest.Require(t)
	m, err := models.New(models.Config{Encoding: "cwrnn", DModel: 8, NUnits: 24, NModules: 4, VocabSize: vocab})
	if err != nil {
		t.Fatal(err)
	}
	weights := models.InitWeights(m.Params(), 4)
	rows := [][]int64{make([]int64, 40), make([]int64, 17), make([]int64, 1)}
	var want [][]float64
	for r, row := range rows {
		for i := range row {
			row[i] = int64((7*i*i + 3*r + i) % vocab)
		}
		b := graph.NewBuilder()
		g, err := b.Build(graph.Output{Name: "logits", Node: m.Forward(b, models.Mode{Steps: len(row)}).Logits})
		if err != nil {
			t.Fatal(err)
		}
		out, err := interp.New(g, interp.Float64).Run(t.Context(), map[string]*tensor.Tensor{"input_ids": tensor.Of(row, 1, len(row))}, weights)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, tensor.Data[float64](out["logits"]))
	}
	for _, profile := range []string{card.Portable, card.Fused} {
		file, err := zoo.Build(m.Config(), weights, description(), profile)
		if err != nil {
			t.Fatal(err)
		}
		for _, opt := range []runtime.Options{{}, {Provider: "go"}} {
			t.Run(fmt.Sprintf("%s/%s", profile, opt.Provider), func(t *testing.T) {
				s, err := runtime.OpenBytes(file, opt)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				got, err := s.Logits(t.Context(), rows)
				if err != nil {
					t.Fatal(err)
				}
				for i := range rows {
					if d := worst(tensor.Data[float32](got[i]), want[i]); !(d <= 1e-4) {
						t.Errorf("row %d of %d tokens: off by %.2g", i, len(rows[i]), d)
					}
				}
			})
		}
	}
}
