package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// shapeRow holds the type that the rules give to what build returns, or, in bad,
// a part of the error they give.
type shapeRow struct {
	op        string
	build     func(m maker) *graph.Node
	want, bad string
}

func in(m maker, name string, axes ...string) *graph.Node {
	return m.Input(name, tensor.Float32, dims(axes...)...)
}

func ints(m maker, name string, axes ...string) *graph.Node {
	return m.Input(name, tensor.Int64, dims(axes...)...)
}

func bools(m maker, name string, axes ...string) *graph.Node {
	return m.Input(name, tensor.Bool, dims(axes...)...)
}

func bytes(m maker, name string, axes ...string) *graph.Node {
	return m.Input(name, tensor.Uint8, dims(axes...)...)
}

func halves(m maker, name string, axes ...string) *graph.Node {
	return m.Input(name, tensor.Float16, dims(axes...)...)
}

func blocked(m maker, x, scale *graph.Node, axis, size int64) *graph.Node {
	return m.Op("DequantizeLinear", []*graph.Node{x, scale},
		graph.Attr{Name: "axis", Value: axis}, graph.Attr{Name: "block_size", Value: size})
}

// raw applies an operator that the typed methods would not make like this.
func raw(m maker, op string, attr string, value any, inputs ...*graph.Node) *graph.Node {
	return m.Op(op, inputs, graph.Attr{Name: attr, Value: value})
}

// unaryOps take one float of any shape.
var unaryOps = []string{"Neg", "Abs", "Floor", "Exp", "Log", "Sqrt", "Reciprocal", "Sin", "Cos", "Tanh", "Erf", "Sigmoid",
	"Softplus", "Relu"}

func unaryShapes() []shapeRow {
	var rows []shapeRow
	for _, op := range unaryOps {
		apply := func(x func(m maker) *graph.Node) func(m maker) *graph.Node {
			return func(m maker) *graph.Node { return m.Op(op, []*graph.Node{x(m)}) }
		}
		rows = append(rows,
			shapeRow{op: op, build: apply(func(m maker) *graph.Node { return in(m, "x", "batch", "past+seq", "0") }),
				want: "float32[batch,past+seq,0]"},
			shapeRow{op: op, build: apply(func(m maker) *graph.Node { return bools(m, "x", "2") }),
				bad: "input 0 must be [float32"},
			shapeRow{op: op, build: func(m maker) *graph.Node { return m.Op(op, nil) }, bad: "has 0 inputs, want 1"},
		)
	}
	return rows
}

func broadcastShapes() []shapeRow {
	var rows []shapeRow
	for op, result := range map[string]string{"Add": "float32", "Sub": "float32", "Mul": "float32", "Div": "float32",
		"Max": "float32", "Min": "float32",
		"Equal": "bool", "Greater": "bool", "GreaterOrEqual": "bool", "And": "bool"} {
		dtype, other := tensor.Float32, tensor.Int64
		switch op {
		case "And":
			dtype, other = tensor.Bool, tensor.Float32
		case "Equal":
			dtype, other = tensor.Int64, tensor.Float32
		}
		apply := func(x, y []string, dy tensor.DType) func(m maker) *graph.Node {
			return func(m maker) *graph.Node {
				return m.Op(op, []*graph.Node{m.Input("x", dtype, dims(x...)...), m.Input("y", dy, dims(y...)...)})
			}
		}
		rows = append(rows,
			shapeRow{op: op, build: apply([]string{"batch", "1", "4"}, []string{"seq", "4"}, dtype),
				want: result + "[batch,seq,4]"},
			shapeRow{op: op, build: apply([]string{}, []string{"past+seq"}, dtype), want: result + "[past+seq]"},
			shapeRow{op: op, build: apply([]string{"1"}, []string{"0"}, dtype), want: result + "[0]"},
			shapeRow{op: op, build: apply([]string{"batch", "3"}, []string{"batch", "4"}, dtype),
				bad: "cannot broadcast"},
			shapeRow{op: op, build: apply([]string{"batch"}, []string{"seq"}, dtype), bad: "cannot broadcast"},
			shapeRow{op: op, build: apply([]string{"2"}, []string{"2"}, other), bad: "mixes dtypes"},
		)
	}
	return rows
}

