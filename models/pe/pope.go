package pe

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// pope gives each feature of a query and a key a magnitude of its own, softplus of it, and an angle by its position alone
// (polar coordinates; Gopalakrishnan et al. 2025, arXiv 2509.10534), so that what is matched and how far it is are told
// apart. With the scale of the attention the logit is
//
//	Σ_c softplus(q_c)·softplus(k_c)·cos((t−j)ω_c − δ_hc), ω_c = θ^(−c/K), c = 0 … K−1
//
// which RoPE has with K/2 frequencies. The phase δ is learned for each head of each layer.
//
// Queries and keys become vectors of 2K numbers, the cosines' and the sines', so that keys take twice the room. The
// query is turned by −δ, where the paper turns the key by δ: the product is the same, and keys that several heads share
// need one angle. The paper's code bounds δ to [−2π, 0]; here it is free: it starts at 0, the edge, where the bound's
// gradient may be 0.
type pope struct {
	NoPE
	d    Dims
	freq []float64 // radians per position, one per feature
}

// popeSettings are the settings.
type popeSettings struct {
	Theta float64 `json:"theta" about:"base of the frequencies; default 10000"`
}

func newPoPE(d Dims, p popeSettings) (Encoding, error) {
	p.Theta = cmp.Or(p.Theta, 10000)
	if !(p.Theta > 1) {
		return nil, fmt.Errorf("theta %v must be greater than 1", p.Theta)
	}
	freq := lists.Make(d.Head, func(c int) float64 { return math.Pow(p.Theta, -float64(c)/float64(d.Head)) })
	return pope{d: d, freq: freq}, nil
}

// Params implements Encoding: δ [H,K] of each layer.
func (e pope) Params() []Param {
	return lists.Make(e.d.Layers, func(i int) Param {
		return Param{Name: attentionParam(i, "phase"), Shape: []int{e.d.Heads, e.d.Head}}
	})
}

// QK implements Encoding: both are [B,H,T,2K] afterwards.
func (e pope) QK(s *Site, q, k *graph.Node) (*graph.Node, *graph.Node) {
	b := s.B
	pos := b.Unsqueeze(b.Cast(s.Positions(), tensor.Float32), 1, 3)    // [B,1,T,1]
	angle := b.Mul(pos, constant(b, e.freq, 1, 1, 1, e.d.Head))        // [B,1,T,K]
	phase := b.Unsqueeze(s.Param(attentionParam(s.Layer, "phase")), 1) // [H,1,K]
	turn := func(x, angle *graph.Node) *graph.Node {
		size := b.Softplus(x)
		return b.Concat(3, b.Mul(size, b.Cos(angle)), b.Mul(size, b.Sin(angle)))
	}
	return turn(q, b.Sub(angle, phase)), turn(k, angle)
}
