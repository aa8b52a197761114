package native

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// operands are what the rows below are made of: x [a,b,c], y [b,1], row [c], keys [a,d,c],
// square [d,d] and cube [a,b,c,4] are fed, and at [a,b], whose numbers are within −1…1.
type operands struct {
	*graph.Builder
	x, y, row, keys, square, cube, at *graph.Node
	a, b, c, d                        graph.Dim
}

// operatorRows has forms of every operator that the engine has a kernel for, and of some
// that it leaves to the interpreter.
var operatorRows = map[string]func(o operands) *graph.Node{
	"Add":              func(o operands) *graph.Node { return o.Add(o.x, o.x) },
	"Add row":          func(o operands) *graph.Node { return o.Add(o.x, o.row) },
	"Add column":       func(o operands) *graph.Node { return o.Add(o.x, o.y) },
	"Add column first": func(o operands) *graph.Node { return o.Add(o.y, o.x) },
	"Add number":       func(o operands) *graph.Node { return o.Add(o.x, o.Float(3)) },
	"Add outer":        func(o operands) *graph.Node { return o.Add(o.y, o.row) },
	"Add int":          func(o operands) *graph.Node { return o.Cast(o.Add(o.at, o.Ints(5)), tensor.Float32) },
	"Sub":              func(o operands) *graph.Node { return o.Sub(o.x, o.row) },
	"Sub from number":  func(o operands) *graph.Node { return o.Sub(o.Float(1), o.x) },
	"Sub number":       func(o operands) *graph.Node { return o.Sub(o.x, o.Float(1)) },
	"Sub int":          func(o operands) *graph.Node { return o.Cast(o.Sub(o.at, o.Ints(5)), tensor.Float32) },
	"Mul":              func(o operands) *graph.Node { return o.Mul(o.x, o.y) },
	"Mul int":          func(o operands) *graph.Node { return o.Cast(o.Mul(o.at, o.at), tensor.Float32) },
	"Div":              func(o operands) *graph.Node { return o.Div(o.x, o.y) },
	"Div by number":    func(o operands) *graph.Node { return o.Div(o.x, o.Float(3)) },
	"Div of number":    func(o operands) *graph.Node { return o.Div(o.Float(3), o.x) },
	"Div int":          func(o operands) *graph.Node { return o.Cast(o.Div(o.at, o.Ints(2)), tensor.Float32) },
	"Max":              func(o operands) *graph.Node { return o.Max(o.x, o.y) },
	"Max int":          func(o operands) *graph.Node { return o.Cast(o.Max(o.at, o.Ints(0)), tensor.Float32) },
	"Min":              func(o operands) *graph.Node { return o.Min(o.x, o.Float(0)) },
	"Min int":          func(o operands) *graph.Node { return o.Cast(o.Min(o.at, o.Ints(0)), tensor.Float32) },
	"Pow":              func(o operands) *graph.Node { return o.Pow(o.Op("Abs", []*graph.Node{o.x}), 1.5) },
	"Pow cube":         func(o operands) *graph.Node { return o.Pow(o.x, 3) },
	"Pow square":       func(o operands) *graph.Node { return o.Pow(o.x, 2) },
	"Neg":              func(o operands) *graph.Node { return o.Neg(o.x) },
	"Neg int":          func(o operands) *graph.Node { return o.Cast(o.Neg(o.at), tensor.Float32) },
	"Abs":              func(o operands) *graph.Node { return o.Op("Abs", []*graph.Node{o.x}) },
	"Abs int":          func(o operands) *graph.Node { return o.Cast(o.Op("Abs", []*graph.Node{o.at}), tensor.Float32) },
	"Floor":            func(o operands) *graph.Node { return o.Op("Floor", []*graph.Node{o.Mul(o.x, o.Float(3))}) },
	"Exp":              func(o operands) *graph.Node { return o.Exp(o.x) },
	"Log":              func(o operands) *graph.Node { return o.Log(o.Op("Abs", []*graph.Node{o.x})) },
	"Sqrt":             func(o operands) *graph.Node { return o.Sqrt(o.Op("Abs", []*graph.Node{o.x})) },
	"Reciprocal":       func(o operands) *graph.Node { return o.Op("Reciprocal", []*graph.Node{o.x}) },
	"Sin":              func(o operands) *graph.Node { return o.Sin(o.x) },
	"Cos":              func(o operands) *graph.Node { return o.Cos(o.x) },
	"Erf":              func(o operands) *graph.Node { return o.Op("Erf", []*graph.Node{o.x}) },
	"Tanh":             func(o operands) *graph.Node { return o.Tanh(o.x) },
	"Sigmoid":          func(o operands) *graph.Node { return o.Sigmoid(o.Mul(o.x, o.Float(40))) },
	"Softplus":         func(o operands) *graph.Node { return o.Softplus(o.Mul(o.x, o.Float(40))) },
	"Relu":             func(o operands) *graph.Node { return o.Relu(o.x) },
	"Equal": func(o operands) *graph.Node {
		return o.Cast(o.Op("Equal", []*graph.Node{o.at, o.Ints(1)}), tensor.Float32)
	},
	"Greater":     func(o operands) *graph.Node { return o.Cast(o.Greater(o.x, o.y), tensor.Float32) },
	"Greater int": func(o operands) *graph.Node { return o.Cast(o.Greater(o.at, o.Ints(0)), tensor.Float32) },
	"GreaterOrEqual": func(o operands) *graph.Node {
		return o.Cast(o.Op("GreaterOrEqual", []*graph.Node{o.x, o.row}), tensor.Float32)
	},
	"And": func(o operands) *graph.Node {
		return o.Cast(o.And(o.Greater(o.x, o.y), o.Greater(o.row, o.x)), tensor.Float32)
	},
	"Where":              func(o operands) *graph.Node { return o.Where(o.Greater(o.x, o.y), o.x, o.row) },
	"Where number":       func(o operands) *graph.Node { return o.Where(o.Greater(o.x, o.y), o.x, o.Float(-1e9)) },
	"Where number first": func(o operands) *graph.Node { return o.Where(o.Greater(o.x, o.y), o.Float(2), o.x) },
	"Where broadcast":    func(o operands) *graph.Node { return o.Where(o.Greater(o.row, o.Float(0)), o.x, o.y) },
	"Where column, number": func(o operands) *graph.Node {
		return o.Where(o.Greater(o.y, o.Float(0)), o.x, o.Float(-1))
	},
	"Where number, column": func(o operands) *graph.Node {
		return o.Where(o.Greater(o.x, o.y), o.Float(-1), o.y)
	},
	"Where int": func(o operands) *graph.Node {
		return o.Cast(o.Where(o.Op("Equal", []*graph.Node{o.at, o.Ints(1)}), o.at, o.Ints(7)), tensor.Float32)
	},
	"Cast to int": func(o operands) *graph.Node {
		return o.Cast(o.Cast(o.Mul(o.x, o.Float(5)), tensor.Int64), tensor.Float32)
	},
	"Cast to bool":     func(o operands) *graph.Node { return o.Cast(o.Cast(o.Relu(o.x), tensor.Bool), tensor.Float32) },
	"Cast int to bool": func(o operands) *graph.Node { return o.Cast(o.Cast(o.at, tensor.Bool), tensor.Float32) },
	"Cast to bfloat16": func(o operands) *graph.Node { return o.Cast(o.Cast(o.x, tensor.BFloat16), tensor.Float32) },
	"Cast to float16":  func(o operands) *graph.Node { return o.Cast(o.Cast(o.x, tensor.Float16), tensor.Float32) },
	"Cast int to bfloat16": func(o operands) *graph.Node {
		return o.Sub(o.Cast(o.Cast(o.Add(o.at, o.Ints(4098)), tensor.BFloat16), tensor.Float32), o.Float(4096))
	},
	"Cast int to float16": func(o operands) *graph.Node {
		return o.Sub(o.Cast(o.Cast(o.Add(o.at, o.Ints(4098)), tensor.Float16), tensor.Float32), o.Float(4096))
	},
	"MatMulInteger": func(o operands) *graph.Node { return o.quantized(o.Param("int8", tensor.Int8, 4, 70)) },
	"MatMulInteger, weight not known": func(o operands) *graph.Node {
		return o.quantized(o.Gather(o.Param("int8", tensor.Int8, 4, 3), o.Reshape(o.at, o.a.Mul(o.b)), 1))
	},
	"QuantizeLinear last": func(o operands) *graph.Node {
		zeros := o.Const(tensor.Of([]uint8{0, 100, 128, 255}, 4))
		scale := o.Const(tensor.Of([]float32{0.1, 0.01, 1, 0.5}, 4))
		return o.Cast(o.Op("QuantizeLinear", []*graph.Node{o.cube, scale, zeros}, graph.Attr{Name: "axis", Value: int64(3)}), tensor.Float32)
	},
	"QuantizeLinear first": func(o operands) *graph.Node {
		scale := o.ReduceMax(o.Op("Abs", []*graph.Node{o.Reshape(o.cube, o.a, o.b.Mul(o.c).Mul(graph.N(4)))}), false, 1) // [a]
		zeros := o.Expand(o.Const(tensor.Of([]uint8{128})), o.a)
		return o.Cast(o.Op("QuantizeLinear", []*graph.Node{o.x, o.Add(o.Mul(scale, o.Float(0.01)), o.Float(0.01)), zeros}, graph.Attr{Name: "axis", Value: int64(0)}), tensor.Float32)
	},
	"QuantizeLinear without an axis": func(o operands) *graph.Node {
		zeros := o.Const(tensor.Of([]uint8{0, 100, 128, 255}, 4))
		scale := o.Const(tensor.Of([]float32{0.1, 0.01, 1, 0.5}, 4))
		rows := o.Reshape(o.cube, o.a.Mul(o.b).Mul(o.c), graph.N(4))
		return o.Cast(o.Op("QuantizeLinear", []*graph.Node{rows, scale, zeros}), tensor.Float32)
	},
	"MatMul of int8 in blocks": func(o operands) *graph.Node { return o.MatMul(o.cube, o.blocks(tensor.Int8, 35, 2)) },
	"MatMul of int4 in blocks": func(o operands) *graph.Node { return o.MatMul(o.cube, o.blocks(tensor.Int4, 64, 2)) },
	"MatMul of int4 in one block, twice": func(o operands) *graph.Node {
		w := o.blocks(tensor.Int4, 4, 4)
		return o.MatMul(o.MatMul(o.cube, w), w)
	},
	"MatMul of int8 in blocks of one row": func(o operands) *graph.Node { return o.MatMul(o.cube, o.blocks(tensor.Int8, 35, 1)) },
	"int4 in blocks, multiplied and added up": func(o operands) *graph.Node {
		w := o.blocks(tensor.Int4, 4, 2)
		return o.MatMul(o.MatMul(o.cube, w), o.Add(w, o.ReduceSum(w, true, 0)))
	},
	"int4 in blocks on the left": func(o operands) *graph.Node {
		return o.MatMul(o.blocks(tensor.Int4, 4, 2), o.Transpose(o.Reshape(o.cube, o.a.Mul(o.b).Mul(o.c), graph.N(4)), 1, 0))
	},
	"attention":             func(o operands) *graph.Node { return o.attention(o.causal(), false, -1e9) },
	"attention with a bias": func(o operands) *graph.Node { return o.attention(o.causal(), true, -1e9) },
	"attention that some queries have none of": func(o operands) *graph.Node {
		return o.attention(o.Greater(o.Mul(o.square, o.square), o.Float(1)), false, -1e9)
	},
	"attention to what is hardly hidden": func(o operands) *graph.Node { return o.attention(o.causal(), true, -2) },
	"attention of heads that share keys": func(o operands) *graph.Node {
		x := o.Unsqueeze(o.x, 2)                                                                           // [a,b,1,c]
		q, k := o.Reshape(o.Concat(2, x, o.Neg(x)), o.a, o.b.Mul(graph.N(2)), o.c), o.keys                 // [a,2b,c], [a,d,c]
		logits := o.Reshape(o.MatMul(q, o.Transpose(k, 0, 2, 1)), o.a, o.b, graph.N(2), o.d)               // [a,b,2,d]
		weights := o.Softmax(o.Where(o.Greater(o.Unsqueeze(o.y, 2), o.SliceLast(o.square, 0, graph.N(1))), // [b,1,d]
			logits, o.Float(-1e9)), -1)
		return o.MatMul(o.Reshape(weights, o.a, o.b.Mul(graph.N(2)), o.d), k)
	},
	"DequantizeLinear of rows": func(o operands) *graph.Node {
		rows := o.Gather(o.Param("int8", tensor.Int8, 4, 6), o.at, 0) // [a,b,6]
		return o.wide(rows, o.Gather(o.Param("scale", tensor.Float32, 4, 2), o.at, 0), -1, 3)
	},
	"DequantizeLinear of columns": func(o operands) *graph.Node {
		rows := o.Gather(o.Param("int8", tensor.Int8, 4, 6), o.at, 0) // [a,b,6]
		return o.wide(o.Transpose(rows, 0, 2, 1), o.Transpose(o.Gather(o.Param("scale", tensor.Float32, 4, 2), o.at, 0), 0, 2, 1), 1, 3)
	},
	"int8, moved": func(o operands) *graph.Node {
		rows := o.Gather(o.Param("int8", tensor.Int8, 4, 70), o.at, 0) // [a,b,70]
		return o.Cast(o.Transpose(rows, 2, 0, 1), tensor.Float32)
	},
	"MatMul weight":               func(o operands) *graph.Node { return o.MatMul(o.cube, o.weight(33)) },
	"MatMul weight of no columns": func(o operands) *graph.Node { return o.MatMul(o.cube, o.weight(0)) },
	"MatMulInteger, another zero": func(o operands) *graph.Node {
		rows := o.Cast(o.Mul(o.Reshape(o.cube, o.a.Mul(o.b).Mul(o.c), graph.N(4)), o.Float(9)), tensor.Float32)
		bytes := o.Op("QuantizeLinear", []*graph.Node{rows, o.Const(tensor.Of([]float32{1, 1, 1, 1}, 4)), o.Const(tensor.Of([]uint8{9, 9, 9, 9}, 4))}, graph.Attr{Name: "axis", Value: int64(1)})
		return o.Cast(o.Op("MatMulInteger", []*graph.Node{bytes, o.Param("int8", tensor.Int8, 4, 33), o.Const(tensor.Of([]uint8{5}))}), tensor.Float32)
	},
	"MatMulInteger, no columns": func(o operands) *graph.Node {
		return o.quantized(o.Param("int8", tensor.Int8, 4, 0))
	},
	"MatMul one matrix": func(o operands) *graph.Node {
		return o.MatMul(o.Transpose(o.x, 0, 2, 1), o.MatMul(o.y, o.Unsqueeze(o.row, 0)))
	},
	"MatMul pairs":      func(o operands) *graph.Node { return o.MatMul(o.x, o.Relu(o.Transpose(o.keys, 0, 2, 1))) },
	"MatMul transposed": func(o operands) *graph.Node { return o.MatMul(o.x, o.Transpose(o.keys, 0, 2, 1)) },
	"MatMul broadcast": func(o operands) *graph.Node {
		return o.MatMul(o.cube, o.Transpose(o.Unsqueeze(o.cube, 0), 0, 1, 2, 4, 3))
	},
	"MatMul one for many": func(o operands) *graph.Node {
		return o.MatMul(o.Unsqueeze(o.cube, 1), o.Transpose(o.Unsqueeze(o.cube, 2), 0, 1, 2, 4, 3))
	},
	"MatMul float16":  func(o operands) *graph.Node { return o.halves(o.cube, o.weight(33)) },
	"Gemm":            func(o operands) *graph.Node { return o.Gemm(o.square, o.square, false, false) },
	"Gemm transposed": func(o operands) *graph.Node { return o.Gemm(o.square, o.square, false, true) },
	"Gemm left":       func(o operands) *graph.Node { return o.Gemm(o.square, o.square, true, false) },
	"Gemm weight": func(o operands) *graph.Node {
		return o.Gemm(o.Reshape(o.cube, o.a.Mul(o.b).Mul(o.c), graph.N(4)), o.Param("w", tensor.Float32, 40, 4), false, true)
	},
	"Gemm weight from the left": func(o operands) *graph.Node {
		x := o.Reshape(o.cube, graph.N(4), o.a.Mul(o.b).Mul(o.c))
		return o.Gemm(x, o.Param("w", tensor.Float32, 4, 40), true, false)
	},
	"Gemm weight as it lies": func(o operands) *graph.Node {
		return o.Gemm(o.Reshape(o.cube, o.a.Mul(o.b).Mul(o.c), graph.N(4)), o.weight(4), false, false)
	},
	"Gemm one weight in two forms": func(o operands) *graph.Node {
		x := o.Reshape(o.cube, o.a.Mul(o.b).Mul(o.c), graph.N(4))
		return o.Add(o.Gemm(x, o.weight(4), false, true), o.Gemm(x, o.weight(4), false, false))
	},
	"weight read next to a product": func(o operands) *graph.Node {
		x := o.Reshape(o.cube, o.a.Mul(o.b).Mul(o.c), graph.N(4))
		return o.Add(o.Gemm(x, o.weight(4), false, true), o.ReduceSum(o.Mul(o.weight(4), o.ReduceSum(x, false)), false, 0))
	},
	"weight times a weight": func(o operands) *graph.Node {
		rows := o.Reshape(o.cube, o.a.Mul(o.b).Mul(o.c), graph.N(4))
		return o.MatMul(rows, o.MatMul(o.weight(4), o.Transpose(o.weight(4), 1, 0)))
	},
	"Reshape":       func(o operands) *graph.Node { return o.Reshape(o.x, o.a.Mul(o.b), o.c) },
	"Reshape int":   func(o operands) *graph.Node { return o.Cast(o.Reshape(o.at, o.b, o.a), tensor.Float32) },
	"Squeeze":       func(o operands) *graph.Node { return o.Squeeze(o.y, 1) },
	"Unsqueeze":     func(o operands) *graph.Node { return o.Unsqueeze(o.x, 1) },
	"Transpose":     func(o operands) *graph.Node { return o.Transpose(o.x, 1, 0, 2) },
	"Transpose all": func(o operands) *graph.Node { return o.Transpose(o.cube, 3, 1, 0, 2) },
	"Transpose, changed": func(o operands) *graph.Node {
		return o.Add(o.Relu(o.Transpose(o.x, 1, 0, 2)), o.Transpose(o.x, 1, 0, 2))
	},
	"Transpose bool":      func(o operands) *graph.Node { return o.Cast(o.Transpose(o.Greater(o.x, o.y), 1, 0, 2), tensor.Float32) },
	"Concat":              func(o operands) *graph.Node { return o.Concat(1, o.x, o.keys, o.x) },
	"Concat last":         func(o operands) *graph.Node { return o.Concat(2, o.x, o.x) },
	"Concat int":          func(o operands) *graph.Node { return o.Cast(o.Concat(0, o.at, o.at), tensor.Float32) },
	"Slice":               func(o operands) *graph.Node { return o.Slice(o.cube, 3, graph.N(1), graph.N(3)) },
	"Slice three of four": func(o operands) *graph.Node { return o.Slice(o.cube, 3, graph.N(0), graph.N(3)) },
	"Slice to the end":    func(o operands) *graph.Node { return o.SliceLast(o.Concat(1, o.x, o.x), 1, o.b) },
	"Slice int":           func(o operands) *graph.Node { return o.Cast(o.SliceLast(o.at, 0, o.a), tensor.Float32) },
	"Expand":              func(o operands) *graph.Node { return o.Expand(o.y, o.a, o.b, o.c) },
	"Expand to less": func(o operands) *graph.Node {
		return o.Op("Expand", []*graph.Node{o.x, o.Ints(1, 1)})
	},
	"Range from a length": func(o operands) *graph.Node {
		return o.Cast(o.Range(o.c, o.c.Add(graph.N(5))), tensor.Float32)
	},
	"Shape":       func(o operands) *graph.Node { return o.Add(o.x, o.Cast(o.Len(o.b), tensor.Float32)) },
	"Range":       func(o operands) *graph.Node { return o.Mul(o.x, o.Cast(o.Range(graph.N(0), o.c), tensor.Float32)) },
	"Gather":      func(o operands) *graph.Node { return o.Gather(o.cube, o.at, 3) },
	"Gather rows": func(o operands) *graph.Node { return o.Gather(o.weight(5), o.at, 1) },
	"Gather without an axis": func(o operands) *graph.Node {
		return o.Op("Gather", []*graph.Node{o.Transpose(o.cube, 3, 0, 1, 2), o.at})
	},
	"GatherElements without an axis": func(o operands) *graph.Node {
		at := o.Expand(o.Unsqueeze(o.at, 0, 3), graph.N(1), o.a, o.b, o.c)
		return o.Op("GatherElements", []*graph.Node{o.Transpose(o.cube, 3, 0, 1, 2), at})
	},
	"GatherElements out of range": func(o operands) *graph.Node {
		return o.GatherElements(o.Unsqueeze(o.ReduceSum(o.x, false, 2), 0), o.Unsqueeze(o.at, 0), 0)
	},
	"GatherElements": func(o operands) *graph.Node {
		return o.GatherElements(o.Transpose(o.cube, 3, 0, 1, 2), o.Expand(o.Unsqueeze(o.at, 0, 3), graph.N(1), o.a, o.b, o.c), 0)
	},
	"GatherElements last": func(o operands) *graph.Node {
		return o.GatherElements(o.cube, o.Expand(o.Unsqueeze(o.at, 2, 3), o.a, o.b, o.c, graph.N(6)), 3)
	},
	"ScatterND": func(o operands) *graph.Node {
		return o.Op("ScatterND", []*graph.Node{o.cube, o.places(), o.ReduceSum(o.cube, false, 0)})
	},
	"ScatterND of one number": func(o operands) *graph.Node {
		return o.Op("ScatterND", []*graph.Node{o.Reshape(o.ReduceSum(o.row, false), graph.N(1)), o.Const(tensor.Of([]int64{0}, 1, 1)),
			o.Reshape(o.ReduceMax(o.row, false), graph.N(1))})
	},
	"ScatterND of no rows": func(o operands) *graph.Node {
		return o.Op("ScatterND", []*graph.Node{o.Reshape(o.ReduceSum(o.row, false), graph.N(1)), o.Const(tensor.New(tensor.Int64, 0, 1)),
			o.Const(tensor.New(tensor.Float32, 0))})
	},
	"ScatterND in place": func(o operands) *graph.Node {
		return o.Op("ScatterND", []*graph.Node{o.Relu(o.cube), o.places(), o.ReduceSum(o.cube, false, 0)})
	},
	"ScatterND, kept": func(o operands) *graph.Node {
		r := o.Relu(o.cube)
		return o.Add(o.Op("ScatterND", []*graph.Node{r, o.places(), o.ReduceSum(o.cube, false, 0)}), r)
	},
	"ScatterND of itself": func(o operands) *graph.Node {
		pair := o.Relu(o.Concat(0, o.Unsqueeze(o.row, 0), o.Unsqueeze(o.Neg(o.row), 0)))
		return o.Neg(o.Op("ScatterND", []*graph.Node{pair, o.Const(tensor.Of([]int64{1, 0}, 2, 1)), pair}))
	},
	"ReduceSum":        func(o operands) *graph.Node { return o.ReduceSum(o.x, false, -1) },
	"ReduceSum ends":   func(o operands) *graph.Node { return o.ReduceSum(o.x, false, 2, 0) },
	"ReduceMean all":   func(o operands) *graph.Node { return o.ReduceMean(o.x, true) },
	"ReduceSum middle": func(o operands) *graph.Node { return o.ReduceSum(o.x, true, 1) },
	"ReduceMean":       func(o operands) *graph.Node { return o.ReduceMean(o.cube, true, 3) },
	"ReduceMax":        func(o operands) *graph.Node { return o.ReduceMax(o.cube, true, -1) },
	"ReduceMax of NaN": func(o operands) *graph.Node {
		return o.ReduceMax(o.Log(o.Concat(2, o.x, o.x)), true, -1)
	},
	"Softmax":       func(o operands) *graph.Node { return o.Softmax(o.Mul(o.x, o.Float(30)), -1) },
	"Softmax first": func(o operands) *graph.Node { return o.Softmax(o.x, 0) },
	"LogSoftmax": func(o operands) *graph.Node {
		return o.Op("LogSoftmax", []*graph.Node{o.x}, graph.Attr{Name: "axis", Value: int64(-1)})
	},
	"CumSum":                  func(o operands) *graph.Node { return o.CumSum(o.x, 1) },
	"CumSum last":             func(o operands) *graph.Node { return o.CumSum(o.x, -1) },
	"Softmax without an axis": func(o operands) *graph.Node { return o.Op("Softmax", []*graph.Node{o.x}) },
	"RMSNormalization without attributes": func(o operands) *graph.Node {
		return o.Op("RMSNormalization", []*graph.Node{o.cube, o.Param("gain", tensor.Float32, 4)})
	},
	"CumSum exclusive, reverse, first": func(o operands) *graph.Node {
		return o.Op("CumSum", []*graph.Node{o.x, o.Const(tensor.Of([]int64{0}))},
			graph.Attr{Name: "exclusive", Value: int64(1)}, graph.Attr{Name: "reverse", Value: int64(1)})
	},
	"rank 8": func(o operands) *graph.Node { return o.Relu(o.Unsqueeze(o.Neg(o.cube), 0, 2, 4, 6)) },
	"rank 9": func(o operands) *graph.Node {
		return o.Transpose(o.Unsqueeze(o.cube, 0, 2, 4, 6, 8), 8, 7, 6, 5, 4, 3, 2, 1, 0)
	},
	"rank 9 before": func(o operands) *graph.Node {
		return o.Squeeze(o.Op("Unsqueeze", []*graph.Node{o.cube, o.Ints(0, 2, 4, 6, 8)}), 0, 2, 4, 6, 8)
	},
	"RMSNormalization": func(o operands) *graph.Node {
		return o.Op("RMSNormalization", []*graph.Node{o.cube, o.Param("gain", tensor.Float32, 4)}, graph.Attr{Name: "axis", Value: int64(-1)}, graph.Attr{Name: "epsilon", Value: float32(1e-5)})
	},
	"RotaryEmbedding":                    func(o operands) *graph.Node { return o.rotated(false, 4) },
	"RotaryEmbedding part":               func(o operands) *graph.Node { return o.rotated(false, 2) },
	"RotaryEmbedding without attributes": func(o operands) *graph.Node { return o.rotated(false, -1) },
	"RotaryEmbedding interleaved":        func(o operands) *graph.Node { return o.rotated(true, 0) },
	"Attention": func(o operands) *graph.Node {
		return o.Op("Attention", []*graph.Node{o.cube, o.cube, o.cube}, graph.Attr{Name: "scale", Value: float32(0.5)})
	},
}

