package graph_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
)

type kernelRow struct {
	op, name string
	build    func(m maker) *graph.Node
	want     *tensor.Tensor // computed by hand
}

var kernelRows = slices.Concat(elementwiseRows, matrixRows, shapeRows, indexRows, reduceRows, fusedRows, quantizeRows)

var elementwiseRows = []kernelRow{
	{"Add", "same", func(m maker) *graph.Node { return m.Add(m.vec(1, 2), m.vec(10, 20)) }, f32(shape{2}, 11, 22)},
	{"Add", "outer", func(m maker) *graph.Node { return m.Add(m.f(shape{2, 1}, 1, 2), m.f(shape{3}, 10, 20, 30)) },
		f32(shape{2, 3}, 11, 21, 31, 12, 22, 32)},
	{"Add", "inner 1-axis", func(m maker) *graph.Node {
		return m.Add(m.f(shape{2, 1, 2}, 1, 2, 3, 4), m.f(shape{2, 2, 1}, 10, 20, 30, 40))
	}, f32(shape{2, 2, 2}, 11, 12, 21, 22, 33, 34, 43, 44)},
	{"Add", "empty", func(m maker) *graph.Node { return m.Add(m.f(shape{0, 2}), m.vec(1, 2)) }, f32(shape{0, 2})},
	{"Add", "int64", func(m maker) *graph.Node { return m.Add(m.Ints(1, 2), m.Ints(-3)) }, i64(shape{2}, -2, -1)},
	{"Sub", "scalar", func(m maker) *graph.Node { return m.Sub(m.vec(1, 2), m.Float(3)) }, f32(shape{2}, -2, -1)},
	{"Sub", "int64", func(m maker) *graph.Node { return m.Sub(m.Ints(5), m.Ints(7)) }, i64(shape{1}, -2)},
	{"Mul", "scalar first", func(m maker) *graph.Node { return m.Mul(m.Float(3), m.vec(1, -2)) }, f32(shape{2}, 3, -6)},
	{"Mul", "int64", func(m maker) *graph.Node { return m.Mul(m.Ints(5), m.Ints(-7)) }, i64(shape{1}, -35)},
	{"Div", "float", func(m maker) *graph.Node { return m.Div(m.vec(1, -3), m.vec(4, 2)) }, f32(shape{2}, 0.25, -1.5)},
	{"Div", "int64 rounds towards zero", func(m maker) *graph.Node { return m.Div(m.Ints(7, -7), m.Ints(2)) },
		i64(shape{2}, 3, -3)},
	{"Max", "broadcast, NaN wins",
		func(m maker) *graph.Node { return m.Max(m.f(shape{2, 1}, -1, nan), m.vec(-2, 3)) },
		f32(shape{2, 2}, -1, 3, nan, nan)},
	{"Max", "int64", func(m maker) *graph.Node { return m.Max(m.Ints(5, -7), m.Ints(0)) }, i64(shape{2}, 5, 0)},
	{"Min", "broadcast, NaN wins",
		func(m maker) *graph.Node { return m.Min(m.f(shape{2, 1}, -1, nan), m.vec(-2, 3)) },
		f32(shape{2, 2}, -2, -1, nan, nan)},
	{"Min", "int64", func(m maker) *graph.Node { return m.Min(m.Ints(5, -7), m.Ints(0)) }, i64(shape{2}, 0, -7)},
	{"Neg", "float", func(m maker) *graph.Node { return m.Neg(m.vec(1, -2)) }, f32(shape{2}, -1, 2)},
	{"Neg", "int64", func(m maker) *graph.Node { return m.Neg(m.Ints(1, -2)) }, i64(shape{2}, -1, 2)},
	{"Abs", "float", func(m maker) *graph.Node { return m.Op("Abs", []*graph.Node{m.vec(1.5, -2.5, 0, nan)}) },
		f32(shape{4}, 1.5, 2.5, 0, nan)},
	{"Abs", "int64", func(m maker) *graph.Node { return m.Op("Abs", []*graph.Node{m.Ints(1, -2)}) }, i64(shape{2}, 1, 2)},
	{"Floor", "", func(m maker) *graph.Node { return m.Op("Floor", []*graph.Node{m.vec(1.9, -1.1, 2)}) }, f32(shape{3}, 1, -2, 2)},
	{"Exp", "", func(m maker) *graph.Node { return m.Exp(m.vec(0, 1)) }, f32(shape{2}, 1, math.E)},
	{"Log", "", func(m maker) *graph.Node { return m.Log(m.vec(1, math.E, 0, -1)) },
		f32(shape{4}, 0, 1, float32(math.Inf(-1)), nan)},
	{"Pow", "square", func(m maker) *graph.Node { return m.Pow(m.vec(-3, 2), 2) }, f32(shape{2}, 9, 4)},
	{"Pow", "root", func(m maker) *graph.Node { return m.Pow(m.vec(9, 0.25), 0.5) }, f32(shape{2}, 3, 0.5)},
	{"Sqrt", "", func(m maker) *graph.Node { return m.Sqrt(m.vec(0, 9)) }, f32(shape{2}, 0, 3)},
	{"Reciprocal", "", func(m maker) *graph.Node { return m.Op("Reciprocal", []*graph.Node{m.vec(4, -2)}) }, f32(shape{2}, 0.25, -0.5)},
	{"Sin", "", func(m maker) *graph.Node { return m.Sin(m.vec(0, math.Pi/2)) }, f32(shape{2}, 0, 1)},
	{"Cos", "", func(m maker) *graph.Node { return m.Cos(m.vec(0, math.Pi)) }, f32(shape{2}, 1, -1)},
	{"Erf", "", func(m maker) *graph.Node { return m.Op("Erf", []*graph.Node{m.vec(0, 0.5, -1)}) }, f32(shape{3}, 0, 0.5204999, -0.84270079)},
	{"Tanh", "", func(m maker) *graph.Node { return m.Tanh(m.vec(0, 0.5)) }, f32(shape{2}, 0, 0.46211716)},
	{"Sigmoid", "", func(m maker) *graph.Node { return m.Sigmoid(m.vec(0, math.Ln2, -math.Ln2, nan)) },
		f32(shape{4}, 0.5, 2./3, 1./3, nan)},
	{"Sigmoid", "large", func(m maker) *graph.Node { return m.Sigmoid(m.vec(100, -100, 1000, -1000)) },
		f32(shape{4}, 1, 0, 1, 0)},
	{"Softplus", "", func(m maker) *graph.Node { return m.Softplus(m.vec(0, 1, -1, nan)) },
		f32(shape{4}, math.Ln2, 1.3132617, 0.3132617, nan)},
	{"Softplus", "large", func(m maker) *graph.Node { return m.Softplus(m.vec(100, -100, 1000, -1000)) },
		f32(shape{4}, 100, 0, 1000, 0)},
	{"Relu", "", func(m maker) *graph.Node { return m.Relu(m.vec(-1, 0, 2, nan)) }, f32(shape{4}, 0, 0, 2, nan)},
	{"Equal", "", func(m maker) *graph.Node {
		return m.Op("Equal", []*graph.Node{m.i(shape{2, 1}, 0, 1), m.i(shape{2}, 0, 2)})
	},
		boolean(shape{2, 2}, true, false, false, false)},
	{"Greater", "", func(m maker) *graph.Node { return m.Greater(m.vec(1, 2, 3, nan), m.Float(2)) },
		boolean(shape{4}, false, false, true, false)},
	{"Greater", "int64", func(m maker) *graph.Node { return m.Greater(m.i(shape{2, 1}, 0, 1), m.i(shape{2}, 0, 1)) },
		boolean(shape{2, 2}, false, false, true, false)},
	{"GreaterOrEqual", "", func(m maker) *graph.Node { return m.Op("GreaterOrEqual", []*graph.Node{m.vec(1, 2, 3), m.Float(2)}) },
		boolean(shape{3}, false, true, true)},
	{"And", "", func(m maker) *graph.Node { return m.And(m.b(shape{2, 1}, true, false), m.b(shape{2}, true, false)) },
		boolean(shape{2, 2}, true, false, false, false)},
	{"Where", "broadcast", func(m maker) *graph.Node {
		return m.Where(m.b(shape{2, 1}, true, false), m.vec(1, 2), m.Float(9))
	}, f32(shape{2, 2}, 1, 2, 9, 9)},
	{"Where", "int64", func(m maker) *graph.Node { return m.Where(m.b(shape{2}, true, false), m.Ints(1), m.Ints(2)) },
		i64(shape{2}, 1, 2)},
	{"Cast", "bool to float", func(m maker) *graph.Node { return m.Cast(m.b(shape{2}, true, false), tensor.Float32) },
		f32(shape{2}, 1, 0)},
	{"Cast", "float to int64 drops the fraction",
		func(m maker) *graph.Node { return m.Cast(m.vec(1.9, -1.9), tensor.Int64) }, i64(shape{2}, 1, -1)},
	{"Cast", "float to bool", func(m maker) *graph.Node { return m.Cast(m.vec(0.5, 0, nan), tensor.Bool) },
		boolean(shape{3}, true, false, true)},
	{"Cast", "int64 to float", func(m maker) *graph.Node { return m.Cast(m.Ints(-3), tensor.Float32) },
		f32(shape{1}, -3)},
	{"Cast", "int64 to bool", func(m maker) *graph.Node { return m.Cast(m.Ints(-3, 0), tensor.Bool) },
		boolean(shape{2}, true, false)},
	{"Cast", "bool to int64", func(m maker) *graph.Node { return m.Cast(m.b(shape{1}, true), tensor.Int64) },
		i64(shape{1}, 1)},
	{"Cast", "float to float16 rounds to even, and ends at 65504", func(m maker) *graph.Node {
		return m.Cast(m.Cast(m.vec(1+1./2048, 1+3./2048, 65504, 65520, 1e-8), tensor.Float16), tensor.Float32)
	}, f32(shape{5}, 1, 1+1./512, 65504, float32(math.Inf(1)), 0)},
	{"Cast", "float to bfloat16 rounds to even, and has the range of float32", func(m maker) *graph.Node {
		return m.Cast(m.Cast(m.vec(1+1./256, 1+3./256, 3.4e38, 1e-38), tensor.BFloat16), tensor.Float32)
	}, f32(shape{4}, 1, 1+1./64, float32(math.Inf(1)), math.Float32frombits(0x006d0000))},
	{"Cast", "int8 to float", func(m maker) *graph.Node {
		return m.Cast(m.Const(tensor.Of([]int8{-128, 127}, 2)), tensor.Float32)
	}, f32(shape{2}, -128, 127)},
	{"Cast", "uint8 to bool", func(m maker) *graph.Node {
		return m.Cast(m.Const(tensor.Of([]uint8{0, 255}, 2)), tensor.Bool)
	}, boolean(shape{2}, false, true)},
}

