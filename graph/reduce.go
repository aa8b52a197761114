package graph

import (
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

func reduceOps() operators {
	// sinceAxes is the opset that made the axes an input.
	reduce := func(sinceAxes int, vjp func(b *Builder, n, g *Node) *Node) operator {
		return operator{min: 1, max: 2, since: 1, sinceOptional: sinceAxes, attrs: attributes{"keepdims": flag},
			infer: inferReduce,
			vjp:   func(b *Builder, n, g *Node) []*Node { return []*Node{vjp(b, n, g), nil} }}
	}
	// Opset 13 normalises over one axis; before, it was the axis and all behind it.
	softmax := func(vjp func(b *Builder, n, g *Node) *Node) operator {
		return operator{min: 1, max: 1, since: 13, attrs: attributes{"axis": integer}, infer: inferSoftmax,
			vjp: func(b *Builder, n, g *Node) []*Node { return []*Node{vjp(b, n, g)} }}
	}
	return operators{
		"ReduceSum": reduce(13, spread),
		"ReduceMean": reduce(18, func(b *Builder, n, g *Node) *Node {
			count, ok := divideShapes(n.Inputs[0].Shape, n.Shape)
			if !ok {
				return b.Fail(n.errorf("has a mean over an unknown number of elements"))
			}
			return spread(b, n, b.Div(g, b.scalar(count)))
		}),
		// Opset 18 made the axes an input.
		"ReduceMax": {min: 1, max: 2, since: 1, sinceOptional: 18, attrs: attributes{"keepdims": flag}, infer: inferReduce},
		"Softmax": softmax(func(b *Builder, n, g *Node) *Node {
			axis := int(Attribute(n, "axis", int64(-1)))
			y := b.again(n)
			return b.Mul(y, b.Sub(g, b.ReduceSum(b.Mul(g, y), true, axis)))
		}),
		"LogSoftmax": softmax(func(b *Builder, n, g *Node) *Node {
			axis := int(Attribute(n, "axis", int64(-1)))
			return b.Sub(g, b.Mul(b.Exp(n), b.ReduceSum(g, true, axis)))
		}),
		"CumSum": {min: 2, max: 2, since: 11, attrs: attributes{"exclusive": flag, "reverse": flag}, infer: inferCumSum,
			vjp: func(b *Builder, n, g *Node) []*Node {
				back := b.Op("CumSum", []*Node{g, n.Inputs[1]}, Attr{"exclusive", Attribute(n, "exclusive", int64(0))},
					Attr{"reverse", 1 - Attribute(n, "reverse", int64(0))})
				return []*Node{back, nil}
			}},
	}
}

// spread gives every reduced element the gradient of its sum.
func spread(b *Builder, n, g *Node) *Node {
	x := n.Inputs[0]
	axes, _ := n.axes(1, x.rank())
	if len(axes) == 0 {
		axes = identity(x.rank())
	}
	kept := slices.Clone(x.Shape)
	for _, a := range axes {
		kept[a] = N(1)
	}
	return b.Expand(b.Reshape(g, kept...), x.Shape...)
}

func inferReduce(n *Node) error {
	x := n.Inputs[0]
	if err := n.wantDType(0, tensor.Float32); err != nil {
		return err
	}
	axes, err := n.axes(1, x.rank())
	if err != nil {
		return err
	}
	if len(axes) == 0 {
		axes = identity(x.rank())
	}
	keep := Attribute(n, "keepdims", int64(1)) != 0
	n.DType, n.Shape = x.DType, []Dim{}
	for i, d := range x.Shape {
		switch {
		case !slices.Contains(axes, i):
			n.Shape = append(n.Shape, d)
		case keep:
			n.Shape = append(n.Shape, N(1))
		}
	}
	return nil
}

func inferSoftmax(n *Node) error {
	x := n.Inputs[0]
	if err := n.wantDType(0, tensor.Float32); err != nil {
		return err
	}
	n.DType, n.Shape = x.DType, x.Shape
	_, err := n.axisOf(Attribute(n, "axis", int64(-1)), x.rank())
	return err
}

func inferCumSum(n *Node) error {
	x := n.Inputs[0]
	if err := n.wantDType(0, tensor.Float32, tensor.Int64); err != nil {
		return err
	}
	if _, known := n.Inputs[1].knownInts(); !known || n.Inputs[1].rank() != 0 {
		return n.errorf("needs a constant int64 number as its axis")
	}
	n.DType, n.Shape = x.DType, x.Shape
	_, err := n.axes(1, x.rank())
	return err
}

// ReduceSum sums over the axes (all, when none is named).
func (b *Builder) ReduceSum(x *Node, keepdims bool, axes ...int) *Node {
	return b.reduce("ReduceSum", x, keepdims, axes)
}

// ReduceMean averages over the axes (all, when none is named).
func (b *Builder) ReduceMean(x *Node, keepdims bool, axes ...int) *Node {
	return b.reduce("ReduceMean", x, keepdims, axes)
}

// ReduceMax returns the largest along the axes (of all, when none is named). It has no
// gradient.
func (b *Builder) ReduceMax(x *Node, keepdims bool, axes ...int) *Node {
	return b.reduce("ReduceMax", x, keepdims, axes)
}

func (b *Builder) reduce(op string, x *Node, keepdims bool, axes []int) *Node {
	in := []*Node{x}
	if len(axes) > 0 {
		in = append(in, b.Ints(int64s(axes)...))
	}
	keep := int64(0)
	if keepdims {
		keep = 1
	}
	return b.Op(op, in, Attr{"keepdims", keep})
}

func int64s(v []int) []int64 {
	return lists.Map(v, func(x int) int64 { return int64(x) })
}

// Softmax normalises e^x over an axis.
func (b *Builder) Softmax(x *Node, axis int) *Node {
	return b.Op("Softmax", []*Node{x}, Attr{"axis", int64(axis)})
}

// CumSum returns, for each element, the sum of those up to and including it along an axis.
func (b *Builder) CumSum(x *Node, axis int) *Node {
	return b.Op("CumSum", []*Node{x, b.Const(tensor.Of([]int64{int64(axis)}))})
}