// weight is a parameter of four rows, which x is brought to.
func (o operands) weight(cols int) *graph.Node { return o.Param("weight", tensor.Float32, 4, cols) }

// causal is which of the d keys each of d queries sees: those up to itself, [d,d].
func (o operands) causal() *graph.Node {
	at := o.Range(graph.N(0), o.d)
	// Read off a value of a run, so that it is none that lengths alone decide.
	ones := o.Add(o.Mul(o.square, o.Float(0)), o.Float(1))
	later := o.Cast(o.Greater(o.Unsqueeze(at, 0), o.Unsqueeze(at, 1)), tensor.Float32)
	return o.Greater(ones, later)
}

// attention of the keys to themselves, [a,d,c], where a mask [d,d] lets them.
func (o operands) attention(mask *graph.Node, bias bool, hidden float64) *graph.Node {
	logits := o.MatMul(o.keys, o.Transpose(o.keys, 0, 2, 1))
	if bias {
		logits = o.Add(logits, o.square)
	}
	return o.MatMul(o.Softmax(o.Where(mask, logits, o.Float(hidden)), -1), o.keys)
}

func (o operands) halves(x, y *graph.Node) *graph.Node {
	return o.Cast(o.MatMul(o.Cast(x, tensor.Float16), o.Cast(y, tensor.Float16)), tensor.Float32)
}

