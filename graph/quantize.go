package graph

import (
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

// quantizeOps turn numbers into small integers, for graphs in another precision. They have
// no gradient.
func quantizeOps() operators {
	return operators{
		// Opset 13 brought scales along an axis.
		"QuantizeLinear": {min: 3, max: 3, since: 10, sinceAttribute: map[string]int{"axis": 13},
			attrs: attributes{"axis": integer}, infer: inferQuantizeLinear},
	}
}

func inferQuantizeLinear(n *Node) error {
	x, scale, zero := n.Inputs[0], n.Inputs[1], n.Inputs[2]
	axis, err := n.axisOf(n.Int("axis", 1), x.Rank())
	if err != nil {
		return err
	}
	if x.DType != tensor.Float32 || scale.DType != tensor.Float32 || zero.DType != tensor.Uint8 ||
		!slices.Equal(scale.Shape, x.Shape[axis:axis+1]) || !slices.Equal(zero.Shape, scale.Shape) {
		return n.errorf("needs float32 values, a float32 scale and a uint8 zero for each place along axis %d", axis)
	}
	n.DType, n.Shape = tensor.Uint8, x.Shape
	return nil
}

// QuantizeLinear returns x / scale, rounded to the nearest, ties to even, plus zero, and
// bounded to 0…255; uint8. scale and zero have an element for each place along the axis.
func (b *Builder) QuantizeLinear(x, scale, zero *Node, axis int) *Node {
	return b.Op("QuantizeLinear", []*Node{x, scale, zero}, Attr{"axis", int64(axis)})
}
