package graph

import (
	"math"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

func elementwiseOps() operators {
	return operators{
		"Add": arithmetic(7, func(b *Builder, n, g *Node) []*Node { return []*Node{g, g} }),
		"Sub": arithmetic(7, func(b *Builder, n, g *Node) []*Node { return []*Node{g, b.Neg(g)} }),
		"Mul": arithmetic(7, func(b *Builder, n, g *Node) []*Node {
			if n.Inputs[0] == n.Inputs[1] {
				return []*Node{b.Mul(b.times(g, 2), n.Inputs[0]), nil}
			}
			return []*Node{b.Mul(g, b.again(n.Inputs[1])), b.Mul(g, b.again(n.Inputs[0]))}
		}),
		"Div": arithmetic(7, func(b *Builder, n, g *Node) []*Node {
			gx := b.Div(g, n.Inputs[1])
			return []*Node{gx, b.Neg(b.Mul(gx, n))}
		}),
		// Opset 12 let them take int64.
		"Max": arithmetic(12, func(b *Builder, n, g *Node) []*Node {
			return b.toEither(b.Op("GreaterOrEqual", []*Node{n.Inputs[0], n.Inputs[1]}), g)
		}),
		"Min": arithmetic(12, func(b *Builder, n, g *Node) []*Node {
			return b.toEither(b.Op("GreaterOrEqual", []*Node{n.Inputs[1], n.Inputs[0]}), g)
		}),
		"Pow": {min: 2, max: 2, since: 7, infer: inferPow, vjp: func(b *Builder, n, g *Node) []*Node {
			p := tensor.Data[float32](n.Inputs[1].Value)[0]
			slope := b.Mul(b.Float(float64(p)), b.Pow(n.Inputs[0], float64(p-1)))
			return []*Node{b.Mul(g, slope), nil}
		}},
		"Neg": unary(6, func(b *Builder, n, g *Node) *Node { return b.Neg(g) }, tensor.Int64),
		"Abs": unary(6, func(b *Builder, n, g *Node) *Node {
			x, zero := n.Inputs[0], b.Float(0)
			return b.Where(b.Greater(x, zero), g, b.Where(b.Greater(zero, x), b.Neg(g), zero))
		}, tensor.Int64),
		// Its slope is 0 wherever it has one.
		"Floor":      unary(6, func(b *Builder, n, g *Node) *Node { return nil }),
		"Exp":        unary(6, func(b *Builder, n, g *Node) *Node { return b.Mul(g, n) }),
		"Log":        unary(6, func(b *Builder, n, g *Node) *Node { return b.Div(g, n.Inputs[0]) }),
		"Sqrt":       unary(6, func(b *Builder, n, g *Node) *Node { return b.Div(b.Mul(g, b.Float(0.5)), n) }),
		"Reciprocal": unary(6, func(b *Builder, n, g *Node) *Node { return b.Neg(b.Mul(g, b.Mul(n, n))) }),
		"Sin":        unary(7, func(b *Builder, n, g *Node) *Node { return b.Mul(g, b.Cos(n.Inputs[0])) }),
		"Cos":        unary(7, func(b *Builder, n, g *Node) *Node { return b.Neg(b.Mul(g, b.Sin(n.Inputs[0]))) }),
		"Tanh":       unary(6, func(b *Builder, n, g *Node) *Node { return b.Mul(g, b.Sub(b.Float(1), b.Mul(n, n))) }),
		// erf'(x) = 2/√π·e^(−x²)
		"Erf": unary(9, func(b *Builder, n, g *Node) *Node {
			x := n.Inputs[0]
			return b.Mul(g, b.Mul(b.Exp(b.Neg(b.Mul(x, x))), b.Float(2/math.Sqrt(math.Pi))))
		}),
		"Sigmoid": unary(6, func(b *Builder, n, g *Node) *Node {
			return b.Mul(g, b.Mul(n, b.Sub(b.Float(1), n)))
		}),
		"Softplus": unary(1, func(b *Builder, n, g *Node) *Node { return b.Mul(g, b.Sigmoid(n.Inputs[0])) }),
		"Relu": unary(6, func(b *Builder, n, g *Node) *Node {
			if g.Op == "Mul" && slices.Contains(g.Inputs, n) {
				return g // a multiple of Relu's value vanishes where Relu's slope does
			}
			// Its value is positive where its input is, which need not be kept for it.
			return b.Where(b.Greater(n, b.Float(0)), g, b.Float(0))
		}),

		"Equal":          comparison(7, tensor.Int64),
		"Greater":        comparison(9, tensor.Float32, tensor.Int64),
		"GreaterOrEqual": comparison(12, tensor.Float32, tensor.Int64),
		"And":            comparison(7, tensor.Bool),
		"Where":          {min: 3, max: 3, since: 9, infer: inferWhere, vjp: vjpWhere},
		"Cast":           {min: 1, max: 1, since: 6, attrs: attributes{"to": integer.needed()}, infer: inferCast},
	}
}

// arithmetic is a broadcasting float32 or int64 operator of two inputs.
func arithmetic(since int, vjp func(b *Builder, n, g *Node) []*Node) operator {
	return operator{min: 2, max: 2, since: since, vjp: vjp, infer: func(n *Node) (err error) {
		x, y := n.Inputs[0], n.Inputs[1]
		if err := n.wantDType(0, tensor.Float32, tensor.Int64); err != nil {
			return err
		}
		if x.DType != y.DType {
			return n.errorf("mixes dtypes")
		}
		n.DType = x.DType
		n.Shape, err = n.broadcast(x.Shape, y.Shape)
		return err
	}}
}

// toEither sends a gradient to the first of two inputs where the condition holds, and to
// the second elsewhere.
func (b *Builder) toEither(first, g *Node) []*Node {
	zero := b.Float(0)
	return []*Node{b.Where(first, g, zero), b.Where(first, zero, g)}
}

// unary is an operator of one input with the same shape, of float32 and the other dtypes
// given.
func unary(since int, vjp func(b *Builder, n, g *Node) *Node, others ...tensor.DType) operator {
	dtypes := append([]tensor.DType{tensor.Float32}, others...)
	return operator{
		min: 1, max: 1, since: since,
		infer: func(n *Node) error {
			x := n.Inputs[0]
			n.DType, n.Shape = x.DType, x.Shape
			return n.wantDType(0, dtypes...)
		},
		vjp: func(b *Builder, n, g *Node) []*Node { return []*Node{vjp(b, n, g)} },
	}
}

// inferPow wants a constant power, as norms have.
func inferPow(n *Node) error {
	p := n.Inputs[1]
	if p.Op != OpConstant || p.DType != tensor.Float32 || p.rank() != 0 {
		return n.errorf("needs a float32 constant without axes as its power")
	}
	n.DType, n.Shape = tensor.Float32, n.Inputs[0].Shape
	return n.wantDType(0, tensor.Float32)
}

// comparison is a broadcasting operator of two inputs with a bool result.
func comparison(since int, dtypes ...tensor.DType) operator {
	return operator{min: 2, max: 2, since: since, infer: func(n *Node) (err error) {
		x, y := n.Inputs[0], n.Inputs[1]
		if err := n.wantDType(0, dtypes...); err != nil {
			return err
		}
		if x.DType != y.DType {
			return n.errorf("mixes dtypes")
		}
		n.DType = tensor.Bool
		n.Shape, err = n.broadcast(x.Shape, y.Shape)
		return err
	}}
}

func inferWhere(n *Node) error {
	c, x, y := n.Inputs[0], n.Inputs[1], n.Inputs[2]
	if err := n.wantDType(0, tensor.Bool); err != nil {
		return err
	}
	if x.DType != y.DType {
		return n.errorf("mixes dtypes")
	}
	n.DType = x.DType
	shape, err := n.broadcast(x.Shape, y.Shape)
	if err != nil {
		return err
	}
	n.Shape, err = n.broadcast(c.Shape, shape)
	return err
}

func vjpWhere(b *Builder, n, g *Node) []*Node {
	return append([]*Node{nil}, b.toEither(n.Inputs[0], g)...)
}

// castable are what values of any type can be cast to: to smaller integers numbers go by
// QuantizeLinear, which bounds them.
var castable = []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int64, tensor.Bool, tensor.BFloat16}

