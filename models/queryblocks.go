package models

import (
	"cmp"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/models/pe"
)

// queryBlock is how many queries of a long training sequence attend at a time.
const queryBlock = 512

// blocked reports whether queries attend in blocks: where sequences of training have a known length of several blocks, and
// weights are a softmax of what a query, a key and their distance give.
func (p *pass) blocked(s *pe.Site, enc pe.Encoding) bool {
	c, m := p.cfg, p.mode
	if m.Steps <= queryBlock || m.Cache || m.Dropout > 0 || m.Attentions || m.AttentionLogits ||
		cmp.Or(m.Positions, card.Contiguous) != card.Contiguous {
		return false
	}
	_, maps := enc.(pe.LogitMapper)
	_, weighs := enc.(pe.Weigher)
	if maps || weighs || c.Attention != "" || c.Ablation != "" || p.scales(s.Layer) {
		return false
	}
	bias := enc.Bias(s)
	return bias == nil || !readsInput(bias, map[*graph.Node]bool{})
}

// readsInput reports whether x depends on what the graph is fed.
func readsInput(x *graph.Node, seen map[*graph.Node]bool) bool {
	if seen[x] {
		return false
	}
	seen[x] = true
	return x.Op == graph.OpInput || slices.ContainsFunc(x.Inputs, func(in *graph.Node) bool { return readsInput(in, seen) })
}

// attendInBlocks is attend by blocks of queries, each of which meets the keys up to its last query alone: half of the logits
// are never computed, and those of one block at a time take memory. To hooks a block is what new tokens are with a cache.
func (p *pass) attendInBlocks(s *pe.Site, enc pe.Encoding, scaled, k, v *graph.Node) *graph.Node {
	seq, total := p.seq, p.total
	defer func() { p.seq, p.total = seq, total }()
	var parts []*graph.Node
	for from := 0; from < p.mode.Steps; from += queryBlock {
		to := min(from+queryBlock, p.mode.Steps)
		first, end := graph.N(from), graph.N(to)
		p.seq, p.total = graph.N(to-from), end
		part := *s
		part.Seq, part.Total, part.Slots = p.seq, p.total, p.b.Range(first, end)
		part.Visible = func() *graph.Node { return p.visible(&part, p.windows[s.Layer]) }
		keys := func(x *graph.Node) *graph.Node { return p.b.Slice(x, 2, graph.N(0), end) }
		queries := p.b.Slice(scaled, 2, first, end)
		parts = append(parts, p.attendAll(&part, enc, queries, queries, keys(k), keys(v)))
	}
	return p.b.Concat(2, parts...)
}
