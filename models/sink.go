package models

import (
	"fmt"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/models/pe"
)

// Values of Config.AttentionSink.
const (
	sinkLearned = "learned"
	sinkZero    = "zero"
)

func sinkName(layer int) string { return fmt.Sprintf("layers.%d.attn.sink", layer) }

// softmax returns the weights of logits [B,H,T,S] over their last axis. With a sink there is
// one more logit, and the weights sum up to less than 1:
//
//	w_j = e^(z_j) / (e^(sink_h) + Σ_i e^(z_i))
//
// Learned for each head it is the sink of gpt-oss (OpenAI 2025, arXiv 2508.10925), and 0 the
// zero sink of Xiao et al. 2023 (arXiv 2309.17453). Scales of logits do not reach it.
func (p *pass) softmax(s *pe.Site, logits *graph.Node) *graph.Node {
	b := p.b
	if p.cfg.AttentionSink == "" {
		return b.Softmax(logits, -1)
	}
	sink := b.Float(0)
	if p.cfg.AttentionSink == sinkLearned {
		sink = b.Unsqueeze(p.param(sinkName(s.Layer)), 1, 2) // [H,1,1]
	}
	column := b.Expand(sink, p.batch, graph.N(p.cfg.NHeads), p.seq, graph.N(1))
	weights := b.Softmax(b.Concat(3, column, logits), -1)
	return b.Slice(weights, 3, graph.N(1), weights.Dim(3))
}
