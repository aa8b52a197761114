package modelfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
)

// TestRecurrentParity: the unrolled graph that training uses, the exported
// one-step file in ONNX Runtime and the same read back in pure Go give the same
// logits, for rows of different lengths in one batch.
func TestRecurrentParity(t *testing.T) {
	orttest.Require(t)
	for _, cfg := range []models.Config{
		{Encoding: "cwrnn", DModel: 8, NUnits: 24, NModules: 4, VocabSize: vocab},
		{Encoding: "lstm", DModel: 8, NUnits: 12, VocabSize: vocab},
		{Encoding: "deltanet", DModel: 8, NLayers: 2, NHeads: 2, DFF: 16, VocabSize: vocab},
		{Encoding: "deltanet/nope", DModel: 8, NLayers: 2, NHeads: 2, DFF: 16, VocabSize: vocab, QKNorm: "rms", Window: "0/5",
			AttentionSink: "learned", LogitScale: "ssmax", TrainedLength: 9},
	} {
		t.Run(cfg.Encoding, func(t *testing.T) { recurrentParity(t, cfg) })
	}
}

func recurrentParity(t *testing.T, cfg models.Config) {
	m, err := models.New(cfg)
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
		out, err := interp.New(g, tensor.Float64).Run(t.Context(),
			map[string]*tensor.Tensor{"input_ids": tensor.Of(row, 1, len(row))}, weights)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, tensor.Data[float64](out["logits"]))
	}
	for _, profile := range []string{card.Portable, card.Fused} {
		file, err := modelfile.Model{Config: m.Config(), Weights: weights, Card: description()}.ONNX(profile)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Encoding == "cwrnn" {
			constantState(t, file)
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
				// The first row has ended while its state still goes along with the others.
				limits := []int{1, 6, 6}
				together, err := runtime.Tokens(s.Generate(t.Context(), rows,
					runtime.GenerateOptions{Limits: limits, Stop: []int64{}}))
				if err != nil {
					t.Fatal(err)
				}
				for i, row := range rows {
					alone, err := runtime.Tokens(s.Generate(t.Context(), [][]int64{row},
						runtime.GenerateOptions{MaxNew: limits[i], Stop: []int64{}}))
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(alone[0], together[i]); diff != "" {
						t.Errorf("row %d (-alone +together): %s", i, diff)
					}
				}
			})
		}
	}
}

// constantState wants a card whose whole state has the same size after any number
// of tokens.
func constantState(t *testing.T, file []byte) {
	t.Helper()
	info, err := export.Inspect(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := card.Parse(info.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.State) != 1 || c.State[0].Kind != card.Rewritten || strings.Join(c.State[0].Shape, ",") != "batch,24" || c.Architecture != "cwrnn" {
		t.Errorf("the card says %s with state %+v", c.Architecture, c.State)
	}
}
