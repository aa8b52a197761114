package graph

import (
	"cmp"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

// fusedOps are operators of opset 23 that stand for a composition. They serve
// exported models only and have no gradient: training graphs are composed.
func fusedOps() operators {
	return operators{
		"RMSNormalization": {min: 2, max: 2, since: 23, attrs: attributes{"axis": integer, "epsilon": number},
			infer: inferRMSNormalization},
		"RotaryEmbedding": {min: 3, max: 3, since: 23, attrs: attributes{"interleaved": flag, "rotary_embedding_dim": integer},
			infer: inferRotaryEmbedding},
		"Attention": {min: 3, max: 4, since: 23, attrs: attributes{"scale": number}, infer: inferAttention,
			multiplyAdds: func(n *Node) Dim { // q kᵀ and weights · v
				return scores(n).Mul(n.Inputs[0].Dim(3).Add(n.Inputs[2].Dim(3)))
			},
			scratch: scores},
	}
}

// scores counts the attention weights of an Attention node, [B,H,T,S].
func scores(n *Node) Dim { return product(n.Inputs[0].Shape[:3]).Mul(n.Inputs[1].Dim(2)) }

func allFloat(n *Node) error {
	for i := range n.Inputs {
		if err := n.wantDType(i, tensor.Float32); err != nil {
			return err
		}
	}
	return nil
}

func inferRMSNormalization(n *Node) error {
	x, gain := n.Inputs[0], n.Inputs[1]
	if axis, err := n.axisOf(Attribute(n, "axis", int64(-1)), x.rank()); err != nil {
		return err
	} else if axis != x.rank()-1 || !slices.Equal(gain.Shape, x.Shape[axis:]) {
		return n.errorf("must normalise the last axis with a gain of its length")
	}
	n.DType, n.Shape = x.DType, x.Shape
	return allFloat(n)
}

func inferRotaryEmbedding(n *Node) error {
	x, cos, sin := n.Inputs[0], n.Inputs[1], n.Inputs[2]
	features, literal := x.Dim(-1).Int()
	width := int(Attribute(n, "rotary_embedding_dim", int64(0)))
	width = cmp.Or(width, features)
	if x.rank() != 4 || !literal || width < 0 || width > features || width%2 != 0 {
		return n.errorf("needs x [B,H,T,K] and an even rotated width of at most K, not %d", width)
	}
	table := []Dim{x.Dim(0), x.Dim(2), N(width / 2)}
	if !slices.Equal(cos.Shape, table) || !slices.Equal(sin.Shape, table) {
		return n.errorf("needs cos and sin of shape %s", shapeText(table))
	}
	n.DType, n.Shape = x.DType, x.Shape
	return allFloat(n)
}

func inferAttention(n *Node) error {
	q, k, v := n.Inputs[0], n.Inputs[1], n.Inputs[2]
	if q.rank() != 4 || k.rank() != 4 || v.rank() != 4 {
		return n.errorf("needs q, k, v of rank 4")
	}
	if !slices.Equal(q.Shape[:2], k.Shape[:2]) || !slices.Equal(k.Shape[:3], v.Shape[:3]) || q.Shape[3] != k.Shape[3] {
		return n.errorf("needs q [B,H,T,K], k [B,H,S,K], v [B,H,S,*]")
	}
	if len(n.Inputs) == 4 {
		scores := []Dim{q.Shape[0], q.Shape[1], q.Shape[2], k.Shape[2]}
		m := n.Inputs[3]
		if m.DType != tensor.Bool && m.DType != tensor.Float32 || m.rank() != 4 {
			return n.errorf("needs a bool or float32 mask of rank 4")
		}
		if full, err := n.broadcast(m.Shape, scores); err != nil || !slices.Equal(full, scores) {
			return n.errorf("mask does not broadcast to %s", shapeText(scores))
		}
	}
	n.DType = q.DType
	n.Shape = []Dim{q.Shape[0], q.Shape[1], q.Shape[2], v.Shape[3]}
	for i := range 3 {
		if err := n.wantDType(i, tensor.Float32); err != nil {
			return err
		}
	}
	return nil
}