// blocks is a matrix [4,cols] of integers, of which so many rows share a scale.
func (o operands) blocks(dtype tensor.DType, cols, size int) *graph.Node {
	return o.wide(o.Param("blocks", dtype, 4, cols), o.Param("scale", tensor.Float32, 4/size, cols), 0, size)
}

func (o operands) wide(values, scale *graph.Node, axis, size int) *graph.Node {
	return o.Op("DequantizeLinear", []*graph.Node{values, scale},
		graph.Attr{Name: "axis", Value: int64(axis)}, graph.Attr{Name: "block_size", Value: int64(size)})
}

// quantized multiplies as files in int8 do: each row of cube has a scale.
func (o operands) quantized(w *graph.Node) *graph.Node {
	x := o.Reshape(o.cube, o.a.Mul(o.b).Mul(o.c), graph.N(4))
	scale := o.Div(o.ReduceMax(o.Op("Abs", []*graph.Node{x}), false, -1), o.Float(127))
	zero := o.Const(tensor.Of([]uint8{128}))
	rows := o.Op("QuantizeLinear", []*graph.Node{x, scale, o.Expand(zero, scale.Shape...)}, graph.Attr{Name: "axis", Value: int64(0)})
	return o.Cast(o.Op("MatMulInteger", []*graph.Node{rows, w, zero}), tensor.Float32)
}

