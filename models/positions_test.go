package models_test

import (
	"slices"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// Every encoding whose training depends on drawn positions computes what its twin does
// at these, row by row.
func TestDrawnPositions(t *testing.T) {
	drawn := map[string][][]int64{ // distances below 16, which t5's twin knows
		card.Offset:     {{0, 1, 2, 3, 4, 5, 6}, {41, 42, 43, 44, 45, 46, 47}},
		card.Randomized: {{0, 1, 2, 4, 7, 8, 15}, {33, 35, 36, 40, 41, 42, 48}},
	}
	reads := map[string][]string{}
	for kind, positions := range drawn {
		for _, row := range pe.Table() {
			m := newDecoder(t, micro(row.Name, "modern"))
			b := graph.NewBuilder()
			g, err := b.Build(graph.Output{Name: "logits", Node: m.Forward(b, models.Mode{Positions: kind}).Logits})
			if err != nil {
				t.Fatal(err)
			}
			if g.Input("position_ids") == nil {
				continue
			}
			reads[kind] = append(reads[kind], row.Name)
			ids := [][]int64{tokens(7, 4), tokens(7, 5)}
			feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(slices.Concat(ids...), 2, 7),
				"position_ids": tensor.Of(slices.Concat(positions...), 2, 7)}
			w := twinOf(t, row.Name, m.Config())
			w.w = lively(m)
			out, err := interp.New(g, tensor.Float64).Run(t.Context(), feed, w.w)
			if err != nil {
				t.Fatal(err)
			}
			var want []float64
			for i := range ids {
				w.at = func(t int) int { return int(positions[i][t]) }
				want = slices.Concat(append([][]float64{want}, w.logits(ids[i])...)...)
			}
			same(t, row.Name+", "+kind, tensor.Data[float64](out["logits"]), want)
		}
	}
	for kind, want := range map[string][]string{
		card.Offset:     {"rope", "sinusoidal", "learned", "abacus"},
		card.Randomized: {"rope", "alibi", "sinusoidal", "learned", "t5", "alibi-learned", "kerple", "fire"},
	} {
		for _, name := range want {
			if !slices.Contains(reads[kind], name) {
				t.Errorf("%s does not depend on %s positions", name, kind)
			}
		}
	}
}

// With a cache positions count tokens.
func TestDrawnPositionsAreForTraining(t *testing.T) {
	m := newDecoder(t, micro("rope", "modern"))
	if _, _, err := m.Graph(models.Mode{Positions: card.Offset}); err == nil {
		t.Error("a graph with a cache takes offset positions")
	}
	if _, _, err := m.Graph(models.Mode{Positions: card.Contiguous}); err != nil {
		t.Error(err)
	}
}