func inferCast(n *Node) error {
	to := Attribute(n, "to", int64(0))
	d := tensor.FromONNX(int32(to))
	if int64(d.ONNX()) == to && slices.Contains(castable, d) {
		n.DType, n.Shape = d, n.Inputs[0].Shape
		return nil
	}
	return n.errorf("cannot cast to ONNX type %d", to)
}

// arithmetic applies a broadcasting operator. Operands that are only expanded
// take part unexpanded, and the result is expanded if it is smaller for it:
// gradients of sums and means would otherwise be written out in full.
func (b *Builder) arithmetic(op string, x, y *Node) *Node {
	if b.err != nil {
		return failed
	}
	full, ok := broadcastShapes(x.Shape, y.Shape)
	if !ok {
		return b.Op(op, []*Node{x, y}) // which says what is wrong
	}
	return b.Expand(b.Op(op, []*Node{unexpanded(x), unexpanded(y)}), full...)
}

func unexpanded(x *Node) *Node {
	if x.Op == "Expand" {
		return x.Inputs[0]
	}
	return x
}

// Add returns x + y, broadcast.
func (b *Builder) Add(x, y *Node) *Node { return b.arithmetic("Add", x, y) }

// Sub returns x − y, broadcast.
func (b *Builder) Sub(x, y *Node) *Node { return b.arithmetic("Sub", x, y) }

