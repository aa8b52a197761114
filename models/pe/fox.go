package pe

import (
	"fmt"

	"github.com/nopezoo/zoo/graph"
)

// fox is the attention of the Forgetting Transformer (Lin et al. 2025, arXiv 2503.02130,
// section 3): token t has a forget gate f_t = σ(w_h·x_t + β_h) in each head, and the logit
// of query t and key j gets the sum of log f_l over l = j+1 … t. The w of a head and its β
// belong to a layer. The paper's other changes (its "Pro" block) are not part of it.
type fox struct {
	NoPE
	d    Dims
	bias []float64 // β of each head at the start
}

// foxSettings are the settings.
type foxSettings struct {
	// Init says where β starts: "decay-times" (default) or "zero".
	//
	// The paper starts at zero, where each token halves what came before it: a head sees a
	// millionth of a key 20 tokens back, and has as little of its gradient. With decay times
	// (as long as w·x is 0) it sees far with one head and near with another. After 1,000 steps on
	// copying the loss is 0.0007, from zero it is 3.6, with one seed each (zoo train --preset tiny --pe fox --task copy
	// --steps 1000, with --set model.encoding_params.init=zero).
	Init string `json:"init" about:"where β starts: decay-times (default) or zero"`
	decayTimes
}

func newFoX(d Dims, p foxSettings) (Encoding, error) {
	switch p.Init {
	case "", "decay-times":
		bias, err := p.logits(d.Heads)
		return fox{d: d, bias: bias}, err
	case "zero":
		if p.decayTimes != (decayTimes{}) {
			return nil, fmt.Errorf("decay_time_min and decay_time_max belong to init decay-times, not to zero")
		}
		return fox{d: d, bias: make([]float64, d.Heads)}, nil
	default:
		return nil, fmt.Errorf("init %q: want decay-times or zero", p.Init)
	}
}

// Params implements Encoding: w [H,D] and β [H] of each layer.
func (e fox) Params() []Param {
	var list []Param
	for i := range e.d.Layers {
		list = append(list,
			Param{Name: attentionParam(i, "forget.weight"), Shape: []int{e.d.Heads, e.d.Model}, Std: 0.02, Decay: true,
				Full: true},
			Param{Name: attentionParam(i, "forget.bias"), Shape: []int{e.d.Heads}, Init: e.bias})
	}
	return list
}

// Bias implements Encoding: Σ log f_l over l = j+1 … t, [B,H,T,S]. Each key and head caches its
// log f.
//
// The sums run from each query backwards. They could be differences of one running sum over all
// tokens, but that is large where the tokens are many, and what lies near would lose by it.
func (e fox) Bias(s *Site) *graph.Node {
	b := s.B
	gates := b.Add(b.Gemm(s.Hidden, s.Param(attentionParam(s.Layer, "forget.weight")), false, true),
		s.Param(attentionParam(s.Layer, "forget.bias")))
	gates = b.Transpose(b.Reshape(gates, s.Batch, s.Seq, graph.N(e.d.Heads)), 0, 2, 1)
	log := b.Neg(b.Softplus(b.Neg(gates))) // of the new tokens, [B,H,T]
	log = s.Grow("log_forget", log, 2)     // of all slots, [B,H,S]
	return sumAfter(b, b.Where(s.Visible(), b.Unsqueeze(log, 2), b.Float(0)))
}