var quantizeRows = []kernelRow{
	{"QuantizeLinear", "by row, rounds to even and bounds", func(m maker) *graph.Node {
		x := m.f(shape{2, 4}, 0.5, 1.5, -1, 1000, 1, 3, -5, -1000)
		return m.Cast(m.Op("QuantizeLinear", []*graph.Node{x, m.vec(1, 2), m.Const(tensor.Of([]uint8{128, 10}, 2))}, graph.Attr{Name: "axis", Value: int64(0)}), tensor.Int64)
	}, i64(shape{2, 4}, 128, 130, 127, 255, 10, 12, 8, 0)},
	{"QuantizeLinear", "by column", func(m maker) *graph.Node {
		x := m.f(shape{1, 2}, 3, 4)
		return m.Cast(m.Op("QuantizeLinear", []*graph.Node{x, m.vec(1, 2), m.Const(tensor.Of([]uint8{0, 1}, 2))}, graph.Attr{Name: "axis", Value: int64(1)}), tensor.Int64)
	}, i64(shape{1, 2}, 3, 3)},
	{"DequantizeLinear", "int4, two rows to a scale", func(m maker) *graph.Node {
		x := m.Const(tensor.Of([]int8{1, -8, 7, 3, 0, 2, -1, 5, 6, -7, -6, 4}, 4, 3).As(tensor.Int4))
		return blocked(m, x, m.f(shape{2, 3}, 1, 2, 3, 0.5, 0, -1), 0, 2)
	}, f32(shape{4, 3}, 1, -16, 21, 3, 0, 6, -0.5, 0, -6, -3.5, 0, -4)},
	{"DequantizeLinear", "int8, two columns to a scale", func(m maker) *graph.Node {
		x := m.Const(tensor.Of([]int8{-128, 127, 3, 4}, 1, 4))
		return blocked(m, x, m.f(shape{1, 2}, 0.5, 10), -1, 2)
	}, f32(shape{1, 4}, -64, 63.5, 30, 40)},
	{"DequantizeLinear", "bytes with one scale", func(m maker) *graph.Node {
		return m.Op("DequantizeLinear", []*graph.Node{m.Const(tensor.Of([]uint8{0, 1, 255}, 3, 1)), m.Float(0.5)})
	}, f32(shape{3, 1}, 0, 0.5, 127.5)},
	{"MatMulInteger", "", func(m maker) *graph.Node {
		x := m.Const(tensor.Of([]uint8{129, 126, 128, 255}, 2, 2))
		y := m.Const(tensor.Of([]int8{3, -127, 5, 7}, 2, 2))
		return m.Cast(m.Op("MatMulInteger", []*graph.Node{x, y, m.Const(tensor.Of([]uint8{128}))}), tensor.Int64)
	}, i64(shape{2, 2}, -7, -141, 635, 889)},
	{"MatMulInteger", "no rows", func(m maker) *graph.Node {
		x, y := m.Const(tensor.New(tensor.Uint8, 0, 1)), m.Const(tensor.Of([]int8{3}, 1, 1))
		return m.Cast(m.Op("MatMulInteger", []*graph.Node{x, y, m.Const(tensor.Of([]uint8{0}))}), tensor.Int64)
	}, i64(shape{0, 1})},
	{"MatMul", "of float16 rounds the sum alone", func(m maker) *graph.Node {
		x := m.Const(m.f(shape{1, 3}, 1, 1./2048, 1./2048).Value.As(tensor.Float16))
		y := m.Const(m.f(shape{3, 1}, 1, 1, 1).Value.As(tensor.Float16))
		return m.Cast(m.MatMul(x, y), tensor.Float32)
	}, f32(shape{1, 1}, 1+1./1024)},
	{"MatMul", "of bfloat16 rounds the sum alone", func(m maker) *graph.Node {
		x := m.Const(m.f(shape{1, 3}, 1, 1./256, 1./256).Value.As(tensor.BFloat16))
		y := m.Const(m.f(shape{3, 1}, 1, 1, 1).Value.As(tensor.BFloat16))
		return m.Cast(m.MatMul(x, y), tensor.Float32)
	}, f32(shape{1, 1}, 1+1./128)},
	{"Transpose", "int8", func(m maker) *graph.Node {
		return m.Cast(m.Transpose(m.Const(tensor.Of([]int8{1, 2, 3, 4}, 2, 2)), 1, 0), tensor.Int64)
	}, i64(shape{2, 2}, 1, 3, 2, 4)},
	{"Gather", "int8", func(m maker) *graph.Node {
		return m.Cast(m.Gather(m.Const(tensor.Of([]int8{1, 2, -3, 4}, 2, 2)), m.Ints(1), 0), tensor.Int64)
	}, i64(shape{1, 2}, -3, 4)},
	{"Expand", "uint8", func(m maker) *graph.Node {
		return m.Cast(m.Expand(m.Const(tensor.Of([]uint8{200})), graph.N(2)), tensor.Int64)
	}, i64(shape{2}, 200, 200)},
}