// Mul returns x · y, broadcast.
func (b *Builder) Mul(x, y *Node) *Node { return b.arithmetic("Mul", x, y) }

// Div returns x / y, broadcast.
func (b *Builder) Div(x, y *Node) *Node { return b.arithmetic("Div", x, y) }

// Max returns the larger of x and y, broadcast. The gradient goes to the larger one, and
// to x where they are equal. NaN wins.
func (b *Builder) Max(x, y *Node) *Node { return b.arithmetic("Max", x, y) }

// Min returns the smaller of x and y, broadcast. The gradient goes to the smaller one, and
// to x where they are equal. NaN wins.
func (b *Builder) Min(x, y *Node) *Node { return b.arithmetic("Min", x, y) }

// Pow returns x to a constant power.
func (b *Builder) Pow(x *Node, power float64) *Node { return b.Op("Pow", []*Node{x, b.Float(power)}) }

// Neg returns −x.
func (b *Builder) Neg(x *Node) *Node { return b.Op("Neg", []*Node{x}) }

// Exp returns e^x.
func (b *Builder) Exp(x *Node) *Node { return b.Op("Exp", []*Node{x}) }

// Log returns the natural logarithm of x.
func (b *Builder) Log(x *Node) *Node { return b.Op("Log", []*Node{x}) }

// Sqrt returns √x.
func (b *Builder) Sqrt(x *Node) *Node { return b.Op("Sqrt", []*Node{x}) }

// Sin returns sin x, x in radians.
func (b *Builder) Sin(x *Node) *Node { return b.Op("Sin", []*Node{x}) }

// Cos returns cos x, x in radians.
func (b *Builder) Cos(x *Node) *Node { return b.Op("Cos", []*Node{x}) }

// Tanh returns tanh x.
func (b *Builder) Tanh(x *Node) *Node { return b.Op("Tanh", []*Node{x}) }

// Sigmoid returns 1/(1 + e^−x). Its logarithm is −Softplus(−x), which stays exact where
// the sigmoid itself is too small to tell from 0.
func (b *Builder) Sigmoid(x *Node) *Node { return b.Op("Sigmoid", []*Node{x}) }

// Softplus returns log(1 + e^x), without overflow.
func (b *Builder) Softplus(x *Node) *Node { return b.Op("Softplus", []*Node{x}) }

// Relu returns max(x, 0).
func (b *Builder) Relu(x *Node) *Node { return b.Op("Relu", []*Node{x}) }

// Greater returns x > y as bool, broadcast.
func (b *Builder) Greater(x, y *Node) *Node { return b.Op("Greater", []*Node{x, y}) }

// And returns x ∧ y, broadcast.
func (b *Builder) And(x, y *Node) *Node { return b.Op("And", []*Node{x, y}) }

// Where returns x where cond holds and y elsewhere, broadcast.
func (b *Builder) Where(cond, x, y *Node) *Node { return b.Op("Where", []*Node{cond, x, y}) }

// Cast converts x to another dtype; it has no gradient.
func (b *Builder) Cast(x *Node, to tensor.DType) *Node {
	if b.err == nil && x.DType == to {
		return x
	}
	return b.Op("Cast", []*Node{x}, Attr{"to", int64(to.ONNX())})
}