// places names all rows of the first axis' first element.
func (o operands) places() *graph.Node { return o.Ints(0) }

func (o operands) rotated(interleaved bool, width int) *graph.Node {
	half := max(width, 2) / 2
	if width <= 0 {
		half = 2
	}
	angles := o.Slice(o.ReduceSum(o.cube, false, 2), 2, graph.N(0), graph.N(half)) // [a,b,half]
	x := o.Transpose(o.cube, 0, 2, 1, 3)                                           // [a,c,b,4]
	if width < 0 {
		return o.Op("RotaryEmbedding", []*graph.Node{x, o.Cos(angles), o.Sin(angles)})
	}
	attrs := []graph.Attr{{Name: "rotary_embedding_dim", Value: int64(width)}}
	if interleaved {
		attrs = append(attrs, graph.Attr{Name: "interleaved", Value: int64(1)})
	}
	return o.Op("RotaryEmbedding", []*graph.Node{x, o.Cos(angles), o.Sin(angles)}, attrs...)
}

// sample is lengths of the axes a, b, c and d.
type sample [4]int

// fed makes the inputs of a sample, in the order of the file.
func (l sample) fed(rng *rand.Rand) []*tensor.Tensor {
	a, b, c, d := l[0], l[1], l[2], l[3]
	var out []*tensor.Tensor
	for _, shape := range [][]int{{a, b, c}, {b, 1}, {c}, {a, d, c}, {d, d}, {a, b, c, 4}} {
		t := tensor.New(tensor.Float32, shape...)
		for i := range tensor.Data[float32](t) {
			tensor.Data[float32](t)[i] = float32(rng.NormFloat64())
		}
		out = append(out, t)
	}
	at := tensor.New(tensor.Int64, a, b)
	for i := range tensor.Data[int64](at) {
		tensor.Data[int64](at)[i] = rng.Int64N(3) - 1
	}
	return append(out, at)
}