var matrixRows = []kernelRow{
	{"MatMul", "2-D",
		func(m maker) *graph.Node { return m.MatMul(m.f(shape{1, 2}, 1, 2), m.f(shape{2, 2}, 3, 4, 5, 6)) },
		f32(shape{1, 2}, 13, 16)},
	{"MatMul", "batch of left operands", func(m maker) *graph.Node {
		return m.MatMul(m.f(shape{2, 1, 2}, 1, 2, 3, 4), m.f(shape{2, 1}, 10, 1))
	}, f32(shape{2, 1, 1}, 12, 34)},
	{"MatMul", "both batches broadcast", func(m maker) *graph.Node {
		return m.MatMul(m.f(shape{2, 1, 1, 1}, 2, 3), m.f(shape{2, 1, 1}, 10, 100))
	}, f32(shape{2, 2, 1, 1}, 20, 200, 30, 300)},
	{"MatMul", "left operand alone",
		func(m maker) *graph.Node { return m.MatMul(m.f(shape{1, 1}, 2), m.f(shape{2, 1, 1}, 3, 4)) },
		f32(shape{2, 1, 1}, 6, 8)},
	{"MatMul", "empty inner axis", func(m maker) *graph.Node { return m.MatMul(m.f(shape{2, 0}), m.f(shape{0, 2})) },
		f32(shape{2, 2}, 0, 0, 0, 0)},
	{"MatMul", "empty batch", func(m maker) *graph.Node { return m.MatMul(m.f(shape{0, 2, 2}), m.f(shape{0, 2, 1})) },
		f32(shape{0, 2, 1})},
	{"MatMul", "no rows", func(m maker) *graph.Node { return m.MatMul(m.f(shape{1, 0, 2}), m.f(shape{2, 1}, 1, 2)) },
		f32(shape{1, 0, 1})},
	{"Gemm", "plain",
		func(m maker) *graph.Node { return m.Gemm(m.f(shape{1, 2}, 1, 2), m.f(shape{2, 1}, 3, 4), false, false) },
		f32(shape{1, 1}, 11)},
	{"Gemm", "transA", func(m maker) *graph.Node {
		return m.Gemm(m.f(shape{1, 2}, 1, 2), m.f(shape{1, 2}, 3, 4), true, false)
	}, f32(shape{2, 2}, 3, 4, 6, 8)},
	{"Gemm", "transB", func(m maker) *graph.Node {
		return m.Gemm(m.f(shape{1, 2}, 1, 2), m.f(shape{2, 2}, 3, 4, 5, 6), false, true)
	}, f32(shape{1, 2}, 11, 17)},
	{"Gemm", "both", func(m maker) *graph.Node {
		return m.Gemm(m.f(shape{2, 1}, 1, 2), m.f(shape{2, 2}, 3, 4, 5, 6), true, true)
	}, f32(shape{1, 2}, 11, 17)},
	{"Gemm", "no rows",
		func(m maker) *graph.Node { return m.Gemm(m.f(shape{0, 1}), m.f(shape{1, 2}, 1, 2), false, false) },
		f32(shape{0, 2})},
}

