package pe_test

import (
	"context"
	"math"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// forgetting returns the bias [H,n,n] of fox for n tokens with these hidden states, n
// rows of D.
func forgetting(t *testing.T, d pe.Dims, hidden []float32, weights map[string]*tensor.Tensor) []float64 {
	t.Helper()
	e, n := newEncoding(t, "fox", ``, d), len(hidden)/d.Model
	feed := map[string]*tensor.Tensor{
		"input_ids": tensor.New(tensor.Int64, 1, n), "hidden": tensor.Of(hidden, n, d.Model),
	}
	out, err := hook(t, e, d, feed, weights, func(s *pe.Site) *graph.Node {
		s.Hidden = s.B.Input("hidden", tensor.Float32, s.Batch.Mul(s.Seq), graph.N(d.Model))
		s.Visible = s.Causal
		s.Grow = func(_ string, rows *graph.Node, _ int) *graph.Node { return rows }
		return e.Bias(s)
	})
	if err != nil {
		t.Fatal(err)
	}
	return tensor.Data[float64](out)
}

// Gates 0.9, 0.8, 0.95, 0.7, by hand: what query 3 keeps of key 1 is 0.95 · 0.7. 1e-6 allows
// for weights in float32.
func TestFoXBias(t *testing.T) {
	var hidden []float32
	for _, f := range []float64{0.9, 0.8, 0.95, 0.7} {
		hidden = append(hidden, 1, float32(math.Log(f/(1-f))))
	}
	got := forgetting(t, pe.Dims{Model: 2, Heads: 2, Head: 1, Layers: 1}, hidden, map[string]*tensor.Tensor{
		"layers.0.attn.forget.weight": tensor.Of([]float32{0, 1, -2, 0}, 2, 2),
		"layers.0.attn.forget.bias":   tensor.Of([]float32{0, 2}, 2),
	})
	want := [][]float64{
		{0},
		{math.Log(0.8), 0},
		{math.Log(0.8 * 0.95), math.Log(0.95), 0},
		{math.Log(0.8 * 0.95 * 0.7), -0.407968, math.Log(0.7), 0},
	}
	for q, row := range want {
		near(t, "first head", got[q*4:][:q+1], row, 1e-6)
		for j := range q + 1 { // its gates are 1/2: σ(−2·1 + 2)
			near(t, "second head", got[16+q*4+j:][:1], []float64{-math.Ln2 * float64(q-j)}, 1e-6)
		}
	}
}

// Gates far from 1/2 lose nothing: log σ(z) is z for a small one and almost 0 for a large one.
func TestFoXExtremeGates(t *testing.T) {
	got := forgetting(t, pe.Dims{Model: 1, Heads: 1, Head: 1, Layers: 1}, []float32{-500, 500, -500},
		map[string]*tensor.Tensor{
			"layers.0.attn.forget.weight": tensor.Of([]float32{1}, 1, 1),
			"layers.0.attn.forget.bias":   tensor.Of([]float32{0}, 1),
		})
	near(t, "query 1", got[3:5], []float64{0, 0}, 1e-12)
	near(t, "query 2", got[6:9], []float64{-500, -500, 0}, 1e-12)
}

// With 32,768 keys cached, all gates at ½, a float32 sum over all of them has steps of 2⁻⁹. Near
// keys do not suffer from that.
func TestFoXNearKeysOfALongSequence(t *testing.T) {
	const n, nearest = 1 << 15, 100
	d := pe.Dims{Model: 1, Heads: 1, Head: 1, Layers: 1}
	e, b := newEncoding(t, "fox", `{"init":"zero"}`, d), graph.NewBuilder()
	s := site(b, d, false)
	s.Total = graph.Sym("total")
	b.Input("input_ids", tensor.Int64, s.Batch, s.Seq)
	b.Input("mask", tensor.Int64, s.Batch, s.Total)
	s.Slots = b.Input("slots", tensor.Int64, s.Seq)
	s.Hidden = b.Input("hidden", tensor.Float32, s.Batch.Mul(s.Seq), graph.N(1))
	s.Visible = s.Causal
	s.Param = func(string) *graph.Node { return b.Expand(b.Float(0), graph.N(1), graph.N(1)) }
	s.Grow = func(string, *graph.Node, int) *graph.Node {
		return b.Input("log_forget", tensor.Float32, s.Batch, graph.N(1), s.Total)
	}
	g, err := b.Build(graph.Output{Name: "bias", Node: e.Bias(s)})
	if err != nil {
		t.Fatal(err)
	}
	cached := tensor.New(tensor.Float32, 1, 1, n+3) // the last 3 slots are not filled yet
	for i := range tensor.Data[float32](cached) {
		tensor.Data[float32](cached)[i] = -math.Ln2
	}
	out, err := interp.New(g, tensor.Float32).Run(context.Background(), map[string]*tensor.Tensor{
		"input_ids": tensor.New(tensor.Int64, 1, 1), "mask": tensor.New(tensor.Int64, 1, n+3),
		"slots": tensor.Of([]int64{n - 1}, 1), "hidden": tensor.New(tensor.Float32, 1, 1), "log_forget": cached,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := tensor.Data[float32](out["bias"])
	for distance := range nearest {
		want := -math.Ln2 * float64(distance)
		if d := math.Abs(float64(got[n-1-distance]) - want); d > 1e-6*float64(distance) {
			t.Errorf("distance %d: bias %v, want %v", distance, got[n-1-distance], want)
		}
	}
}

// The bias of a head with decay time T starts where log σ(β) = −1/T. The values are from
// T = 2, 8, 32 and 128.
func TestFoXInit(t *testing.T) {
	for _, tc := range []struct {
		heads    int
		settings string
		want     []float64
	}{
		{4, ``, []float64{0.432752, 2.016291, 3.450070, 4.848121}},
		{4, `{"init":"zero"}`, []float64{0, 0, 0, 0}},
		{1, `{"decay_time_max":8}`, []float64{2.016291}},
		{2, `{"decay_time_min":8,"decay_time_max":8}`, []float64{2.016291, 2.016291}},
	} {
		e := newEncoding(t, "fox", tc.settings, pe.Dims{Model: 8, Heads: tc.heads, Head: 2, Layers: 1})
		near(t, tc.settings, e.Params()[1].Init, tc.want, 1e-6)
	}
}
