package pe

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
)

// selectiveRoPE rotates queries and keys as RoPE does, by angles that the tokens choose (Movahedi et al. 2025, arXiv
// 2511.17388). With x̂ the layer's normalised input, in which the numbers of each head are divided by their length, a
// token turns the pair c of head h on by
//
//	φ_t = conv(U D x̂_t)_hc, gated: silu(conv(U D x̂_t)_hc)·σ(w_h·x̂_t + β_h)
//
// and query and key t are rotated by ω_c Σ_(l≤t) φ_l, so that the logit depends on the sum between key and query. conv
// sums each channel over the last tokens with weights of its own. As in the authors' code the pairs are halves, and
// weights start with PyTorch's deviations for linear layers and convolutions: angles are small, and the start is nearly NoPE.
//
// A model's file keeps the sum so far, and the rows that the convolution sees again. The sum is float32: at 10,000 radians it is
// good to 0.001.
type selectiveRoPE struct {
	NoPE
	d          Dims
	freq       []float64 // radians per unit of φ, one per pair
	rank, taps int
	gated      bool
}

// selectiveRoPESettings are the settings.
type selectiveRoPESettings struct {
	Theta float64 `json:"theta" about:"base of the frequencies; default 500000"`
	Rank  int     `json:"rank" about:"rows of D, between the input and the angles; default 16"`
	Conv  int     `json:"conv" about:"tokens that the convolution sums over; default 4"`
	Phase string  `json:"phase" about:"gated, with silu and a gate of each head, as the paper has it with a softmax (default), or plain"`
}

func newSelectiveRoPE(d Dims, p selectiveRoPESettings) (Encoding, error) {
	p.Theta, p.Rank, p.Conv, p.Phase = cmp.Or(p.Theta, 500000), cmp.Or(p.Rank, 16), cmp.Or(p.Conv, 4), cmp.Or(p.Phase, "gated")
	switch {
	case !(p.Theta > 1):
		return nil, fmt.Errorf("theta %v must be greater than 1", p.Theta)
	case p.Rank < 1 || p.Rank > 4096:
		return nil, fmt.Errorf("rank %d: want 1 to 4096", p.Rank)
	case p.Conv < 1 || p.Conv > 64:
		return nil, fmt.Errorf("conv %d: want 1 to 64 tokens", p.Conv)
	case p.Phase != "gated" && p.Phase != "plain":
		return nil, fmt.Errorf("phase %q: want gated or plain", p.Phase)
	case d.Head%2 != 0:
		return nil, fmt.Errorf("heads of width %d have no pairs of features; use an even d_head", d.Head)
	case d.Model%d.Heads != 0:
		return nil, fmt.Errorf("d_model %d does not divide by n_heads %d, which the normalisation by head needs", d.Model, d.Heads)
	}
	return selectiveRoPE{d: d, freq: frequencies(p.Theta, d.Head), rank: p.Rank, taps: p.Conv, gated: p.Phase == "gated"}, nil
}

// channels is how many angles a token has.
func (e selectiveRoPE) channels() int { return e.d.Heads * len(e.freq) }

// Params implements Encoding: D [r,D], U [H·K/2,r], conv [taps,H·K/2], w [H,D] and β [H] of each layer.
func (e selectiveRoPE) Params() []Param {
	var list []Param
	for i := range e.d.Layers {
		matrix := func(name string, out, in, fan int) Param {
			return Param{Name: attentionParam(i, name), Shape: []int{out, in}, Std: 1 / math.Sqrt(3*float64(fan)), Decay: true}
		}
		list = append(list, matrix("angle_down.weight", e.rank, e.d.Model, e.d.Model),
			matrix("angle_up.weight", e.channels(), e.rank, e.rank),
			matrix("angle_conv.weight", e.taps, e.channels(), e.taps))
		if e.gated {
			gate := matrix("angle_gate.weight", e.d.Heads, e.d.Model, e.d.Model)
			gate.Full = true
			list = append(list, gate, Param{Name: attentionParam(i, "angle_gate.bias"), Shape: []int{e.d.Heads}})
		}
	}
	return list
}

// QK implements Encoding.
func (e selectiveRoPE) QK(s *Site, q, k *graph.Node) (*graph.Node, *graph.Node) {
	b, heads, pairs := s.B, graph.N(e.d.Heads), graph.N(len(e.freq))
	if n, _ := k.Dim(1).Int(); n != e.d.Heads {
		return q, b.Fail(fmt.Errorf("selective-rope turns each of the %d heads by angles of its own; key heads: want %d, have %d",
			e.d.Heads, e.d.Heads, n))
	}
	sum := b.CumSum(e.steps(s), 1)
	before, keep := s.Carry("angle", 1, graph.N(e.channels()))
	sum = b.Add(sum, before)
	keep(b.SliceLast(sum, 1, graph.N(1)))
	angle := b.Transpose(b.Reshape(sum, s.Batch, s.Seq, heads, pairs), 0, 2, 1, 3)
	angle = b.Mul(angle, constant(b, e.freq, len(e.freq))) // [B,H,T,K/2]
	cos, sin := b.Cos(angle), b.Sin(angle)
	turn := func(x *graph.Node) *graph.Node {
		first, second := b.Slice(x, 3, graph.N(0), pairs), b.Slice(x, 3, pairs, graph.N(e.d.Head))
		return b.Concat(3, b.Sub(b.Mul(first, cos), b.Mul(second, sin)), b.Add(b.Mul(second, cos), b.Mul(first, sin)))
	}
	return turn(q), turn(k)
}

// steps returns φ of the new tokens, [B,T,H·K/2]; 0 for padding.
func (e selectiveRoPE) steps(s *Site) *graph.Node {
	b := s.B
	heads, pairs := graph.N(e.d.Heads), graph.N(len(e.freq))
	param := func(name string) *graph.Node { return s.Param(attentionParam(s.Layer, name)) }
	rows := s.Batch.Mul(s.Seq)
	byHead := b.Reshape(s.Hidden, rows.Mul(heads), graph.N(e.d.Model/e.d.Heads))
	square := b.ReduceSum(b.Mul(byHead, byHead), true, -1)
	unit := b.Mul(byHead, b.Op("Reciprocal", []*graph.Node{b.Sqrt(b.Add(square, b.Float(1e-12)))}))
	input := b.Reshape(unit, rows, graph.N(e.d.Model))

	steps := b.Gemm(b.Gemm(input, param("angle_down.weight"), false, true), param("angle_up.weight"), false, true)
	steps = b.Reshape(steps, s.Batch, s.Seq, graph.N(e.channels()))
	if s.Real != nil {
		steps = b.Mul(steps, b.Unsqueeze(s.Real(), 2))
	}
	steps = s.ShortConv("angle_conv", steps, param("angle_conv.weight"))
	if !e.gated {
		return steps
	}
	gate := b.Sigmoid(b.Add(b.Gemm(input, param("angle_gate.weight"), false, true), param("angle_gate.bias")))
	steps = b.Mul(steps, b.Sigmoid(steps))
	steps = b.Mul(b.Reshape(steps, s.Batch, s.Seq, heads, pairs), b.Reshape(gate, s.Batch, s.Seq, heads, graph.N(1)))
	return b.Reshape(steps, s.Batch, s.Seq, graph.N(e.channels()))
}