var shapeRows = []kernelRow{
	{"Reshape", "minus one", func(m maker) *graph.Node {
		return m.Op("Reshape", []*graph.Node{m.f(shape{2, 2}, 1, 2, 3, 4), m.Ints(-1, 1)})
	}, f32(shape{4, 1}, 1, 2, 3, 4)},
	{"Reshape", "zero copies", func(m maker) *graph.Node {
		return m.Op("Reshape", []*graph.Node{m.f(shape{0, 2}), m.Ints(0, 1, 2)})
	}, f32(shape{0, 1, 2})},
	{"Squeeze", "", func(m maker) *graph.Node { return m.Squeeze(m.f(shape{1, 2, 1}, 1, 2), 0, -1) },
		f32(shape{2}, 1, 2)},
	{"Unsqueeze", "", func(m maker) *graph.Node { return m.Unsqueeze(m.vec(1, 2), 0, -1) }, f32(shape{1, 2, 1}, 1, 2)},
	{"Transpose", "2-D", func(m maker) *graph.Node { return m.Transpose(m.f(shape{2, 3}, 1, 2, 3, 4, 5, 6), 1, 0) },
		f32(shape{3, 2}, 1, 4, 2, 5, 3, 6)},
	{"Transpose", "3-D",
		func(m maker) *graph.Node { return m.Transpose(m.f(shape{1, 2, 3}, 1, 2, 3, 4, 5, 6), 2, 0, 1) },
		f32(shape{3, 1, 2}, 1, 4, 2, 5, 3, 6)},
	{"Transpose", "swap outer", func(m maker) *graph.Node {
		return m.Transpose(m.i(shape{2, 2, 2}, 0, 1, 2, 3, 4, 5, 6, 7), 1, 0, 2)
	}, i64(shape{2, 2, 2}, 0, 1, 4, 5, 2, 3, 6, 7)},
	{"Transpose", "empty", func(m maker) *graph.Node { return m.Transpose(m.b(shape{2, 0}), 1, 0) },
		boolean(shape{0, 2})},
	{"Concat", "outer", func(m maker) *graph.Node { return m.Concat(0, m.Ints(1), m.Ints(2, 3)) },
		i64(shape{3}, 1, 2, 3)},
	{"Concat", "inner, one empty", func(m maker) *graph.Node {
		return m.Concat(-1, m.f(shape{2, 1}, 1, 2), m.f(shape{2, 0}), m.f(shape{2, 2}, 3, 4, 5, 6))
	}, f32(shape{2, 3}, 1, 3, 4, 2, 5, 6)},
	{"Concat", "bool", func(m maker) *graph.Node { return m.Concat(0, m.b(shape{1}, true), m.b(shape{1}, false)) },
		boolean(shape{2}, true, false)},
	{"Slice", "middle", func(m maker) *graph.Node {
		return m.Slice(m.f(shape{2, 3}, 1, 2, 3, 4, 5, 6), 1, graph.N(1), graph.N(2))
	},
		f32(shape{2, 1}, 2, 5)},
	{"Slice", "last", func(m maker) *graph.Node { return m.SliceLast(m.f(shape{3, 1}, 1, 2, 3), 0, graph.N(2)) },
		f32(shape{2, 1}, 2, 3)},
	{"Slice", "limits are clamped", func(m maker) *graph.Node {
		return m.Op("Slice", []*graph.Node{m.vec(1, 2), m.Ints(-9), m.Ints(9), m.Ints(-1), m.Ints(1)})
	}, f32(shape{2}, 1, 2)},
	{"Slice", "start beyond end", func(m maker) *graph.Node {
		return m.Op("Slice", []*graph.Node{m.vec(1, 2), m.Ints(2), m.Ints(1), m.Ints(0), m.Ints(1)})
	}, f32(shape{0})},
	{"Slice", "start beyond the axis", func(m maker) *graph.Node {
		return m.Op("Slice", []*graph.Node{m.vec(1, 2), m.Ints(5), m.Ints(math.MaxInt64), m.Ints(0), m.Ints(1)})
	}, f32(shape{0})},
	{"Expand", "both ways", func(m maker) *graph.Node {
		return m.Op("Expand", []*graph.Node{m.f(shape{2, 1}, 1, 2), m.Ints(2, 1, 2)})
	}, f32(shape{2, 2, 2}, 1, 1, 2, 2, 1, 1, 2, 2)},
	{"Expand", "to nothing", func(m maker) *graph.Node { return m.Expand(m.Float(1), graph.N(0), graph.N(2)) },
		f32(shape{0, 2})},
	{"Shape", "all", func(m maker) *graph.Node { return m.Op("Shape", []*graph.Node{m.f(shape{0, 2})}) },
		i64(shape{2}, 0, 2)},
	{"Shape", "part", func(m maker) *graph.Node {
		return m.Op("Shape", []*graph.Node{m.b(shape{1, 2, 1}, true, true)}, graph.Attr{Name: "start", Value: int64(1)},
			graph.Attr{Name: "end", Value: int64(2)})
	}, i64(shape{1}, 2)},
	{"Range", "", func(m maker) *graph.Node { return m.Range(graph.N(2), graph.N(5)) }, i64(shape{3}, 2, 3, 4)},
	{"Range", "end before start", func(m maker) *graph.Node { return m.Range(graph.N(2), graph.N(1)) }, i64(shape{0})},
}

