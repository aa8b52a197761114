package pe

import (
	"cmp"
	"fmt"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// cope counts what a query finds worth counting (contextual position encoding, Golovneva et al.
// 2024, arXiv 2405.18719, section 4): with gates g_tj = σ(q·k_j), of the logits as the model
// scales them, key j has the position p_tj = Σ g_tk over k = j … t as seen from query t, no more
// than max_positions − 1. The logit is q·(k_j + e[p]) where e has a vector for each whole
// position, and one between two is interpolated. All heads of a layer share its e, which starts
// at 0, as in the authors' code (facebookresearch/RAM, projects/cope).
//
// q·e takes the scale of the attention as q·k does, as in that code. The listing in the paper's
// appendix leaves it unscaled.
type cope struct {
	NoPE
	d         Dims
	positions int
}

// copeSettings are the settings.
type copeSettings struct {
	// MaxPositions is the number of vectors e. The last one stands for all that is farther, so
	// there should not be more than sequences in training have tokens: a vector beyond them is
	// never learned. The paper's language models have 64 for 1,024 tokens, the authors'
	// code one more than the longest sequence.
	MaxPositions int `json:"max_positions" about:"number of vectors e, of which the last stands for all positions beyond; default 32"`
}

func newCoPE(d Dims, p copeSettings) (Encoding, error) {
	p.MaxPositions = cmp.Or(p.MaxPositions, 32)
	if p.MaxPositions < 2 || p.MaxPositions > maxPositions {
		return nil, fmt.Errorf("max_positions %d: want 2 to %d", p.MaxPositions, maxPositions)
	}
	return cope{d: d, positions: p.MaxPositions}, nil
}

// Params implements Encoding: e [max_positions, K] of each layer.
func (e cope) Params() []Param {
	return lists.Make(e.d.Layers, func(i int) Param {
		return Param{Name: attentionParam(i, "position.weight"), Shape: []int{e.positions, e.d.Head}, Decay: true}
	})
}

// MapLogits implements LogitMapper: it adds q·e[p], scaled, [B,H,T,S].
//
// With u_n = q·e[n], which is computed once for all keys, u at p is u_n + (p−n)·(u_(n+1) − u_n),
// n = ⌊p⌋: nothing here has an axis of keys and one of positions.
func (e cope) MapLogits(s *Site, q, _, logits *graph.Node) *graph.Node {
	b := s.B
	gates := b.Where(s.Visible(), b.Sigmoid(logits), b.Float(0))
	last := float64(e.positions - 1)
	position := b.Min(sumFrom(b, gates), b.Float(last))
	floor := b.Op("Floor", []*graph.Node{position})
	index := b.Cast(floor, tensor.Int64)

	u := b.MatMul(q, b.Transpose(s.Param(attentionParam(s.Layer, "position.weight")), 1, 0)) // [B,H,T,P]
	if s.Scale != 1 {
		u = b.Mul(u, b.Float(s.Scale))
	}
	one, count := graph.N(1), graph.N(e.positions)
	end := b.Slice(u, 3, graph.N(e.positions-1), count)
	step := b.Sub(b.Concat(3, b.Slice(u, 3, one, count), end), u) // 0 at the last
	slope := b.Mul(b.Sub(position, floor), b.GatherElements(step, index, 3))
	return b.Add(logits, b.Add(b.GatherElements(u, index, 3), slope))
}
