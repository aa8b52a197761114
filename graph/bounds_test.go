package graph_test

import (
	"math"
	"strings"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// nodes shortens the inputs of an operator that is applied by its name.
type nodes = []*graph.Node

// boundRows break one condition of a rule each, or meet it as narrowly as can be.
var boundRows = []shapeRow{
	{op: "Cast", build: func(m maker) *graph.Node { return m.Op("Cast", nodes{in(m, "x")}) },
		bad: "lacks the attribute to"},
	{op: "Pow", build: func(m maker) *graph.Node { return m.Pow(ints(m, "x", "4"), 2) },
		bad: "input 0 must be [float32]"},
	{op: "Pow", build: func(m maker) *graph.Node { return m.Op("Pow", nodes{in(m, "x", "4"), m.i(shape{}, 2)}) },
		bad: "float32 constant without axes"},
	{op: "Pow", build: func(m maker) *graph.Node { return m.Op("Pow", nodes{in(m, "x", "4"), m.vec(2)}) },
		bad: "float32 constant without axes"},
	{op: "Pow", build: func(m maker) *graph.Node { return m.Op("Pow", nodes{in(m, "x", "4"), in(m, "y")}) },
		bad: "float32 constant without axes"},

	{op: "QuantizeLinear", build: func(m maker) *graph.Node {
		return m.Op("QuantizeLinear", nodes{in(m, "x", "batch", "4"), in(m, "s", "4"), bytes(m, "z", "4")})
	}, want: "uint8[batch,4]"},
	{op: "QuantizeLinear", build: func(m maker) *graph.Node {
		return m.Op("QuantizeLinear", []*graph.Node{ints(m, "x", "4"), in(m, "s", "4"), bytes(m, "z", "4")}, graph.Attr{Name: "axis", Value: int64(0)})
	}, bad: "needs float32 values"},
	{op: "QuantizeLinear", build: func(m maker) *graph.Node {
		return m.Op("QuantizeLinear", []*graph.Node{in(m, "x", "4"), ints(m, "s", "4"), bytes(m, "z", "4")}, graph.Attr{Name: "axis", Value: int64(0)})
	}, bad: "a float32 scale"},
	{op: "QuantizeLinear", build: func(m maker) *graph.Node {
		return m.Op("QuantizeLinear", []*graph.Node{in(m, "x", "4"), in(m, "s", "4"), bytes(m, "z", "5")}, graph.Attr{Name: "axis", Value: int64(0)})
	}, bad: "for each place along axis 0"},
	{op: "MatMulInteger", build: func(m maker) *graph.Node {
		return m.Op("MatMulInteger", []*graph.Node{bytes(m, "x", "2", "3", "4"), m.Param("w", tensor.Int8, 3, 2), bytes(m, "z")})
	}, bad: "needs two matrices"},
	{op: "MatMulInteger", build: func(m maker) *graph.Node {
		return m.Op("MatMulInteger", []*graph.Node{bytes(m, "x", "2", "3"), m.Param("w", tensor.Int8, 3, 2, 2), bytes(m, "z")})
	}, bad: "needs two matrices"},
	{op: "MatMulInteger", build: func(m maker) *graph.Node {
		return m.Op("MatMulInteger", []*graph.Node{bytes(m, "x", "2", "3"), m.Param("w", tensor.Int8, 3, 2), bytes(m, "z", "1")})
	}, bad: "a uint8 number that stands for zero"},
	{op: "MatMul", build: func(m maker) *graph.Node { return m.MatMul(ints(m, "x", "2", "2"), in(m, "y", "2", "2")) },
		bad: "input 0 must be"},
	{op: "MatMul", build: func(m maker) *graph.Node { return m.MatMul(in(m, "x", "2", "3"), in(m, "y", "3")) },
		bad: "rank 2 or more"},
	{op: "Gemm", build: func(m maker) *graph.Node {
		return m.Gemm(in(m, "x", "2", "3"), in(m, "y", "2", "4"), false, false)
	}, bad: "inner axes 3 and 2 differ (transA=0, transB=0)"},
	{op: "Gemm", build: func(m maker) *graph.Node {
		return m.Gemm(in(m, "x", "2", "3"), in(m, "y", "4", "3"), true, false)
	}, bad: "inner axes 2 and 4 differ (transA=1, transB=0)"},
	{op: "Gemm", build: func(m maker) *graph.Node {
		return m.Gemm(in(m, "x", "2", "3"), ints(m, "y", "3", "2"), false, false)
	}, bad: "input 1 must be [float32]"},

	{op: "Reshape", build: func(m maker) *graph.Node {
		return m.Op("Reshape", nodes{in(m, "x", "past+seq", "8"), m.Ints(0, -1, 2)})
	}, want: "float32[past+seq,4,2]"},
	{op: "Reshape", build: func(m maker) *graph.Node {
		return m.Op("Reshape", nodes{in(m, "x", "0", "3"), m.Ints(0, -1)})
	}, bad: "cannot infer axis 1"},
	{op: "Reshape", build: func(m maker) *graph.Node {
		return m.Op("Reshape", nodes{in(m, "x", "4"), m.i(shape{1, 2}, 2, 2)})
	}, bad: "known contents"},
	{op: "Reshape", build: func(m maker) *graph.Node {
		return m.Op("Reshape", nodes{in(m, "x", "4"), m.Ints(-2, -2)})
	}, bad: "negative axis -2"},
	{op: "Squeeze", build: func(m maker) *graph.Node {
		return m.Op("Squeeze", nodes{in(m, "x", "1", "4"), m.i(shape{1, 1}, 0)})
	}, bad: "constant list of axes"},
	{op: "Squeeze", build: func(m maker) *graph.Node {
		return m.Op("Squeeze", nodes{in(m, "x", "1", "4"), m.Unsqueeze(m.Ints(0), 0)})
	}, bad: "constant list of axes"},
	{op: "Expand", build: func(m maker) *graph.Node { // lengths keep their values in another shape
		in(m, "y", "seq")
		return m.Op("Expand", nodes{in(m, "x", "1"), m.Unsqueeze(m.Squeeze(m.Len(seq), 0), 0)})
	}, want: "float32[seq]"},
	{op: "Expand", build: func(m maker) *graph.Node {
		in(m, "y", "seq")
		return m.Op("Expand", nodes{in(m, "x", "1", "1"),
			m.Op("Reshape", nodes{m.Concat(0, m.Len(seq), m.Ints(2)), m.Ints(2)})})
	}, want: "float32[seq,2]"},
	{op: "Expand", build: func(m maker) *graph.Node {
		return m.Op("Expand", nodes{in(m, "x", "1"), m.i(shape{}, 2)})
	}, bad: "known contents"},

	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", nodes{in(m, "x", "8"), ints(m, "s", "2"), m.Ints(4), m.Ints(0), m.Ints(1)})
	}, bad: "input 1 must be one known length"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", nodes{in(m, "x", "8"), m.i(shape{}, 0), m.Ints(4), m.Ints(0), m.Ints(1)})
	}, bad: "input 1 must be one known length"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", nodes{in(m, "x", "8"), m.Ints(0), m.Ints(4, 4), m.Ints(0), m.Ints(1)})
	}, bad: "input 2 must be one known length"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", nodes{in(m, "x", "8"), m.Ints(0), m.Ints(4), m.Ints(0, 0), m.Ints(1)})
	}, bad: "input 3 must be one known length"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", nodes{in(m, "x", "8"), m.Ints(0), m.Ints(4), m.Ints(0), m.Ints(1, 1)})
	}, bad: "input 4 must be one known length"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", nodes{in(m, "x", "3", "8"), m.Ints(-1), m.Ints(math.MaxInt64), m.Ints(-1), m.Ints(1)})
	}, want: "float32[3,1]"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", nodes{in(m, "x", "8"), m.Ints(7), m.Ints(9), m.Ints(0), m.Ints(1)})
	}, want: "float32[1]"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", nodes{in(m, "x", "8"), m.Ints(-9), m.Ints(-7), m.Ints(0), m.Ints(1)})
	}, want: "float32[1]"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", nodes{in(m, "x", "8"), m.Ints(5), m.Ints(4), m.Ints(0), m.Ints(1)})
	}, want: "float32[0]"},
	{op: "Slice", build: func(m maker) *graph.Node {
		return m.Op("Slice", nodes{in(m, "x", "seq"), m.Ints(1), m.Ints(-1), m.Ints(0), m.Ints(1)})
	}, want: "float32[seq+-2]"},
	{op: "Shape", build: func(m maker) *graph.Node {
		return m.Op("Shape", nodes{in(m, "x", "2", "3")}, graph.Attr{Name: "start", Value: int64(2)},
			graph.Attr{Name: "end", Value: int64(2)})
	}, want: "int64[0]"},
	{op: "Shape", build: func(m maker) *graph.Node { return raw(m, "Shape", "start", int64(-1), in(m, "x", "2")) },
		bad: "axes -1 to 1 are out of range"},
	{op: "Shape", build: func(m maker) *graph.Node { return raw(m, "Shape", "end", int64(3), in(m, "x", "2", "3")) },
		bad: "axes 0 to 3 are out of range"},
	{op: "Range", build: func(m maker) *graph.Node { return m.Range(graph.N(3), graph.N(4)) }, want: "int64[1]"},
	{op: "Range", build: func(m maker) *graph.Node { return m.Range(graph.N(-2), graph.N(1)) }, want: "int64[3]"},
	{op: "Range", build: func(m maker) *graph.Node {
		return m.Op("Range", nodes{m.i(shape{}, 0), in(m, "x"), m.i(shape{}, 1)})
	}, bad: "input 1 must be an int64 length of shape []"},
	{op: "Range", build: func(m maker) *graph.Node {
		return m.Op("Range", nodes{m.i(shape{}, 0), ints(m, "x"), m.i(shape{}, 1)})
	}, bad: "input 1 must be an int64 length of shape []"},

	{op: "Gather", build: func(m maker) *graph.Node {
		return m.Op("Gather", nodes{in(m, "x", "9", "4"), ints(m, "i", "seq")})
	}, want: "float32[seq,4]"},
	{op: "GatherElements", build: func(m maker) *graph.Node {
		return m.Op("GatherElements", nodes{in(m, "x", "9", "4"), ints(m, "i", "seq", "4")})
	}, want: "float32[seq,4]"},
	{op: "GatherElements", build: func(m maker) *graph.Node {
		return m.GatherElements(in(m, "x", "9"), in(m, "i", "seq"), 0)
	}, bad: "input 1 must be [int64]"},
	{op: "ScatterElements", build: func(m maker) *graph.Node {
		return raw(m, "ScatterElements", "reduction", "add", in(m, "x", "9", "4"), ints(m, "i", "seq", "4"),
			in(m, "u", "seq", "4"))
	}, want: "float32[9,4]"},
	{op: "ScatterElements", build: func(m maker) *graph.Node {
		return m.Op("ScatterElements", nodes{in(m, "x", "9"), ints(m, "i", "2"), in(m, "u", "2")})
	}, bad: `reduction "none"; only add`},
	{op: "ScatterElements", build: func(m maker) *graph.Node {
		return m.Op("ScatterElements", []*graph.Node{ints(m, "x", "9"), ints(m, "i", "2"), ints(m, "u", "2")}, graph.Attr{Name: "axis", Value: int64(0)}, graph.Attr{Name: "reduction", Value: "add"})
	}, bad: "needs float32 data"},
	{op: "ScatterElements", build: func(m maker) *graph.Node {
		return m.Op("ScatterElements", []*graph.Node{in(m, "x", "9"), ints(m, "i", "2"), ints(m, "u", "2")}, graph.Attr{Name: "axis", Value: int64(0)}, graph.Attr{Name: "reduction", Value: "add"})
	}, bad: "needs float32 data"},
	{op: "ScatterElements", build: func(m maker) *graph.Node {
		return m.Op("ScatterElements", []*graph.Node{in(m, "x", "9", "4"), ints(m, "i", "2", "3"), in(m, "u", "2", "3")}, graph.Attr{Name: "axis", Value: int64(0)}, graph.Attr{Name: "reduction", Value: "add"})
	}, bad: "equal axes except axis 0"},
	{op: "ScatterND", build: func(m maker) *graph.Node {
		return m.Op("ScatterND", []*graph.Node{in(m, "x", "9", "4"), ints(m, "i", "2"), in(m, "u")})
	}, want: "float32[9,4]"},
	{op: "ScatterND", build: func(m maker) *graph.Node {
		return m.Op("ScatterND", []*graph.Node{in(m, "x", "9", "4"), ints(m, "i"), in(m, "u", "9", "4")})
	}, bad: "needs indices [..., k]"},
	{op: "ScatterND", build: func(m maker) *graph.Node {
		return m.Op("ScatterND", []*graph.Node{in(m, "x", "9", "4"), ints(m, "i", "2", "seq"), in(m, "u", "2", "9", "4")})
	}, bad: "needs indices [..., k]"},
	{op: "ScatterND", build: func(m maker) *graph.Node {
		return m.Op("ScatterND", []*graph.Node{in(m, "x", "9", "4"), ints(m, "i", "2", "3"), in(m, "u", "2")})
	}, bad: "needs indices [..., k]"},
	{op: "ScatterND", build: func(m maker) *graph.Node {
		return m.Op("ScatterND", []*graph.Node{in(m, "x", "9", "4"), ints(m, "i", "2", "1"), ints(m, "u", "2", "4")})
	}, bad: "updates of the data's type"},
	{op: "ScatterND", build: func(m maker) *graph.Node {
		return m.Op("ScatterND", []*graph.Node{in(m, "x", "9", "4"), in(m, "i", "2", "1"), in(m, "u", "2", "4")})
	}, bad: "input 1 must be [int64]"},

	{op: "ReduceSum", build: func(m maker) *graph.Node { return m.Op("ReduceSum", nodes{in(m, "x", "2", "3")}) },
		want: "float32[1,1]"},
	{op: "ReduceSum", build: func(m maker) *graph.Node { return m.ReduceSum(in(m, "x", "2", "3"), false, -2) },
		want: "float32[3]"},
	{op: "ReduceSum", build: func(m maker) *graph.Node { return m.ReduceSum(in(m, "x", "2", "3"), false, -3) },
		bad: "axis -1 is out of range for rank 2"},
	{op: "Softmax", build: func(m maker) *graph.Node { return m.Op("Softmax", nodes{in(m, "x", "2")}) },
		want: "float32[2]"},
	{op: "Softmax", build: func(m maker) *graph.Node { return m.Op("Softmax", nodes{in(m, "x")}) },
		bad: "axis -1 is out of range for rank 0"},
	{op: "Softmax", build: func(m maker) *graph.Node { return m.Softmax(in(m, "x", "2", "3"), -3) },
		bad: "axis -1 is out of range for rank 2"},
	{op: "CumSum", build: func(m maker) *graph.Node {
		return raw(m, "CumSum", "exclusive", int64(-1), in(m, "x", "2"), m.i(shape{}, 0))
	}, bad: "has exclusive -1, want 0 or 1"},

	{op: "RMSNormalization", build: func(m maker) *graph.Node {
		return m.Op("RMSNormalization", []*graph.Node{ints(m, "x", "4"), in(m, "g", "4")}, graph.Attr{Name: "axis", Value: int64(-1)}, graph.Attr{Name: "epsilon", Value: float32(0)})
	}, bad: "input 0 must be [float32]"},
	{op: "RMSNormalization", build: func(m maker) *graph.Node {
		return m.Op("RMSNormalization", []*graph.Node{in(m, "x", "4"), ints(m, "g", "4")}, graph.Attr{Name: "axis", Value: int64(-1)}, graph.Attr{Name: "epsilon", Value: float32(0)})
	}, bad: "input 1 must be [float32]"},
	{op: "RMSNormalization", build: func(m maker) *graph.Node {
		return raw(m, "RMSNormalization", "axis", int64(0), in(m, "x", "4", "4"), in(m, "g", "4", "4"))
	}, bad: "must normalise the last axis"},
	{op: "RMSNormalization", build: func(m maker) *graph.Node {
		return m.Op("RMSNormalization", nodes{in(m, "x", "4", "4"), in(m, "g", "4")})
	}, want: "float32[4,4]"},
	{op: "RMSNormalization", build: func(m maker) *graph.Node {
		return raw(m, "RMSNormalization", "axis", int64(2), in(m, "x", "4", "4"), in(m, "g", "4"))
	}, bad: "axis 2 is out of range"},

	{op: "RotaryEmbedding", build: rotary("1,2,3,8", "1,3,4", "1,3,4", 0), want: "float32[1,2,3,8]"},
	{op: "RotaryEmbedding", build: rotary("1,2,3,8", "1,3,4", "1,3,4", 8), want: "float32[1,2,3,8]"},
	{op: "RotaryEmbedding", build: rotary("1,2,3,0", "1,3,0", "1,3,0", 0), want: "float32[1,2,3,0]"},
	{op: "RotaryEmbedding", build: rotary("1,2,3,8", "1,3,4", "1,3,4", 10), bad: "even rotated width of at most K, not 10"},
	{op: "RotaryEmbedding", build: rotary("1,2,3,8", "1,3,4", "1,3,4", -2), bad: "even rotated width of at most K, not -2"},
	{op: "RotaryEmbedding", build: rotary("2,3,8", "2,8,4", "2,8,4", 8), bad: "needs x [B,H,T,K]"},
	{op: "RotaryEmbedding", build: rotary("1,2,3,seq", "1,3,0", "1,3,0", 0), bad: "needs x [B,H,T,K]"},
	{op: "RotaryEmbedding", build: rotary("1,2,3,8", "1,3,3", "1,3,4", 8), bad: "cos and sin of shape [1,3,4]"},
	{op: "RotaryEmbedding", build: rotary("1,2,3,8", "1,3,4", "1,2,4", 8), bad: "cos and sin of shape [1,3,4]"},
	{op: "RotaryEmbedding", build: func(m maker) *graph.Node {
		return m.Op("RotaryEmbedding", []*graph.Node{in(m, "x", "1", "2", "3", "8"), in(m, "c", "1", "3", "4"), ints(m, "s", "1", "3", "4")}, graph.Attr{Name: "interleaved", Value: int64(1)}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(8)})
	}, bad: "input 2 must be [float32]"},

	{op: "Attention", build: attention("1,2,3,8", "1,2,5,8", "1,2,5,6"), want: "float32[1,2,3,6]"},
	{op: "Attention", build: attention("2,3,8", "1,2,5,8", "1,2,5,6"), bad: "of rank 4"},
	{op: "Attention", build: attention("1,2,3,8", "2,5,8", "1,2,5,6"), bad: "of rank 4"},
	{op: "Attention", build: attention("1,2,3,8", "1,2,5,8", "2,5,6"), bad: "of rank 4"},
	{op: "Attention", build: attention("2,2,3,8", "1,2,5,8", "1,2,5,6"), bad: "needs q [B,H,T,K]"},
	{op: "Attention", build: attention("1,4,3,8", "1,2,5,8", "1,2,5,6"), bad: "needs q [B,H,T,K]"},
	{op: "Attention", build: attention("1,2,3,8", "1,2,5,8", "1,2,4,6"), bad: "needs q [B,H,T,K]"},
	{op: "Attention", build: attention("1,2,3,8", "1,2,5,8", "1,3,5,6"), bad: "needs q [B,H,T,K]"},
	{op: "Attention", build: attention("1,2,3,7", "1,2,5,8", "1,2,5,6"), bad: "needs q [B,H,T,K]"},
	{op: "Attention", build: masked("1,2,3,5"), want: "float32[1,2,3,6]"},
	{op: "Attention", build: masked("1,2,1,5"), want: "float32[1,2,3,6]"},
	{op: "Attention", build: masked("7,2,3,5"), bad: "mask does not broadcast to [1,2,3,5]"},
	{op: "Attention", build: masked("1,2,3,3"), bad: "mask does not broadcast to [1,2,3,5]"},
	{op: "Attention", build: masked("2,3,5"), bad: "mask of rank 4"},
	{op: "Attention", build: func(m maker) *graph.Node {
		return m.Op("Attention", []*graph.Node{ints(m, "q", "1", "2", "3", "8"), in(m, "k", "1", "2", "5", "8"), in(m, "v", "1", "2", "5", "8")}, graph.Attr{Name: "scale", Value: float32(1)})
	}, bad: "input 0 must be [float32]"},
	{op: "Attention", build: func(m maker) *graph.Node {
		return m.Op("Attention", []*graph.Node{in(m, "q", "1", "2", "3", "8"), in(m, "k", "1", "2", "5", "8"), ints(m, "v", "1", "2", "5", "8")}, graph.Attr{Name: "scale", Value: float32(1)})
	}, bad: "input 2 must be [float32]"},
}

func rotary(x, cos, sin string, width int) func(m maker) *graph.Node {
	return func(m maker) *graph.Node {
		return m.Op("RotaryEmbedding", []*graph.Node{in(m, "x", axes(x)...), in(m, "cos", axes(cos)...), in(m, "sin", axes(sin)...)}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(width)})
	}
}

func attention(q, k, v string) func(m maker) *graph.Node {
	return func(m maker) *graph.Node {
		return m.Op("Attention", []*graph.Node{in(m, "q", axes(q)...), in(m, "k", axes(k)...), in(m, "v", axes(v)...)}, graph.Attr{Name: "scale", Value: float32(1)})
	}
}

func masked(mask string) func(m maker) *graph.Node {
	return func(m maker) *graph.Node {
		return m.Op("Attention", []*graph.Node{in(m, "q", axes("1,2,3,8")...), in(m, "k", axes("1,2,5,8")...), in(m, "v", axes("1,2,5,6")...), in(m, "mask", axes(mask)...)}, graph.Attr{Name: "scale", Value: float32(1)})
	}
}

func axes(list string) []string { return strings.Split(list, ",") }