var indexRows = []kernelRow{
	{"Gather", "rows", func(m maker) *graph.Node {
		return m.Gather(m.f(shape{3, 2}, 1, 2, 3, 4, 5, 6), m.i(shape{1, 3}, 2, 0, -3), 0)
	}, f32(shape{1, 3, 2}, 5, 6, 1, 2, 1, 2)},
	{"Gather", "columns", func(m maker) *graph.Node { return m.Gather(m.f(shape{2, 2}, 1, 2, 3, 4), m.Ints(1), 1) },
		f32(shape{2, 1}, 2, 4)},
	{"Gather", "one", func(m maker) *graph.Node { return m.Gather(m.Ints(7, 8), m.i(shape{}, 1), 0) }, i64(shape{}, 8)},
	{"Gather", "none", func(m maker) *graph.Node { return m.Gather(m.f(shape{0, 2}), m.i(shape{0}), 0) },
		f32(shape{0, 2})},
	{"GatherElements", "inner", func(m maker) *graph.Node {
		return m.GatherElements(m.f(shape{2, 3}, 1, 2, 3, 4, 5, 6), m.i(shape{2, 2}, 2, 0, -1, 1), 1)
	}, f32(shape{2, 2}, 3, 1, 6, 5)},
	{"GatherElements", "outer", func(m maker) *graph.Node {
		return m.GatherElements(m.f(shape{3, 2}, 1, 2, 3, 4, 5, 6), m.i(shape{1, 2}, 2, 0), 0)
	}, f32(shape{1, 2}, 5, 2)},
	{"ScatterElements", "repeated", func(m maker) *graph.Node {
		return m.Op("ScatterElements", []*graph.Node{m.vec(1, 2, 3), m.Ints(0, 2, -3), m.vec(10, 20, 30)}, graph.Attr{Name: "axis", Value: int64(0)}, graph.Attr{Name: "reduction", Value: "add"})
	}, f32(shape{3}, 41, 2, 23)},
	{"ScatterElements", "inner", func(m maker) *graph.Node {
		return m.Op("ScatterElements", []*graph.Node{m.f(shape{2, 2}, 0, 0, 0, 0), m.i(shape{2, 1}, 1, 0), m.f(shape{2, 1}, 5, 6)}, graph.Attr{Name: "axis", Value: int64(-1)}, graph.Attr{Name: "reduction", Value: "add"})
	}, f32(shape{2, 2}, 0, 5, 6, 0)},
	{"ScatterElements", "nothing", func(m maker) *graph.Node {
		return m.Op("ScatterElements", []*graph.Node{m.vec(1), m.i(shape{0}), m.f(shape{0})}, graph.Attr{Name: "axis", Value: int64(0)}, graph.Attr{Name: "reduction", Value: "add"})
	}, f32(shape{1}, 1)},
	{"ScatterND", "rows", func(m maker) *graph.Node {
		return m.Op("ScatterND", []*graph.Node{m.f(shape{2, 2, 2}, 1, 2, 3, 4, 5, 6, 7, 8), m.i(shape{2, 2}, 1, 0, 0, -1),
			m.f(shape{2, 2}, 10, 20, 30, 40)})
	}, f32(shape{2, 2, 2}, 1, 2, 30, 40, 10, 20, 7, 8)},
	{"ScatterND", "numbers", func(m maker) *graph.Node {
		return m.Op("ScatterND", []*graph.Node{m.Ints(1, 2, 3), m.i(shape{1, 1}, 2), m.Ints(9)})
	}, i64(shape{3}, 1, 2, 9)},
}

