package graph

import (
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

func indexOps() operators {
	axis := attributes{"axis": integer}
	return operators{
		// Opset 11 let indices count from the end.
		"Gather":         {min: 2, max: 2, since: 11, attrs: axis, infer: inferGather, vjp: vjpGather},
		"GatherElements": {min: 2, max: 2, since: 11, attrs: axis, infer: inferGatherElements, vjp: vjpGatherElements},
		// ScatterElements and not ScatterND: ONNX Runtime's CPU kernel of the latter
		// races when indices repeat (microsoft/onnxruntime#18048). Opset 16 brought the
		// reduction, which is always used here.
		"ScatterElements": {min: 3, max: 3, since: 16, attrs: attributes{"axis": integer, "reduction": word},
			infer: inferScatterElements},
		"ScatterND": {min: 3, max: 3, since: 11, infer: inferScatterND},
	}
}

func inferGather(n *Node) error {
	x, at := n.Inputs[0], n.Inputs[1]
	if err := n.wantDType(1, tensor.Int64); err != nil {
		return err
	}
	axis, err := n.axisOf(Attribute(n, "axis", int64(0)), x.rank())
	if err != nil {
		return err
	}
	n.DType, n.Shape = x.DType, slices.Concat(x.Shape[:axis], at.Shape, x.Shape[axis+1:])
	return nil
}

// vjpGather adds each picked row's gradient to its row. Rows may repeat. For a small
// table this is a product with one-hot rows: ONNX Runtime scatters with one thread.
func vjpGather(b *Builder, n, g *Node) []*Node {
	x, at := n.Inputs[0], n.Inputs[1]
	if axis, _ := n.axisOf(Attribute(n, "axis", int64(0)), x.rank()); axis != 0 {
		return []*Node{b.Fail(n.errorf("has a gradient for axis 0 only"))}
	}
	count := product(at.Shape)
	if v, ok := x.Dim(0).Int(); ok && x.rank() == 2 && v <= oneHotRows {
		if d, ok := x.Dim(1).Int(); ok && v <= d {
			rows := b.oneHot(b.Reshape(at, count, N(1)), v)
			return []*Node{b.Gemm(rows, b.Reshape(g, count, x.Dim(1)), true, false), nil}
		}
	}
	rows := append([]Dim{count}, x.Shape[1:]...)
	column := []Dim{count}
	for range x.Shape[1:] {
		column = append(column, N(1))
	}
	index := b.Expand(b.Reshape(at, column...), rows...)
	return []*Node{b.scatterAdd(b.Expand(b.Float(0), x.Shape...), index, b.Reshape(g, rows...), 0), nil}
}

// oneHotRows is the largest table whose gradient is a matrix product. The product's
// cost goes with the number of rows.
const oneHotRows = 256

// oneHot turns indices [N,1], which may count from the end, into rows [N,size] with a
// single 1.
func (b *Builder) oneHot(at *Node, size int) *Node {
	from0 := b.Where(b.Greater(b.Ints(0), at), b.Add(at, b.Ints(int64(size))), at)
	return b.Cast(b.Op("Equal", []*Node{from0, b.Range(N(0), N(size))}), tensor.Float32)
}

func inferGatherElements(n *Node) error {
	x, at := n.Inputs[0], n.Inputs[1]
	if err := n.wantDType(1, tensor.Int64); err != nil {
		return err
	}
	axis, err := n.axisOf(Attribute(n, "axis", int64(0)), x.rank())
	if err != nil {
		return err
	}
	if !sameBut(axis, x.Shape, at.Shape) {
		return n.errorf("needs equal axes except axis %d", axis)
	}
	n.DType, n.Shape = x.DType, at.Shape
	return nil
}

func vjpGatherElements(b *Builder, n, g *Node) []*Node {
	x := n.Inputs[0]
	axis, _ := n.axisOf(Attribute(n, "axis", int64(0)), x.rank())
	return []*Node{b.scatterAdd(b.Expand(b.Float(0), x.Shape...), n.Inputs[1], g, axis), nil}
}

func inferScatterElements(n *Node) error {
	x, at, v := n.Inputs[0], n.Inputs[1], n.Inputs[2]
	if err := n.wantDType(1, tensor.Int64); err != nil {
		return err
	}
	axis, err := n.axisOf(Attribute(n, "axis", int64(0)), x.rank())
	if err != nil {
		return err
	}
	if x.DType != tensor.Float32 || v.DType != x.DType ||
		!slices.Equal(at.Shape, v.Shape) || !sameBut(axis, x.Shape, at.Shape) {
		return n.errorf("needs float32 data and updates, indices shaped like the updates, "+
			"and equal axes except axis %d", axis)
	}
	if r := Attribute(n, "reduction", "none"); r != "add" {
		return n.errorf("has reduction %q; only add is supported", r)
	}
	n.DType, n.Shape = x.DType, x.Shape
	return nil
}

func inferScatterND(n *Node) error {
	x, at, v := n.Inputs[0], n.Inputs[1], n.Inputs[2]
	if err := n.wantDType(1, tensor.Int64); err != nil {
		return err
	}
	depth, literal := at.Dim(-1).Int()
	if at.rank() == 0 || !literal || depth > x.rank() || v.DType != x.DType ||
		!slices.Equal(v.Shape, slices.Concat(at.Shape[:at.rank()-1], x.Shape[depth:])) {
		return n.errorf("needs indices [..., k] into the first k axes and updates of the data's type, " +
			"shaped like the indices without their last axis and the data's other axes")
	}
	n.DType, n.Shape = x.DType, x.Shape
	return nil
}

// sameBut reports whether two shapes agree in every axis but one.
func sameBut(axis int, a, b []Dim) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if i != axis && a[i] != b[i] {
			return false
		}
	}
	return true
}

// Gather picks slices of x along an axis: the axis is replaced by the axes of at.
func (b *Builder) Gather(x, at *Node, axis int) *Node {
	return b.Op("Gather", []*Node{x, at}, Attr{"axis", int64(axis)})
}

// GatherElements picks one element per index along an axis.
func (b *Builder) GatherElements(x, at *Node, axis int) *Node {
	return b.Op("GatherElements", []*Node{x, at}, Attr{"axis", int64(axis)})
}

// scatterAdd adds updates into x at the indices along an axis; indices may
// repeat. It has no gradient: it occurs in gradients only.
func (b *Builder) scatterAdd(x, at, updates *Node, axis int) *Node {
	return b.Op("ScatterElements", []*Node{x, at, updates}, Attr{"axis", int64(axis)}, Attr{"reduction", "add"})
}
