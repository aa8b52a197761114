package models

import (
	"fmt"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/models/pe"
)

// adaptiveHeads lists the heads of a layer that logit_scale=adaptive scales: those that have no slope.
func (d *decoder) adaptiveHeads(layer int) (heads []int) {
	var slopes []float64
	if e, ok := encodingOf(d.enc, layer, d.cfg.NLayers).(pe.Sloped); ok {
		slopes = e.HeadSlopes()
	}
	for h := range d.cfg.NHeads {
		if slopes == nil || slopes[h] == 0 {
			heads = append(heads, h)
		}
	}
	return heads
}

// adaptiveParams are W_β and W_γ of a layer, a row for each head that is scaled.
func (d *decoder) adaptiveParams(layer int) (list []pe.Param) {
	heads := len(d.adaptiveHeads(layer))
	if d.cfg.LogitScale != scaleAdaptive || !d.scales(layer) || heads == 0 {
		return nil
	}
	for _, name := range []string{"beta", "gamma"} {
		list = append(list, pe.Param{Name: adaptiveName(layer, name), Shape: []int{heads, d.cfg.DModel}, Std: 0.02, Decay: true,
			Full: true})
	}
	return list
}

func adaptiveName(layer int, name string) string {
	return fmt.Sprintf("layers.%d.attn.scale_%s.weight", layer, name)
}

// scaleAdaptively multiplies the logits of a query that sees n keys, in heads without a slope, by
//
//	1 + β·(ln (n+1))^γ, β = softplus(W_β x), γ = 2 tanh(W_γ x)
//
// of its own normalised input x (Vasylenko et al. 2025, arXiv 2506.16640; deep-spin/asentmax, sparse_gemma.py). The paper
// writes ln n, which is 0 at the first token; the authors' code has the 1, and counts tokens, padding included, where this
// counts keys that may be seen. At the start β is near 0.69 and γ near 0: logits are 1.69 times as large.
func (p *pass) scaleAdaptively(s *pe.Site, logits *graph.Node) *graph.Node {
	b, heads := p.b, p.adaptiveHeads(s.Layer)
	if len(heads) == 0 {
		return logits
	}
	weighted := func(name string) *graph.Node { // [B,heads,T,1]
		y := linear(b, s.Hidden, p.param(adaptiveName(s.Layer, name)))
		return b.Unsqueeze(b.Transpose(b.Reshape(y, p.batch, p.seq, graph.N(len(heads))), 0, 2, 1), 3)
	}
	beta, gamma := b.Softplus(weighted("beta")), b.Mul(b.Tanh(weighted("gamma")), b.Float(2))
	n := b.Max(s.Seen(), b.Float(1)) // a query that is padding sees nothing
	power := b.Exp(b.Mul(gamma, b.Log(b.Log(b.Add(n, b.Float(1))))))
	factors := b.Add(b.Float(1), b.Mul(beta, power))
	if len(heads) < p.cfg.NHeads {
		one, parts := b.Expand(b.Float(1), p.batch, graph.N(1), p.seq, graph.N(1)), make([]*graph.Node, p.cfg.NHeads)
		for h := range parts {
			parts[h] = one
		}
		for i, h := range heads {
			parts[h] = b.Slice(factors, 1, graph.N(i), graph.N(i+1))
		}
		factors = b.Concat(1, parts...)
	}
	return b.Mul(logits, factors)
}