var reduceRows = []kernelRow{
	{"ReduceMax", "inner", func(m maker) *graph.Node { return m.ReduceMax(m.f(shape{2, 2}, -1, -2, 3, 4), false, -1) },
		f32(shape{2}, -1, 4)},
	{"ReduceMax", "outer, kept, NaN wins",
		func(m maker) *graph.Node { return m.ReduceMax(m.f(shape{2, 2}, 1, nan, 3, 4), true, 0) },
		f32(shape{1, 2}, 3, nan)},
	{"ReduceMax", "all", func(m maker) *graph.Node { return m.ReduceMax(m.vec(1, 2), false) }, f32(shape{}, 2)},
	{"ReduceSum", "inner", func(m maker) *graph.Node { return m.ReduceSum(m.f(shape{2, 2}, 1, 2, 3, 4), false, -1) },
		f32(shape{2}, 3, 7)},
	{"ReduceSum", "outer, kept",
		func(m maker) *graph.Node { return m.ReduceSum(m.f(shape{2, 2}, 1, 2, 3, 4), true, 0) },
		f32(shape{1, 2}, 4, 6)},
	{"ReduceSum", "middle", func(m maker) *graph.Node {
		return m.ReduceSum(m.f(shape{2, 2, 2}, 1, 2, 3, 4, 5, 6, 7, 8), false, 1)
	}, f32(shape{2, 2}, 4, 6, 12, 14)},
	{"ReduceSum", "ends", func(m maker) *graph.Node {
		return m.ReduceSum(m.f(shape{2, 2, 2}, 1, 2, 3, 4, 5, 6, 7, 8), false, 0, 2)
	}, f32(shape{2}, 14, 22)},
	{"ReduceSum", "all", func(m maker) *graph.Node { return m.ReduceSum(m.vec(1, 2), false) }, f32(shape{}, 3)},
	{"ReduceSum", "empty list of axes means all", func(m maker) *graph.Node {
		return m.Op("ReduceSum", []*graph.Node{m.vec(1, 2), m.i(shape{0})})
	}, f32(shape{1}, 3)},
	{"ReduceSum", "nothing", func(m maker) *graph.Node { return m.ReduceSum(m.f(shape{2, 0}), false, 1) },
		f32(shape{2}, 0, 0)},
	{"ReduceMean", "inner", func(m maker) *graph.Node { return m.ReduceMean(m.f(shape{2, 2}, 1, 2, 3, 4), true, 1) },
		f32(shape{2, 1}, 1.5, 3.5)},
	{"ReduceMean", "all", func(m maker) *graph.Node { return m.ReduceMean(m.f(shape{2, 2}, 1, 2, 3, 4), false) },
		f32(shape{}, 2.5)},
	{"Softmax", "inner", func(m maker) *graph.Node { return m.Softmax(m.f(shape{1, 2}, 0, math.Ln2), -1) },
		f32(shape{1, 2}, 1./3, 2./3)},
	{"Softmax", "outer", func(m maker) *graph.Node { return m.Softmax(m.f(shape{2, 2}, 0, 1, math.Ln2, 1), 0) },
		f32(shape{2, 2}, 1./3, 0.5, 2./3, 0.5)},
	{"Softmax", "large", func(m maker) *graph.Node { return m.Softmax(m.vec(1e30, 1e30, -1e30), 0) },
		f32(shape{3}, 0.5, 0.5, 0)},
	{"Softmax", "empty", func(m maker) *graph.Node { return m.Softmax(m.f(shape{2, 0}), 1) }, f32(shape{2, 0})},
	{"LogSoftmax", "large", func(m maker) *graph.Node {
		return m.Op("LogSoftmax", []*graph.Node{m.vec(1000, 1000)}, graph.Attr{Name: "axis", Value: int64(0)})
	},
		f32(shape{2}, -math.Ln2, -math.Ln2)},
	{"LogSoftmax", "outer", func(m maker) *graph.Node {
		return m.Op("LogSoftmax", []*graph.Node{m.f(shape{2, 1}, 0, -1000)}, graph.Attr{Name: "axis", Value: int64(0)})
	},
		f32(shape{2, 1}, 0, -1000)},
	{"CumSum", "inner", func(m maker) *graph.Node { return m.CumSum(m.f(shape{2, 3}, 1, 2, 3, 4, 5, 6), -1) },
		f32(shape{2, 3}, 1, 3, 6, 4, 9, 15)},
	{"CumSum", "outer, int64", func(m maker) *graph.Node { return m.CumSum(m.i(shape{3, 2}, 1, 2, 3, 4, 5, 6), 0) },
		i64(shape{3, 2}, 1, 2, 4, 6, 9, 12)},
	{"CumSum", "reverse", func(m maker) *graph.Node {
		return raw(m, "CumSum", "reverse", int64(1), m.vec(1, 2, 3), m.i(shape{}, 0))
	}, f32(shape{3}, 6, 5, 3)},
	{"CumSum", "exclusive", func(m maker) *graph.Node {
		return raw(m, "CumSum", "exclusive", int64(1), m.vec(1, 2, 3), m.i(shape{}, 0))
	}, f32(shape{3}, 0, 1, 3)},
	{"CumSum", "both", func(m maker) *graph.Node {
		return m.Op("CumSum", []*graph.Node{m.vec(1, 2, 3), m.i(shape{}, -1)},
			graph.Attr{Name: "exclusive", Value: int64(1)}, graph.Attr{Name: "reverse", Value: int64(1)})
	}, f32(shape{3}, 5, 3, 0)},
	{"CumSum", "empty", func(m maker) *graph.Node { return m.CumSum(m.f(shape{2, 0}), 1) }, f32(shape{2, 0})},
}

