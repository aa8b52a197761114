package models

import (
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/models/pe"
)

// differential is a value of Config.Attention.
const differential = "differential"

// differParams are the weights of differential attention in a layer: four vectors that
// make λ, and the gain of the norm of a pair of heads.
func differParams(c Config, at string, in stds) []pe.Param {
	list := lists.Map([]string{"lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"}, func(name string) pe.Param {
		return pe.Param{Name: at + name, Shape: []int{c.DHead}, Std: 0.1}
	})
	return append(list, pe.Param{Name: at + "pair_norm.weight", Shape: []int{2 * c.DHead}, Mean: 1, Decay: in.decayGains})
}

// valueHeads returns how many heads values have, and how wide they are: with differential
// attention two heads share one of twice the width.
func (c Config) valueHeads() (heads, width int) {
	if c.Attention == differential {
		return c.NHeads / 2, 2 * c.DHead
	}
	return c.kvHeads(), c.DHead
}

// differ is differential attention (Ye et al. 2024, arXiv 2410.05258, equations 1 to 3;
// microsoft/unilm, Diff-Transformer/multihead_diffattn.py): the weights w of the heads 2h
// and 2h+1, [B,H,T,S], and the pair's values v [B,H/2,S,2K] give
//
//	(1 − λ₀)·norm((w_2h − λ·w_(2h+1)) v)
//	λ = e^(q₁·k₁) − e^(q₂·k₂) + λ₀, λ₀ = 0.8 − 0.6 e^(−0.3 l), of layer l from 0
//
// as [B,H/2,T,2K], where norm is RMSNorm over a pair's 2K numbers. The model has as many
// weights as with softmax, and λ's and the norms'.
func (p *pass) differ(s *pe.Site, weights, v *graph.Node) *graph.Node {
	b, at := p.b, fmt.Sprintf("layers.%d.attn.", s.Layer)
	start := 0.8 - 0.6*math.Exp(-0.3*float64(s.Layer))
	product := func(q, k string) *graph.Node {
		return b.Exp(b.ReduceSum(b.Mul(p.param(at+q), p.param(at+k)), true))
	}
	lambda := b.Add(b.Sub(product("lambda_q1", "lambda_k1"), product("lambda_q2", "lambda_k2")), b.Float(start)) // [1]
	pairs := b.Reshape(weights, p.batch, graph.N(p.cfg.NHeads/2), graph.N(2), p.seq, weights.Dim(3))
	half := func(i int) *graph.Node { return b.Squeeze(b.Slice(pairs, 2, graph.N(i), graph.N(i+1)), 2) }
	y := b.MatMul(b.Sub(half(0), b.Mul(half(1), lambda)), v) // [B,H/2,T,2K]
	return b.Mul(p.headNorm(at+"pair_norm", y), b.Float(1-start))
}