var inputs = []card.Port{{Name: "x"}, {Name: "y"}, {Name: "row"}, {Name: "keys"}, {Name: "square"}, {Name: "cube"}, {Name: "at"}}

// TestOperators compares each operator with the interpreter, for lengths that change from
// run to run, with one thread and several, in memory full of what earlier runs left.
func TestOperators(t *testing.T) {
	covered := map[string]bool{}
	for name, row := range operatorRows {
		t.Run(name, func(t *testing.T) {
			b := graph.NewBuilder()
			o := operands{Builder: b, a: graph.Sym("a"), b: graph.Sym("b"), c: graph.Sym("c"), d: graph.Sym("d")}
			o.x, o.y = b.Input("x", tensor.Float32, o.a, o.b, o.c), b.Input("y", tensor.Float32, o.b, graph.N(1))
			o.row, o.keys = b.Input("row", tensor.Float32, o.c), b.Input("keys", tensor.Float32, o.a, o.d, o.c)
			o.square = b.Input("square", tensor.Float32, o.d, o.d)
			o.cube = b.Input("cube", tensor.Float32, o.a, o.b, o.c, graph.N(4))
			o.at = b.Input("at", tensor.Int64, o.a, o.b)
			// All inputs are read, so that all axes have lengths.
			all := b.ReduceSum(b.Add(b.Mul(o.x, o.Add(o.y, o.row)), b.Cast(b.Unsqueeze(o.at, 2), tensor.Float32)), false)
			all = b.Add(all, b.Add(b.ReduceSum(o.cube, false), b.Add(b.ReduceSum(o.square, false), b.ReduceSum(o.keys, false))))
			g, err := b.Build(graph.Output{Name: "result", Node: row(o)}, graph.Output{Name: "all", Node: all})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			weights := map[string]*tensor.Tensor{}
			for _, p := range g.Params {
				rows, _ := p.Shape[0].Int()
				cols := 1
				if len(p.Shape) == 2 {
					cols, _ = p.Shape[1].Int()
				}
				w := tensor.New(tensor.Float32, rows, cols)
				for i := range tensor.Data[float32](w) {
					tensor.Data[float32](w)[i] = float32(rng.NormFloat64())
				}
				switch weights[p.Name] = w; {
				case p.DType == tensor.Int8:
					whole := tensor.New(tensor.Int8, rows, cols)
					for i := range tensor.Data[int8](whole) {
						tensor.Data[int8](whole)[i] = int8(rng.IntN(129) - 64)
					}
					weights[p.Name] = whole
				case p.DType == tensor.Int4:
					values := make([]int8, w.Len())
					for i := range values {
						values[i] = int8(rng.IntN(16) - 8)
					}
					weights[p.Name] = tensor.Of(values, rows, cols).As(tensor.Int4)
				case len(p.Shape) == 1:
					weights[p.Name] = w.Reshaped(rows)
				}
			}
			for _, n := range g.Nodes {
				covered[n.Op] = true
			}
			p, err := compile(g, weights, engine.File{Inputs: inputs, Outputs: []card.Port{{Name: "result"}, {Name: "all"}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{1, 3} {
				pool := newPool(threads, false)
				defer pool.close()
				x, rng := newExecutor(p, pool), rand.New(rand.NewPCG(1, 3))
				for _, l := range []sample{{2, 3, 5, 4}, {2, 3, 5, 4}, {1, 1, 1, 1}, {3, 17, 40, 9}, {1, 1, 70, 20}, {0, 2, 3, 2},
					{2, 2, 0, 1}, {1, 5, 1, 3}, {2, 40, 33, 70}, {1, 1, 1, 1}, {1, 2, 16, 150}} {
					check(t, g, x, weights, l.fed(rng), fmt.Sprintf("%s, threads %d, lengths %v", name, threads, l))
				}
			}
		})
	}
	for op := range makers {
		if !covered[op] {
			t.Errorf("operator %s has a kernel and no row", op)
		}
	}
}

// check runs a graph in both ways.
func check(t *testing.T, g *graph.Graph, x *executor, weights map[string]*tensor.Tensor, from []*tensor.Tensor, what string) {
	t.Helper()
	feed := map[string]*tensor.Tensor{}
	for i, v := range from {
		feed[inputs[i].Name] = v.Clone()
	}
	want, failure := interp.New(g, tensor.Float32).Run(context.Background(), feed, weights)
	for i := range x.memory.f {
		x.memory.f[i] = float32(math.NaN())
	}
	lengths, err := g.Bind(feed)
	if err != nil {
		t.Fatal(err)
	}
	var shape []int
	for _, d := range g.Output("result").Shape {
		n, _ := d.Eval(lengths)
		shape = append(shape, max(0, n)) // also where it is a failure
	}
	to := []*tensor.Tensor{tensor.New(tensor.Float32, shape...), tensor.New(tensor.Float32)}
	var in, out []*memoryValue
	for _, v := range from {
		in = append(in, newMemoryValue(v))
	}
	for _, v := range to {
		out = append(out, newMemoryValue(v))
	}
	err = x.run(in, out, new(atomic.Bool))
	if failure != nil || err != nil {
		if (failure == nil) != (err == nil) {
			t.Errorf("%s: error is %v, the interpreter's is %v", what, err, failure)
		}
		return
	}
	for i, v := range from {
		if !tensor.Equal(v, feed[inputs[i].Name]) {
			t.Fatalf("%s: input %s has changed", what, inputs[i].Name)
		}
	}
	bound := 3e-5
	switch {
	case slices.ContainsFunc(g.Nodes, func(n *graph.Node) bool { return n.DType.Halves() }):
		bound = 2e-3
	case slices.ContainsFunc(g.Nodes, func(n *graph.Node) bool { return n.DType == tensor.Int4 || n.DType == tensor.Int8 }):
		bound = 1e-4 // sums of numbers up to a hundred times as large
	}
	for k, v := range tensor.Data[float32](want["result"]) {
		got := tensor.Data[float32](to[0])[k]
		if d := math.Abs(float64(got) - float64(v)); !(d <= bound*max(1, math.Abs(float64(v)))) && !(got != got && v != v) && got != v {
			t.Fatalf("%s: number %d is %v, want %v", what, k, got, v)
		}
	}
}
