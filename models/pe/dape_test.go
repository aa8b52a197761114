package pe_test

import (
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// One hidden unit, by hand. With two heads the slopes are 1/16 and 1/256, so that the pair of
// query 1 and key 0 has b = (−1/16, −1/256), and one of a query with itself has b = 0.
func TestDAPE(t *testing.T) {
	d := pe.Dims{Model: 2, Heads: 2, Head: 1, Layers: 1}
	e := newEncoding(t, "dape", `{"width":1}`, d)
	// z [2,2] of each head; later keys are masked afterwards.
	logits := tensor.Of([]float32{1, 0, 2, 3, -4, 0, 5, -6}, 1, 2, 2, 2)
	weights := map[string]*tensor.Tensor{
		"layers.0.attn.dape.logits.weight": tensor.Of([]float32{1, 2}, 1, 2),
		"layers.0.attn.dape.base.weight":   tensor.Of([]float32{16, -256}, 1, 2),
		"layers.0.attn.dape.bias":          tensor.Of([]float32{0.5}, 1),
		"layers.0.attn.dape.out.weight":    tensor.Of([]float32{10, 100}, 2, 1),
	}
	feed := map[string]*tensor.Tensor{"input_ids": tensor.New(tensor.Int64, 1, 2), "logits": logits}
	out, err := hook(t, e, d, feed, weights, func(s *pe.Site) *graph.Node {
		z := s.B.Input("logits", tensor.Float32, s.Batch, graph.N(2), s.Seq, s.Seq)
		return e.(pe.LogitMapper).MapLogits(s, nil, nil, z)
	})
	if err != nil {
		t.Fatal(err)
	}
	got := tensor.Data[float64](out)
	// Query 0, key 0: 1 − 8 + 0.5 = −6.5 is negative, of which a hundredth is left.
	near(t, "0, 0", []float64{got[0], got[4]}, []float64{1 - 0.65, -4 - 6.5}, 1e-6)
	// Query 1, key 0: 2 + 10 − 1 + 1 + 0.5 = 12.5.
	near(t, "1, 0", []float64{got[2], got[6]}, []float64{2 - 1./16 + 125, 5 - 1./256 + 1250}, 1e-9)
	// Query 1, key 1: 3 − 12 + 0.5 = −8.5.
	near(t, "1, 1", []float64{got[3], got[7]}, []float64{3 - 0.85, -6 - 8.5}, 1e-6)
}