var fusedRows = []kernelRow{
	{"RMSNormalization", "",
		func(m maker) *graph.Node {
			return m.Op("RMSNormalization", []*graph.Node{m.f(shape{1, 2}, 3, 4), m.vec(1, 10)}, graph.Attr{Name: "axis", Value: int64(-1)}, graph.Attr{Name: "epsilon", Value: float32(0)})
		},
		f32(shape{1, 2}, 0.84852814, 11.313708)},
	{"RMSNormalization", "epsilon inside the root",
		func(m maker) *graph.Node {
			return m.Op("RMSNormalization", []*graph.Node{m.f(shape{1, 1}, 1), m.vec(1)}, graph.Attr{Name: "axis", Value: int64(-1)}, graph.Attr{Name: "epsilon", Value: float32(3)})
		},
		f32(shape{1, 1}, 0.5)},
	{"RotaryEmbedding", "halves", func(m maker) *graph.Node {
		return m.Op("RotaryEmbedding", []*graph.Node{m.f(shape{1, 1, 1, 4}, 1, 2, 3, 4), m.f(shape{1, 1, 2}, 0, 1), m.f(shape{1, 1, 2}, 1, 0)}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(4)})
	}, f32(shape{1, 1, 1, 4}, -3, 2, 1, 4)},
	{"RotaryEmbedding", "interleaved", func(m maker) *graph.Node {
		return m.Op("RotaryEmbedding", []*graph.Node{m.f(shape{1, 1, 1, 4}, 1, 2, 3, 4), m.f(shape{1, 1, 2}, 0, 1), m.f(shape{1, 1, 2}, 1, 0)}, graph.Attr{Name: "interleaved", Value: int64(1)}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(4)})
	}, f32(shape{1, 1, 1, 4}, -2, 1, 3, 4)},
	{"RotaryEmbedding", "part of the width, two heads, two positions", func(m maker) *graph.Node {
		return m.Op("RotaryEmbedding", []*graph.Node{m.f(shape{1, 2, 2, 3}, 1, 2, 9, 3, 4, 9, 5, 6, 9, 7, 8, 9), m.f(shape{1, 2, 1}, 1, 0), m.f(shape{1, 2, 1}, 0, 1)}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(2)})
	}, f32(shape{1, 2, 2, 3}, 1, 2, 9, -4, 3, 9, 5, 6, 9, -8, 7, 9)},
	{"RotaryEmbedding", "angles by batch row", func(m maker) *graph.Node {
		return m.Op("RotaryEmbedding", []*graph.Node{m.f(shape{2, 2, 1, 2}, 1, 2, 3, 4, 5, 6, 7, 8), m.f(shape{2, 1, 1}, 1, 0), m.f(shape{2, 1, 1}, 0, 1)}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(2)})
	}, f32(shape{2, 2, 1, 2}, 1, 2, 3, 4, -6, 5, -8, 7)},
	{"Attention", "mask by batch row", func(m maker) *graph.Node {
		return m.Op("Attention", []*graph.Node{m.f(shape{2, 1, 1, 1}, 1, 1), m.f(shape{2, 1, 2, 1}, 5, 7, 5, 7), m.f(shape{2, 1, 2, 1}, 1, 2, 3, 4), m.b(shape{2, 1, 1, 2}, true, false, false, true)}, graph.Attr{Name: "scale", Value: float32(1)})
	}, f32(shape{2, 1, 1, 1}, 1, 4)},
	{"Attention", "no mask", func(m maker) *graph.Node {
		return m.Op("Attention", []*graph.Node{m.f(shape{1, 1, 1, 1}, 1), m.f(shape{1, 1, 2, 1}, 0, 2*math.Ln2), m.f(shape{1, 1, 2, 2}, 3, 0, 0, 3)}, graph.Attr{Name: "scale", Value: float32(0.5)})
	}, f32(shape{1, 1, 1, 2}, 1, 2)},
	{"Attention", "default scale", func(m maker) *graph.Node {
		k := []float32{0, 0, 0, 0, 2 * math.Ln2, 0, 0, 0}
		q, v := m.f(shape{1, 1, 1, 4}, 1, 0, 0, 0), m.f(shape{1, 1, 2, 1}, 3, 0)
		return m.Op("Attention", []*graph.Node{q, m.f(shape{1, 1, 2, 4}, k...), v})
	}, f32(shape{1, 1, 1, 1}, 1)},
	{"Attention", "bool mask, a query that sees nothing", func(m maker) *graph.Node {
		return m.Op("Attention", []*graph.Node{m.f(shape{1, 1, 2, 1}, 1, 1), m.f(shape{1, 1, 2, 1}, 5, 7), m.f(shape{1, 1, 2, 1}, 3, 4), m.b(shape{1, 1, 2, 2}, true, false, false, false)}, graph.Attr{Name: "scale", Value: float32(1)})
	}, f32(shape{1, 1, 2, 1}, 3, 0)},
	{"Attention", "bias by head", func(m maker) *graph.Node {
		return m.Op("Attention", []*graph.Node{m.f(shape{1, 2, 1, 1}, 0, 0), m.f(shape{1, 2, 2, 1}, 1, 1, 1, 1), m.f(shape{1, 2, 2, 1}, 3, 0, 3, 0), m.f(shape{1, 2, 1, 2}, 0, math.Ln2, math.Ln2, 0)}, graph.Attr{Name: "scale", Value: float32(1)})
	}, f32(shape{1, 2, 1, 1}, 1, 2)},
}

