package graph

import (
	"math"
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
		// With one scale for all, or, since opset 21, for each block.
		"DequantizeLinear": {min: 2, max: 2, since: 10, sinceAttribute: map[string]int{"axis": 13, "block_size": 21}, takesInt4: true,
			attrs: attributes{"axis": integer, "block_size": integer},
			infer: inferDequantizeLinear},
	}
}

// inferDequantizeLinear wants one scale for all bytes, or one for each block of neighbours along an axis.
func inferDequantizeLinear(n *Node) error {
	x, scale, size := n.Inputs[0], n.Inputs[1], Attribute(n, "block_size", int64(0))
	axis, err := n.axisOf(Attribute(n, "axis", int64(1)), x.rank())
	if err != nil {
		return err
	}
	if x.DType == tensor.Uint8 && scale.DType == tensor.Float32 && scale.rank() == 0 && size == 0 {
		n.DType, n.Shape = tensor.Float32, x.Shape
		return nil
	}
	if (x.DType != tensor.Int8 && x.DType != tensor.Int4) || scale.DType != tensor.Float32 || size < 1 || size > math.MaxInt32 ||
		scale.rank() != x.rank() {
		return n.errorf("needs uint8 values and one scale, or int8 or int4 values, float32 scales of as many axes, and a block_size of at least 1")
	}
	want := slices.Clone(scale.Shape)
	want[axis] = want[axis].Mul(N(int(size)))
	if !slices.Equal(want, x.Shape) {
		return n.errorf("needs a scale for each %d values along axis %d", size, axis)
	}
	n.DType, n.Shape = tensor.Float32, x.Shape
	return nil
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