var ruleRows = []shapeRow{
	{op: "Neg", build: func(m maker) *graph.Node { return m.Neg(ints(m, "x", "2")) }, want: "int64[2]"},
	{op: "Neg", build: func(m maker) *graph.Node { return m.Neg(bools(m, "x", "2")) },
		bad: "must be [float32 int64]"},
	{op: "Abs", build: func(m maker) *graph.Node { return m.Op("Abs", []*graph.Node{ints(m, "x", "2")}) }, want: "int64[2]"},
	{op: "Floor", build: func(m maker) *graph.Node { return m.Op("Floor", []*graph.Node{ints(m, "x", "2")}) }, bad: "must be [float32]"},
	{op: "Add", build: func(m maker) *graph.Node { return m.Add(bools(m, "x"), bools(m, "y")) },
		bad: "input 0 must be [float32 int64]"},
	{op: "Div", build: func(m maker) *graph.Node { return m.Div(ints(m, "x"), ints(m, "y")) }, want: "int64[]"},
	{op: "Max", build: func(m maker) *graph.Node { return m.Max(ints(m, "x", "seq"), m.Ints(1)) }, want: "int64[seq]"},
	{op: "Min", build: func(m maker) *graph.Node { return m.Min(ints(m, "x"), ints(m, "y")) }, want: "int64[]"},
	{op: "And", build: func(m maker) *graph.Node { return m.And(in(m, "x"), in(m, "y")) },
		bad: "input 0 must be [bool]"},

	{op: "Where",
		build: func(m maker) *graph.Node { return m.Where(bools(m, "c", "seq", "1"), in(m, "x", "2"), m.Float(0)) },
		want:  "float32[seq,2]"},
	{op: "Where", build: func(m maker) *graph.Node { return m.Where(in(m, "c"), in(m, "x"), in(m, "y")) },
		bad: "input 0 must be [bool]"},
	{op: "Where", build: func(m maker) *graph.Node { return m.Where(bools(m, "c"), in(m, "x"), ints(m, "y")) },
		bad: "mixes dtypes"},
	{op: "Where", build: func(m maker) *graph.Node { return m.Where(bools(m, "c", "3"), in(m, "x", "2"), in(m, "y")) },
		bad: "cannot broadcast"},
	{op: "Cast", build: func(m maker) *graph.Node { return m.Cast(bools(m, "x", "seq"), tensor.Int64) },
		want: "int64[seq]"},
	{op: "Cast", build: func(m maker) *graph.Node { return m.Cast(in(m, "x"), tensor.Float64) },
		bad: "cannot cast to ONNX type 11"},
	{op: "Cast", build: func(m maker) *graph.Node { return m.Cast(in(m, "x", "seq"), tensor.Float16) },
		want: "float16[seq]"},
	{op: "Cast", build: func(m maker) *graph.Node { return m.Cast(in(m, "x", "seq"), tensor.BFloat16) },
		want: "bfloat16[seq]"},
	{op: "Cast", build: func(m maker) *graph.Node { return m.Cast(in(m, "x"), tensor.Int8) },
		bad: "cannot cast to ONNX type 3"},
	{op: "Add", build: func(m maker) *graph.Node { return m.Add(halves(m, "x"), halves(m, "y")) },
		bad: "input 0 must be [float32 int64]"},

	{op: "QuantizeLinear", build: func(m maker) *graph.Node {
		return m.Op("QuantizeLinear", []*graph.Node{in(m, "x", "batch", "4"), in(m, "s", "batch"), bytes(m, "z", "batch")}, graph.Attr{Name: "axis", Value: int64(0)})
	}, want: "uint8[batch,4]"},
	{op: "QuantizeLinear", build: func(m maker) *graph.Node {
		return m.Op("QuantizeLinear", []*graph.Node{in(m, "x", "batch", "4"), in(m, "s", "batch"), bytes(m, "z", "batch")}, graph.Attr{Name: "axis", Value: int64(1)})
	}, bad: "for each place along axis 1"},
	{op: "QuantizeLinear", build: func(m maker) *graph.Node {
		return m.Op("QuantizeLinear", []*graph.Node{in(m, "x", "4"), in(m, "s", "4"), ints(m, "z", "4")}, graph.Attr{Name: "axis", Value: int64(0)})
	}, bad: "a uint8 zero"},
	{op: "DequantizeLinear", build: func(m maker) *graph.Node {
		return blocked(m, m.Param("w", tensor.Int4, 6, 5), m.Param("s", tensor.Float32, 2, 5), 0, 3)
	}, want: "float32[6,5]"},
	{op: "DequantizeLinear", build: func(m maker) *graph.Node {
		rows := m.Gather(m.Param("w", tensor.Int8, 6, 4), ints(m, "at", "seq"), 0)
		return blocked(m, rows, m.Gather(m.Param("s", tensor.Float32, 6, 2), ints(m, "at", "seq"), 0), -1, 2)
	}, want: "float32[seq,4]"},
	{op: "DequantizeLinear", build: func(m maker) *graph.Node {
		return blocked(m, m.Param("w", tensor.Int4, 6, 5), m.Param("s", tensor.Float32, 2, 5), 1, 3)
	}, bad: "a scale for each 3 values along axis 1"},
	{op: "DequantizeLinear", build: func(m maker) *graph.Node {
		return blocked(m, m.Param("w", tensor.Int4, 6, 5), m.Param("s", tensor.Float32, 2, 5), 0, 0)
	}, bad: "block_size of at least 1"},
	{op: "DequantizeLinear", build: func(m maker) *graph.Node {
		return blocked(m, m.Param("w", tensor.Int4, 6), m.Param("s", tensor.Float32, 2, 1), 0, 3)
	}, bad: "scales of as many axes"},
	{op: "DequantizeLinear", build: func(m maker) *graph.Node {
		return blocked(m, bytes(m, "x", "6"), m.Param("s", tensor.Float32, 2), 0, 3)
	}, bad: "needs uint8 values and one scale, or int8 or int4 values"},
	{op: "DequantizeLinear", build: func(m maker) *graph.Node {
		return m.Op("DequantizeLinear", []*graph.Node{bytes(m, "x", "batch", "6"), m.Float(2)})
	}, want: "float32[batch,6]"},
	{op: "DequantizeLinear", build: func(m maker) *graph.Node {
		return blocked(m, bytes(m, "x", "batch", "6"), m.Float(2), 1, 3)
	}, bad: "needs uint8 values and one scale"},
	{op: "Transpose", build: func(m maker) *graph.Node { return m.Transpose(m.Param("w", tensor.Int4, 2, 4), 1, 0) },
		bad: "takes no int4"},
	{op: "Cast", build: func(m maker) *graph.Node { return m.Cast(m.Input("x", tensor.Int4), tensor.Float32) },
		bad: "which weights alone can be"},
	{op: "MatMulInteger", build: func(m maker) *graph.Node {
		return m.Op("MatMulInteger", []*graph.Node{bytes(m, "x", "batch", "4"), m.Param("w", tensor.Int8, 4, 2), bytes(m, "z")})
	}, want: "int32[batch,2]"},
	{op: "MatMulInteger", build: func(m maker) *graph.Node {
		return m.Op("MatMulInteger", []*graph.Node{bytes(m, "x", "batch", "4"), m.Param("w", tensor.Int8, 2, 4), bytes(m, "z")})
	}, bad: "inner axes agree"},
	{op: "MatMulInteger", build: func(m maker) *graph.Node {
		return m.Op("MatMulInteger", []*graph.Node{bytes(m, "x", "batch", "4"), m.Param("w", tensor.Float32, 4, 2), bytes(m, "z")})
	}, bad: "needs uint8 values, int8 ones"},
	{op: "MatMul", build: func(m maker) *graph.Node {
		return m.MatMul(m.Cast(in(m, "x", "batch", "4"), tensor.Float16), m.Param("w", tensor.Float16, 4, 2))
	}, want: "float16[batch,2]"},
	{op: "MatMul", build: func(m maker) *graph.Node {
		return m.MatMul(in(m, "x", "batch", "4"), m.Param("w", tensor.Float16, 4, 2))
	}, bad: "both float32, both float16 or both bfloat16"},
	{op: "MatMul", build: func(m maker) *graph.Node {
		return m.MatMul(m.Cast(in(m, "x", "batch", "4"), tensor.BFloat16), m.Param("w", tensor.BFloat16, 4, 2))
	}, want: "bfloat16[batch,2]"},
	{op: "MatMul", build: func(m maker) *graph.Node {
		return m.MatMul(m.Cast(in(m, "x", "batch", "4"), tensor.BFloat16), m.Param("w", tensor.Float16, 4, 2))
	}, bad: "both float32, both float16 or both bfloat16"},
	{op: "ReduceMax", build: func(m maker) *graph.Node { return m.ReduceMax(in(m, "x", "batch", "4"), false, -1) },
		want: "float32[batch]"},
	{op: "ReduceMax", build: func(m maker) *graph.Node { return m.ReduceMax(ints(m, "x", "4"), false) },
		bad: "must be [float32]"},
	{op: "Cast", build: func(m maker) *graph.Node { return raw(m, "Cast", "too", int64(1), in(m, "x")) },
		bad: "unknown attribute too"},

	{op: "MatMul", build: func(m maker) *graph.Node {
		return m.MatMul(in(m, "x", "batch", "1", "seq", "4"), in(m, "y", "2", "4", "past"))
	}, want: "float32[batch,2,seq,past]"},
	{op: "MatMul", build: func(m maker) *graph.Node { return m.MatMul(in(m, "x", "2", "3"), in(m, "y", "2", "3")) },
		bad: "inner axes 3 and 2 differ"},
	{op: "MatMul", build: func(m maker) *graph.Node { return m.MatMul(in(m, "x", "3"), in(m, "y", "3", "2")) },
		bad: "rank 2 or more"},
	{op: "MatMul",
		build: func(m maker) *graph.Node { return m.MatMul(in(m, "x", "2", "1", "1"), in(m, "y", "3", "1", "1")) },
		bad:   "cannot broadcast"},
	{op: "MatMul", build: func(m maker) *graph.Node { return m.MatMul(ints(m, "x", "1", "1"), ints(m, "y", "1", "1")) },
		bad: "must be [float32 float16 bfloat16]"},
	{op: "Gemm",
		build: func(m maker) *graph.Node { return m.Gemm(in(m, "x", "seq", "3"), in(m, "y", "4", "3"), false, true) },
		want:  "float32[seq,4]"},
	{op: "Gemm",
		build: func(m maker) *graph.Node { return m.Gemm(in(m, "x", "seq", "3"), in(m, "y", "seq", "4"), true, false) },
		want:  "float32[3,4]"},
	{op: "Gemm",
		build: func(m maker) *graph.Node { return m.Gemm(in(m, "x", "2", "3"), in(m, "y", "2", "3"), false, false) },
		bad:   "inner axes 3 and 2 differ"},
	{op: "Gemm", build: func(m maker) *graph.Node {
		return m.Gemm(in(m, "x", "2", "3"), in(m, "y", "2", "3", "1"), false, false)
	}, bad: "needs matrices"},

	{op: "Reshape", build: func(m maker) *graph.Node {
		return m.Reshape(in(m, "x", "batch", "seq", "8"), batch.Mul(seq), graph.N(8))
	}, want: "float32[batch*seq,8]"},
	{op: "Reshape", build: func(m maker) *graph.Node {
		return m.Op("Reshape", []*graph.Node{in(m, "x", "batch", "seq", "8"), m.Ints(0, -1, 2)})
	}, want: "float32[batch,4*seq,2]"},
	{op: "Reshape", build: func(m maker) *graph.Node { return m.Reshape(in(m, "x", "seq", "8"), seq, graph.N(9)) },
		bad: "changes the number of elements"},
	{op: "Reshape", build: func(m maker) *graph.Node {
		return m.Op("Reshape", []*graph.Node{in(m, "x", "4"), m.Ints(-1, -1)})
	}, bad: "two axes to infer"},
	{op: "Reshape", build: func(m maker) *graph.Node {
		return m.Op("Reshape", []*graph.Node{in(m, "x", "seq"), m.Ints(-1, 2)})
	}, bad: "cannot infer axis 0"},
	{op: "Reshape", build: func(m maker) *graph.Node {
		return m.Op("Reshape", []*graph.Node{in(m, "x", "4"), m.Ints(4, 0)})
	}, bad: "copies axis 1 that the input lacks"},
	{op: "Reshape", build: func(m maker) *graph.Node {
		return raw(m, "Reshape", "allowzero", int64(1), in(m, "x", "0", "3"), m.Ints(3, 0))
	}, want: "float32[3,0]"},
	{op: "Reshape", build: func(m maker) *graph.Node {
		return m.Op("Reshape", []*graph.Node{in(m, "x", "4"), ints(m, "s", "2")})
	}, bad: "known contents"},
	{op: "Squeeze", build: func(m maker) *graph.Node { return m.Squeeze(in(m, "x", "1", "seq", "1"), 0, -1) },
		want: "float32[seq]"},
	{op: "Squeeze", build: func(m maker) *graph.Node { return m.Squeeze(in(m, "x", "seq"), 0) },
		bad: "squeezes axis 0 of length seq"},
	{op: "Squeeze", build: func(m maker) *graph.Node { return m.Squeeze(in(m, "x", "1"), 1) },
		bad: "axis 1 is out of range for rank 1"},
	{op: "Unsqueeze", build: func(m maker) *graph.Node { return m.Unsqueeze(in(m, "x", "seq"), 0, -1) },
		want: "float32[1,seq,1]"},
	{op: "Unsqueeze", build: func(m maker) *graph.Node { return m.Unsqueeze(in(m, "x", "seq"), 0, 0) }, bad: "repeat"},
	{op: "Unsqueeze", build: func(m maker) *graph.Node { return m.Unsqueeze(in(m, "x", "seq"), 3) },
		bad: "out of range"},
	{op: "Unsqueeze", build: func(m maker) *graph.Node {
		return m.Op("Unsqueeze", []*graph.Node{in(m, "x", "seq"), ints(m, "a", "2")})
	}, bad: "constant list of axes"},
	{op: "Transpose", build: func(m maker) *graph.Node { return m.Transpose(in(m, "x", "batch", "seq", "4"), 1, 2, 0) },
		want: "float32[seq,4,batch]"},
	{op: "Transpose", build: func(m maker) *graph.Node { return m.Transpose(in(m, "x", "2", "3"), 1, 1) },
		bad: "not a permutation"},
	{op: "Transpose", build: func(m maker) *graph.Node { return m.Transpose(in(m, "x", "2", "3"), 1, 0, 2) },
		bad: "not a permutation"},
	{op: "Concat", build: func(m maker) *graph.Node {
		return m.Concat(-2, in(m, "x", "batch", "past", "4"), in(m, "y", "batch", "seq", "4"))
	}, want: "float32[batch,past+seq,4]"},
	{op: "Concat", build: func(m maker) *graph.Node { return m.Concat(0, in(m, "x", "2", "3"), in(m, "y", "2", "4")) },
		bad: "axes 3 and 4 differ"},
	{op: "Concat", build: func(m maker) *graph.Node { return m.Concat(0, in(m, "x", "2"), ints(m, "y", "2")) },
		bad: "mixes dtypes or ranks"},
	{op: "Concat", build: func(m maker) *graph.Node { return m.Concat(0, in(m, "x"), in(m, "y")) },
		bad: "axis 0 is out of range for rank 0"},
	{op: "Concat", build: func(m maker) *graph.Node { return m.Op("Concat", nil) },
		bad: "has 0 inputs, want at least 1"},
	{op: "Slice", build: func(m maker) *graph.Node { return m.Slice(in(m, "x", "8"), 0, graph.N(2), graph.N(5)) },
		want: "float32[3]"},
	{op: "Slice", build: func(m maker) *graph.Node { return m.SliceLast(in(m, "x", "seq", "4"), 0, graph.N(1)) },
		want: "float32[1,4]"},
	{op: "Slice", build: func(m maker) *graph.Node {
		ints(m, "keep", "1")
		return m.SliceLast(in(m, "x", "seq"), 0, graph.Sym("keep"))
	}, want: "float32[keep]"},
	{op: "Slice", build: func(m maker) *graph.Node {
		in(m, "y", "past")
		return m.Slice(in(m, "x", "past+seq"), 0, past, past.Add(seq))
	}, want: "float32[seq]"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", []*graph.Node{in(m, "x", "8"), m.Ints(-3), m.Ints(99), m.Ints(0), m.Ints(1)})
	}, want: "float32[3]"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", []*graph.Node{in(m, "x", "8"), m.Ints(0), m.Ints(4), m.Ints(0), m.Ints(2)})
	}, bad: "step 2; only 1"},
	{op: "Slice", build: func(m maker) *graph.Node { return m.Slice(in(m, "x", "8"), 1, graph.N(0), graph.N(1)) },
		bad: "axis 1 is out of range"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice",
			[]*graph.Node{in(m, "x", "8", "8"), m.Ints(0, 0), m.Ints(4, 4), m.Ints(0, 1), m.Ints(1, 1)})
	}, bad: "one known length"},
	{op: "Expand", build: func(m maker) *graph.Node { return m.Expand(in(m, "x", "batch", "1"), batch, seq) },
		bad: "no declared input has an axis seq"},
	{op: "Expand", build: func(m maker) *graph.Node {
		in(m, "y", "seq")
		return m.Expand(in(m, "x", "batch", "1"), batch, seq)
	}, want: "float32[batch,seq]"},
	{op: "Expand", build: func(m maker) *graph.Node { return m.Expand(in(m, "x", "2"), graph.N(3)) },
		bad: "cannot broadcast"},
	{op: "Expand",
		build: func(m maker) *graph.Node { return m.Op("Expand", []*graph.Node{in(m, "x"), ints(m, "s", "2")}) },
		bad:   "known contents"},
	{op: "Shape", build: func(m maker) *graph.Node { return m.Op("Shape", []*graph.Node{bools(m, "x", "batch", "2")}) },
		want: "int64[2]"},
	{op: "Shape", build: func(m maker) *graph.Node { return raw(m, "Shape", "start", int64(3), in(m, "x", "2")) },
		bad: "out of range"},
	{op: "Range", build: func(m maker) *graph.Node { in(m, "x", "seq"); return m.Range(graph.N(0), seq) },
		want: "int64[seq]"},
	{op: "Range", build: func(m maker) *graph.Node { in(m, "x", "past", "seq"); return m.Range(past, past.Add(seq)) },
		want: "int64[seq]"},
	{op: "Range", build: func(m maker) *graph.Node { return m.Range(graph.N(3), graph.N(1)) }, want: "int64[0]"},
	{op: "Range",
		build: func(m maker) *graph.Node { return m.Op("Range", []*graph.Node{m.Ints(0), m.Ints(1), m.Ints(1)}) },
		bad:   "length of shape []"},
	{op: "Range", build: func(m maker) *graph.Node {
		return m.Op("Range", []*graph.Node{m.i(shape{}, 0), m.i(shape{}, 4), m.i(shape{}, 2)})
	}, bad: "step 2; only 1"},

	{op: "Gather",
		build: func(m maker) *graph.Node { return m.Gather(in(m, "x", "9", "4"), ints(m, "i", "batch", "seq"), 0) },
		want:  "float32[batch,seq,4]"},
	{op: "Gather", build: func(m maker) *graph.Node { return m.Gather(ints(m, "x", "9", "4"), m.i(shape{}, 0), -1) },
		want: "int64[9]"},
	{op: "Gather", build: func(m maker) *graph.Node { return m.Gather(in(m, "x", "9"), in(m, "i", "2"), 0) },
		bad: "input 1 must be [int64]"},
	{op: "Gather", build: func(m maker) *graph.Node { return m.Gather(in(m, "x"), ints(m, "i", "2"), 0) },
		bad: "axis 0 is out of range for rank 0"},
	{op: "GatherElements", build: func(m maker) *graph.Node {
		return m.GatherElements(in(m, "x", "batch", "9"), ints(m, "i", "batch", "seq"), 1)
	}, want: "float32[batch,seq]"},
	{op: "GatherElements", build: func(m maker) *graph.Node {
		return m.GatherElements(in(m, "x", "batch", "9"), ints(m, "i", "seq", "9"), 1)
	}, bad: "equal axes except axis 1"},
	{op: "GatherElements",
		build: func(m maker) *graph.Node { return m.GatherElements(in(m, "x", "9"), ints(m, "i", "9", "1"), 0) },
		bad:   "equal axes"},
	{op: "ScatterElements", build: func(m maker) *graph.Node {
		return m.Op("ScatterElements", []*graph.Node{in(m, "x", "9", "4"), ints(m, "i", "seq", "4"), in(m, "u", "seq", "4")}, graph.Attr{Name: "axis", Value: int64(0)}, graph.Attr{Name: "reduction", Value: "add"})
	}, want: "float32[9,4]"},
	{op: "ScatterElements", build: func(m maker) *graph.Node {
		return m.Op("ScatterElements", []*graph.Node{in(m, "x", "9"), ints(m, "i", "seq"), in(m, "u", "batch")}, graph.Attr{Name: "axis", Value: int64(0)}, graph.Attr{Name: "reduction", Value: "add"})
	}, bad: "indices shaped like the updates"},
	{op: "ScatterElements", build: func(m maker) *graph.Node {
		return raw(m, "ScatterElements", "reduction", "mul", in(m, "x", "9"), ints(m, "i", "2"), in(m, "u", "2"))
	}, bad: `reduction "mul"; only add`},

	{op: "ScatterND", build: func(m maker) *graph.Node {
		at, rows := ints(m, "i", "batch", "2", "seq", "3"), in(m, "u", "batch", "2", "seq", "4")
		return m.Op("ScatterND", []*graph.Node{in(m, "x", "batch", "2", "capacity", "4"), at, rows})
	}, want: "float32[batch,2,capacity,4]"},
	{op: "ScatterND", build: func(m maker) *graph.Node {
		return m.Op("ScatterND", []*graph.Node{in(m, "x", "9", "4"), ints(m, "i", "seq", "1"), in(m, "u", "seq", "3")})
	}, bad: "updates of the data's type, shaped like"},
	{op: "Pow", build: func(m maker) *graph.Node { return m.Pow(in(m, "x", "batch", "4"), 2) },
		want: "float32[batch,4]"},
	{op: "Pow", build: func(m maker) *graph.Node {
		return m.Op("Pow", []*graph.Node{in(m, "x", "4"), in(m, "y", "4")})
	}, bad: "float32 constant without axes"},

	{op: "ReduceSum",
		build: func(m maker) *graph.Node { return m.ReduceSum(in(m, "x", "batch", "seq", "4"), false, -1, 0) },
		want:  "float32[seq]"},
	{op: "ReduceSum", build: func(m maker) *graph.Node { return m.ReduceSum(in(m, "x", "batch", "seq"), true) },
		want: "float32[1,1]"},
	{op: "ReduceSum", build: func(m maker) *graph.Node { return m.ReduceSum(in(m, "x", "2"), true, 1) },
		bad: "axis 1 is out of range"},
	{op: "ReduceSum", build: func(m maker) *graph.Node { return m.ReduceSum(ints(m, "x", "2"), true) },
		bad: "must be [float32]"},
	{op: "ReduceMean", build: func(m maker) *graph.Node { return m.ReduceMean(in(m, "x", "batch", "seq"), true, 1) },
		want: "float32[batch,1]"},
	{op: "ReduceMean", build: func(m maker) *graph.Node { return m.ReduceMean(in(m, "x", "2", "2"), false, 1, -1) },
		bad: "repeat"},
	{op: "Softmax", build: func(m maker) *graph.Node { return m.Softmax(in(m, "x", "batch", "past+seq"), -1) },
		want: "float32[batch,past+seq]"},
	{op: "Softmax", build: func(m maker) *graph.Node { return m.Softmax(in(m, "x", "2"), 1) },
		bad: "axis 1 is out of range"},
	{op: "LogSoftmax", build: func(m maker) *graph.Node {
		return m.Op("LogSoftmax", []*graph.Node{in(m, "x", "batch", "2")}, graph.Attr{Name: "axis", Value: int64(0)})
	},
		want: "float32[batch,2]"},
	{op: "LogSoftmax", build: func(m maker) *graph.Node {
		return m.Op("LogSoftmax", []*graph.Node{ints(m, "x", "2")}, graph.Attr{Name: "axis", Value: int64(0)})
	},
		bad: "must be [float32]"},

	{op: "CumSum", build: func(m maker) *graph.Node { return m.CumSum(in(m, "x", "batch", "past+seq", "4"), -2) },
		want: "float32[batch,past+seq,4]"},
	{op: "CumSum", build: func(m maker) *graph.Node { return m.CumSum(ints(m, "x", "seq"), 0) }, want: "int64[seq]"},
	{op: "CumSum", build: func(m maker) *graph.Node { return m.CumSum(in(m, "x", "seq"), 1) },
		bad: "axis 1 is out of range for rank 1"},
	{op: "CumSum", build: func(m maker) *graph.Node { return m.CumSum(bools(m, "x", "seq"), 0) },
		bad: "input 0 must be [float32 int64]"},
	{op: "CumSum", build: func(m maker) *graph.Node {
		return raw(m, "CumSum", "reverse", int64(2), in(m, "x", "2"), m.i(shape{}, 0))
	}, bad: "has reverse 2, want 0 or 1"},
	{op: "CumSum",
		build: func(m maker) *graph.Node { return m.Op("CumSum", []*graph.Node{in(m, "x", "2"), m.Ints(0)}) },
		bad:   "a constant int64 number as its axis"},
	{op: "CumSum",
		build: func(m maker) *graph.Node { return m.Op("CumSum", []*graph.Node{in(m, "x", "2"), ints(m, "a")}) },
		bad:   "a constant int64 number as its axis"},

	{op: "RMSNormalization",
		build: func(m maker) *graph.Node {
			return m.Op("RMSNormalization", []*graph.Node{in(m, "x", "batch", "4"), in(m, "g", "4")}, graph.Attr{Name: "axis", Value: int64(-1)}, graph.Attr{Name: "epsilon", Value: float32(0)})
		},
		want: "float32[batch,4]"},
	{op: "RMSNormalization",
		build: func(m maker) *graph.Node {
			return m.Op("RMSNormalization", []*graph.Node{in(m, "x", "batch", "4"), in(m, "g", "3")}, graph.Attr{Name: "axis", Value: int64(-1)}, graph.Attr{Name: "epsilon", Value: float32(0)})
		},
		bad: "gain of its length"},
	{op: "RotaryEmbedding", build: func(m maker) *graph.Node {
		return m.Op("RotaryEmbedding", []*graph.Node{in(m, "x", "batch", "2", "seq", "8"), in(m, "c", "batch", "seq", "2"), in(m, "s", "batch", "seq", "2")}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(4)})
	}, want: "float32[batch,2,seq,8]"},
	{op: "RotaryEmbedding", build: func(m maker) *graph.Node {
		return m.Op("RotaryEmbedding", []*graph.Node{in(m, "x", "batch", "2", "seq", "8"), in(m, "c", "batch", "seq", "4"), in(m, "s", "batch", "seq", "4")}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(4)})
	}, bad: "cos and sin of shape [batch,seq,2]"},
	{op: "RotaryEmbedding", build: func(m maker) *graph.Node {
		return m.Op("RotaryEmbedding", []*graph.Node{in(m, "x", "1", "2", "3", "8"), in(m, "c", "1", "3", "1"), in(m, "s", "1", "3", "1")}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(3)})
	}, bad: "even rotated width of at most K, not 3"},
	{op: "RotaryEmbedding", build: func(m maker) *graph.Node {
		return m.Op("RotaryEmbedding", []*graph.Node{in(m, "x", "1", "2", "3", "4"), in(m, "c", "1", "3", "4"), in(m, "s", "1", "3", "4")}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(8)})
	}, bad: "at most K, not 8"},
	{op: "Attention", build: func(m maker) *graph.Node {
		k := in(m, "k", "batch", "2", "past+seq", "8")
		return m.Op("Attention", []*graph.Node{in(m, "q", "batch", "2", "seq", "8"), k, in(m, "v", "batch", "2", "past+seq", "4"), bools(m, "m", "batch", "1", "seq", "past+seq")}, graph.Attr{Name: "scale", Value: float32(1)})
	}, want: "float32[batch,2,seq,4]"},
	{op: "Attention", build: func(m maker) *graph.Node {
		return m.Op("Attention", []*graph.Node{in(m, "q", "1", "2", "3", "8"), in(m, "k", "1", "2", "3", "4"), in(m, "v", "1", "2", "3", "4")}, graph.Attr{Name: "scale", Value: float32(1)})
	}, bad: "needs q [B,H,T,K]"},
	{op: "Attention", build: func(m maker) *graph.Node {
		q := in(m, "q", "batch", "2", "seq", "8")
		return m.Op("Attention", []*graph.Node{q, q, q, in(m, "m", "1", "1", "seq", "batch")}, graph.Attr{Name: "scale", Value: float32(1)})
	}, bad: "mask does not broadcast to [batch,2,seq,seq]"},
	{op: "Attention", build: func(m maker) *graph.Node {
		q := in(m, "q", "batch", "2", "seq", "8")
		return m.Op("Attention", []*graph.Node{q, q, q, ints(m, "m", "1", "1", "1", "1")}, graph.Attr{Name: "scale", Value: float32(1)})
	}, bad: "bool or float32 mask"},
}

func TestShapeRules(t *testing.T) {
	rows := slices.Concat(unaryShapes(), broadcastShapes(), ruleRows, boundRows)
	var good, bad []shapeRow
	for _, row := range rows {
		if row.want != "" {
			good = append(good, row)
		} else {
			bad = append(bad, row)
		}
	}
	op := func(r shapeRow) string { return r.op }
	everyOp(t, good, op, always)
	everyOp(t, bad, op, always)
	for _, row := range good {
		m := newMaker()
		n := row.build(m)
		if _, err := m.Build(graph.Output{Name: "out", Node: n}); err != nil {
			t.Errorf("%s: got %v, want %s", row.op, err, row.want)
		} else if n.Op != row.op || n.Type() != row.want {
			t.Errorf("got %s : %s, want %s : %s", n.Op, n.Type(), row.op, row.want)
		}
	}
	for _, row := range bad {
		m := newMaker()
		if n := row.build(m); m.Err() == nil {
			t.Errorf("%s: got %s, want an error with %q", row.op, n.Type(), row.bad)
		} else if err := m.Err().Error(); !strings.Contains(err, row.bad) || !strings.Contains(err, "graph: /") {
			t.Errorf("%s: got %q, want %q in it", row.op, err, row.bad)
		}
	}
}
