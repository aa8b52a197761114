package graph

import (
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

// again returns the value of x for a backward pass. A product with a factor that takes
// little memory itself, because it is given from outside or broadcast, is computed once
// more there instead of being kept from the forward pass on, and so are bytes that become
// floats. The factors change places, and the bytes' axis means nothing with one scale: every
// bit is as it was, and the node is another one for the builder and for engines that merge
// identical nodes.
func (b *Builder) again(x *Node) *Node {
	if b.err != nil {
		return x
	}
	if SharesInput(x.Op) {
		inputs := slices.Clone(x.Inputs)
		inputs[0] = b.again(inputs[0])
		return b.Op(x.Op, inputs, x.Attrs...)
	}
	if x.widened() {
		return b.Op("DequantizeLinear", x.Inputs, Attr{"axis", int64(0)})
	}
	if x.Op != "Mul" || !x.little(0) && !x.little(1) {
		return x
	}
	return b.Op("Mul", []*Node{b.again(x.Inputs[1]), b.again(x.Inputs[0])})
}

// little reports whether input i takes little memory compared with the value of n. Constants
// do not count: ONNX Runtime folds them into a matrix product that alone reads n, which
// rounds differently.
func (n *Node) little(i int) bool {
	x := n.Inputs[i]
	return x.Op != OpConstant && (x.leaf() || x.widened() || !slices.Equal(x.Shape, n.Shape))
}

// widened reports whether x is given bytes as floats, four times as large.
func (x *Node) widened() bool {
	return x.Op == "DequantizeLinear" && x.Inputs[0].leaf() && x.Inputs[0].DType == tensor.Uint8
}
