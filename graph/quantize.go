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
	axis, err := n.axisOf(Attribute(n, "axis", int64(1)), x.rank())
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
