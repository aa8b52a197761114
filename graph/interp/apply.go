package interp

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Apply computes one operator in float32, for engines that have no kernel of their own for
// it. The operands have the types of the node's inputs, with float32 in place of float16 and
// bfloat16, and want is the shape that the value must have.
func Apply(n *graph.Node, in []*tensor.Tensor, want []int) (*tensor.Tensor, error) {
	run := kernels()[n.Op].pick(n, tensor.Float32)
	if run == nil {
		return nil, fmt.Errorf("no kernel for operator %s", n.Op)
	}
	v, err := run(call{node: n, float: tensor.Float32, in: in})
	if err != nil {
		return nil, err
	}
	d := n.DType
	if d.Halves() {
		d = tensor.Float32
	}
	if v.DType() != d || !slices.Equal(v.Shape(), want) {
		return nil, fmt.Errorf("value is %v, want %s, which is %v%s here", v, n.Type(), d, shapeText(want))
	}
	return v, nil
}
