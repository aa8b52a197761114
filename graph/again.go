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
	switch {
	case x.Op == "Softmax" && x.isLong(-1):
		return b.redone(x)
	case x.longSlice():
		return b.sliced(x)
	case x.Op == "Transpose" && x.Inputs[0].longSlice():
		return b.Op(x.Op, []*Node{b.sliced(x.Inputs[0])}, x.Attrs...)
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

// long is from how many elements along an axis, where that is known, what attention makes of a sequence is computed again: weights, of
// which a backward pass would keep as many as the square of the length for each head, and parts of keys, values and queries.
const long = 512

func (n *Node) isLong(axis int) bool {
	length, known := n.Dim(axis).Int()
	return known && length >= long
}

// redone computes x, which elementwise operators and Softmax made of a product, once more from the factors, or returns x where
// it is made of something else.
func (b *Builder) redone(x *Node) *Node {
	inputs := slices.Clone(x.Inputs)
	for i, in := range inputs {
		switch {
		case x.Op == "MatMul":
			inputs[i] = b.again(in)
		case SharesInput(x.Op) && i == 0 || !in.leaf() && slices.Equal(in.Shape, x.Shape):
			inputs[i] = b.redone(in)
		}
	}
	if slices.Equal(inputs, x.Inputs) {
		return x
	}
	return b.Op(x.Op, inputs, x.Attrs...)
}

// sliced is a part of a long axis of x once more. An axis that is counted from the end is another node, as in again.
func (b *Builder) sliced(x *Node) *Node {
	axis := tensor.Data[int64](x.Inputs[3].Value)[0]
	inputs := slices.Clone(x.Inputs)
	inputs[0], inputs[3] = b.again(inputs[0]), b.Ints(axis-int64(x.rank()))
	return b.Op(x.Op, inputs, x.Attrs...)
}

// longSlice reports whether x is a part of a long axis, which Builder.Slice made.
func (x *Node) longSlice() bool {
	if x.Op != "Slice" || len(x.Inputs) < 4 || x.Inputs[3].Op != OpConstant || x.Inputs[3].Value.Len() != 1 {
		return false
	}
	axis := int(tensor.Data[int64](x.Inputs[3].Value)[0])
	return axis >= 0 && x.Inputs[0].isLong(axis)
}
