package pe_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/models/pe"
)

// The twin, term by term from the paper's equation, past the clamp too.
func TestTransformerXLTwin(t *testing.T) {
	const n, heads, head, model, clamp = 7, 2, 3, 6, 4
	d := pe.Dims{Model: model, Heads: heads, Head: head, Layers: 1}
	e := newEncoding(t, "txl", `{"clamp":4}`, d)
	rng := rand.New(rand.NewPCG(1, 1))
	weights := map[string]*tensor.Tensor{}
	for _, p := range e.Params() {
		weights[p.Name] = graphtest.Normal(rng, p.Shape...)
	}
	q, k := graphtest.Normal(rng, 1, heads, n, head), graphtest.Normal(rng, 1, heads, n, head)
	feed := map[string]*tensor.Tensor{"input_ids": tensor.New(tensor.Int64, 1, n), "q": q, "k": k}
	out, err := hook(t, e, d, feed, weights, func(s *pe.Site) *graph.Node {
		in := func(name string) *graph.Node {
			return s.B.Input(name, tensor.Float32, s.Batch, graph.N(heads), s.Seq, graph.N(head))
		}
		return e.(pe.LogitMapper).MapLogits(s, in("q"), in("k"), s.B.Expand(s.B.Float(0), s.Batch, graph.N(heads), s.Seq, s.Seq))
	})
	if err != nil {
		t.Fatal(err)
	}
	at := func(w *tensor.Tensor, i int) float64 { return float64(tensor.Data[float32](w)[i]) }
	const attn = "layers.0.attn."
	u, v, w := weights[attn+"content_bias"], weights[attn+"position_bias"], weights[attn+"r_proj.weight"]
	for h := range heads {
		for t1 := range n {
			for j := range t1 + 1 { // later keys are masked
				want := 0.0
				for i := range head {
					r := 0.0
					for c := range model / 2 {
						angle := float64(min(t1-j, clamp)) / math.Pow(10000, 2*float64(c)/model)
						row := (h*head + i) * model
						r += at(w, row+c)*math.Sin(angle) + at(w, row+model/2+c)*math.Cos(angle)
					}
					want += at(u, h*head+i)*at(k, (h*n+j)*head+i) + (at(q, (h*n+t1)*head+i)+at(v, h*head+i))*r
				}
				// 1e-6: the frequencies are float32 constants.
				near(t, "logit", tensor.Data[float64](out)[(h*n+t1)*n+j:][:1], []float64{want}, 1e-6)
			}
		}
	}
}