func TestKernels(t *testing.T) {
	everyOp(t, kernelRows, func(r kernelRow) string { return r.op }, always)
	for _, row := range kernelRows {
		t.Run(row.op+"/"+row.name, func(t *testing.T) {
			m := newMaker()
			g := build(t, m.Builder, row.build(m))
			if !slices.ContainsFunc(g.Nodes, func(n *graph.Node) bool { return n.Op == row.op }) {
				t.Fatalf("the graph has no %s:\n%s", row.op, g)
			}
			got, err := interp.New(g, tensor.Float32).Run(context.Background(), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got["y"], row.want)
			spoil(got["y"]) // which must be no memory of the graph
			if got, err = interp.New(g, tensor.Float32).Run(context.Background(), nil, nil); err != nil {
				t.Fatal(err)
			}
			compare(t, got["y"], row.want)
			if got, err = interp.New(g, tensor.Float64).Run(t.Context(), nil, nil); err != nil {
				t.Fatal(err)
			}
			compare(t, got["y"], row.want)
		})
	}
}

func spoil(t *tensor.Tensor) {
	switch t.DType() {
	case tensor.Float32:
		fill(tensor.Data[float32](t), 99)
	case tensor.Int64:
		fill(tensor.Data[int64](t), 99)
	case tensor.Bool:
		for i, v := range tensor.Data[bool](t) {
			tensor.Data[bool](t)[i] = !v
		}
	}
}

func fill[T any](data []T, v T) {
	for i := range data {
		data[i] = v
	}
}

// build returns the graph with the one output y.
func build(t *testing.T, b *graph.Builder, y *graph.Node) *graph.Graph {
	t.Helper()
	g, err := b.Build(graph.Output{Name: "y", Node: y})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// compare allows a few float32 roundings, because the wanted values have them.
func compare(t *testing.T, got, want *tensor.Tensor) {
	t.Helper()
	if diff := cmp.Diff(want.Shape(), got.Shape(), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("shape (-want +got):\n%s", diff)
	}
	opts := cmp.Options{cmpopts.EquateApprox(1e-6, 1e-6), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()}
	if diff := cmp.Diff(elements(want), elements(got), opts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// elements returns the data, floats as float64.
func elements(t *tensor.Tensor) any {
	switch t.DType() {
	case tensor.Float32:
		out := []float64{}
		for _, v := range tensor.Data[float32](t) {
			out = append(out, float64(v))
		}
		return out
	case tensor.Float64:
		return tensor.Data[float64](t)
	case tensor.Int64:
		return tensor.Data[int64](t)
	}
	return tensor.Data[bool](t)
}
