package pe

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// transformerXL scores query t and key j as (q+u)·k + (q+v)·(W_r r_{t−j}), with
// the sinusoid r of the distance and per-layer W_r, u and v (Dai et al. 2019,
// arXiv 1901.02860, section 3.3). Distances are clamped, as the paper's code has
// it. There is no segment recurrence: the cache is a decoder's. Both
// products take the model's attention scale.
type transformerXL struct {
	NoPE
	d     Dims
	freq  []float64 // of the sinusoids
	clamp int
	std   float64 // of u and v
	rStd  float64 // of W_r
	drop  bool
}

// transformerXLSettings are the settings.
type transformerXLSettings struct {
	Clamp            int     `json:"clamp" about:"distance in tokens beyond which all are alike; default 1000"`
	InitStd          float64 `json:"init_std" about:"standard deviation of the initial W_r, u and v; default 0.02"`
	ScaledProjection bool    `json:"scaled_projection" about:"whether W_r starts with the standard deviation d_model^−½ instead"`
	// DropDistances lets dropout act on the sinusoids too: the same elements for all
	// layers and sequences.
	DropDistances bool `json:"drop_distances" about:"whether dropout acts on the sinusoids too"`
}

func newTransformerXL(d Dims, p transformerXLSettings) (Encoding, error) {
	p.Clamp = cmp.Or(p.Clamp, 1000)
	p.InitStd = cmp.Or(p.InitStd, 0.02)
	if p.Clamp < 1 || p.Clamp > maxPositions {
		return nil, fmt.Errorf("clamp %d: want 1 to %d", p.Clamp, maxPositions)
	}
	freq, err := sinusoidFrequencies(d.Model)
	if err != nil {
		return nil, err
	}
	if err := checkStd(p.InitStd); err != nil {
		return nil, err
	}
	e := transformerXL{d: d, freq: freq, clamp: p.Clamp, std: p.InitStd, rStd: p.InitStd, drop: p.DropDistances}
	if p.ScaledProjection {
		e.rStd = 1 / math.Sqrt(float64(d.Model))
	}
	return e, nil
}

// Params implements Encoding: W_r [H·K, D], u and v [H,K] of each layer.
func (e transformerXL) Params() []Param {
	var list []Param
	for i := range e.d.Layers {
		vector := []int{e.d.Heads, e.d.Head}
		matrix := []int{e.d.Heads * e.d.Head, e.d.Model}
		list = append(list,
			Param{Name: attentionParam(i, "r_proj.weight"), Shape: matrix, Std: e.rStd, Decay: true},
			Param{Name: attentionParam(i, "content_bias"), Shape: vector, Std: e.std},
			Param{Name: attentionParam(i, "position_bias"), Shape: vector, Std: e.std})
	}
	return list
}

// MapLogits implements LogitMapper: it adds u·k + (q+v)·(W_r r_{t−j}), scaled.
func (e transformerXL) MapLogits(s *Site, q, k, logits *graph.Node) *graph.Node {
	b := s.B
	heads, head := graph.N(e.d.Heads), graph.N(e.d.Head)
	vector := func(name string) *graph.Node {
		return b.Reshape(s.Param(attentionParam(s.Layer, name)), graph.N(1), heads, graph.N(1), head)
	}
	content := b.MatMul(vector("content_bias"), b.Transpose(k, 0, 1, 3, 2)) // u·k, [B,H,1,S]
	w := b.Reshape(s.Param(attentionParam(s.Layer, "r_proj.weight")), heads, head, graph.N(e.d.Model))
	q = b.Add(q, vector("position_bias"))
	r := e.sinusoids(s)
	var position *graph.Node // [B,H,T,S], along S as seen from the last query
	if s.Slots == nil {
		position = b.MatMul(q, b.MatMul(w, r))
	} else {
		// The same in the order that spares a step with few queries the projection
		// of all distances.
		position = b.MatMul(b.MatMul(q, w), r)
	}
	extra := b.Add(content, byKey(s, position))
	if s.Scale != 1 {
		extra = b.Mul(extra, b.Float(s.Scale))
	}
	return b.Add(logits, extra)
}

// sinusoids returns r of the distances from the last new token to each slot as columns,
// [D,S]: sines in the upper half, cosines in the lower.
func (e transformerXL) sinusoids(s *Site) *graph.Node {
	b := s.B
	limit := b.Const(tensor.Of([]int64{int64(e.clamp)}))
	last := b.Len(s.Total.Add(graph.N(-1)))
	if s.Slots != nil {
		last = b.SliceLast(s.Slots, 0, graph.N(1))
	}
	d := b.Sub(last, b.Range(graph.N(0), s.Total)) // negative for slots to come, which are masked
	d = b.Where(b.Greater(d, limit), limit, d)
	angle := b.Mul(constant(b, e.freq, len(e.freq), 1), b.Cast(d, tensor.Float32))
	r := b.Concat(0, b.Sin(angle), b.Cos(angle))
	if e.drop && s.Drop != nil {
		r = b.Transpose(s.Drop("distances", b.Transpose(r, 1, 0)), 1, 0)
	}
	return r
}

// byKey turns columns of distances from the last query into columns of those from the
// row's own: row t moves left by T−1−t (Dai et al. 2019, appendix B). A column put in
// front and a reshape by one element more do that; what a row takes from its
// neighbour belongs to later keys, which the mask hides.
func byKey(s *Site, x *graph.Node) *graph.Node {
	b := s.B
	batch, heads, one := x.Dim(0), x.Dim(1), graph.N(1)
	wide := b.Concat(3, b.Expand(b.Float(0), batch, heads, s.Seq, one), x)
	tall := b.Reshape(wide, batch, heads, s.Total.Add(one), s.Seq)
	return b.Reshape(b.Slice(tall, 2, one, s.Total.Add(one)), batch, heads, s.Seq, s.Total)
}
