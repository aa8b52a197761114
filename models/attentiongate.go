package models

import (
	"fmt"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/models/pe"
)

// Values of Config.AttentionGate.
const (
	gateHeads    = "head"
	gateElements = "element"
)

// checkAttentionGate reports a gate that the attention cannot have.
func checkAttentionGate(c Config) error {
	if c.AttentionGate == gateHeads && c.Attention == differential {
		return fmt.Errorf("attention_gate %s: %s attention gives one output for each pair of heads; set %s",
			gateHeads, differential, gateElements)
	}
	return nil
}

// attentionGateParams are the weights of a layer's gate, [H,D] or [H·K,D].
func (c Config) attentionGateParams(at string, in stds) []pe.Param {
	name := at + "gate_proj.weight"
	switch c.AttentionGate {
	case gateHeads:
		return []pe.Param{{Name: name, Shape: []int{c.NHeads, c.DModel}, Std: in.q, Decay: true, Full: true}}
	case gateElements:
		return []pe.Param{{Name: name, Shape: []int{c.NHeads * c.DHead, c.DModel}, Std: in.q, Decay: true}}
	}
	return nil
}

// gateOutput multiplies what the heads of a layer give, y [B·T,H·K], by gates that depend on the token's own normalised
// input x [B·T,D] (Qiu et al. 2025, arXiv 2505.06708; qiuzh20/gated_attention, modeling_qwen3.py):
//
//	o_h ∘ σ(W_g x)
//
// with one gate for each head, or for each of its features. There is no bias, and W_g starts as the query's matrix, so
// that all gates are near ½ at first. Ablation and the outputs of heads come after the gates.
func (p *pass) gateOutput(at string, x, y *graph.Node) (gated *graph.Node) {
	if p.cfg.AttentionGate == "" {
		return y
	}
	b := p.b
	b.In("gate_proj", func() {
		gates := b.Sigmoid(linear(b, x, p.param(at+"gate_proj.weight")))
		if p.cfg.AttentionGate == gateElements {
			gated = b.Mul(y, gates)
			return
		}
		heads := b.Reshape(y, p.rows(), graph.N(p.cfg.NHeads), graph.N(p.cfg.DHead))
		gated = b.Reshape(b.Mul(heads, b.Unsqueeze(gates, 2)), y.Shape...)
	})
	return gated
}
