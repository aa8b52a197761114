package models

import (
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// declare declares a model's weights in a builder, by name.
func declare(b *graph.Builder, params []pe.Param) map[string]*graph.Node {
	nodes := map[string]*graph.Node{}
	for _, p := range params {
		nodes[p.Name] = b.Param(p.Name, tensor.Float32, p.Shape...)
	}
	return nodes
}

// drive is U x + b [rows,n] of the embeddings x of tokens.
func drive(b *graph.Builder, weights map[string]*graph.Node, ids *graph.Node, rows graph.Dim) *graph.Node {
	embed := weights["embed.weight"]
	x := b.Reshape(b.Gather(embed, ids, 0), rows, embed.Dim(1))
	return b.Add(linear(b, x, weights["in_proj.weight"]), weights["in_proj.bias"])
}

// unroll returns the drives [B,T,·] of m.Steps tokens, which is the length of the axis seq, for
// a network that is unrolled over them; what names it. Rows are padded on the right.
func unroll(b *graph.Builder, m Mode, weights map[string]*graph.Node, what string) (drives *graph.Node, ok bool) {
	if m.Steps < 1 || m.Cache || m.Attentions || m.Dropout > 0 {
		b.Fail(fmt.Errorf("%s unrolls over a known number of steps, without cache, attention or dropout", what))
		return nil, false
	}
	batch, seq := graph.Sym(card.Batch), graph.N(m.Steps)
	ids := input(b, card.InputIDs, card.Seq, seq.String())
	return b.Reshape(drive(b, weights, ids, batch.Mul(seq)), batch, seq, weights["in_proj.weight"].Dim(0)), true
}

// logitsOf is the pass of an unrolled network with these hidden units, [B,n] after each token.
func logitsOf(b *graph.Builder, weights map[string]*graph.Node, hidden []*graph.Node) *forward {
	head := weights["head.weight"]
	rows := graph.Sym(card.Batch).Mul(graph.N(len(hidden)))
	for t, h := range hidden {
		hidden[t] = b.Unsqueeze(h, 1)
	}
	return &forward{Logits: linear(b, b.Reshape(b.Concat(1, hidden...), rows, head.Dim(1)), head)}
}

// partsAlong returns the parts of x along an axis of known length, each without that axis. It
// cuts in halves, over and over: the gradient of a cut is as long as what is cut, and T
// cuts from the whole would take time in T².
func partsAlong(b *graph.Builder, x *graph.Node, axis int) []*graph.Node {
	n, _ := x.Dim(axis).Int()
	if n <= 1 {
		return []*graph.Node{b.Squeeze(x, axis)}
	}
	left := b.Slice(x, axis, graph.N(0), graph.N(n/2))
	right := b.Slice(x, axis, graph.N(n/2), graph.N(n))
	return append(partsAlong(b, left, axis), partsAlong(b, right, axis)...)
}
