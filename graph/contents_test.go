package graph

import (
	"fmt"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
)

// TestContents has what is known of lists of lengths after each operator that keeps it, as shapes of other exporters'
// files are computed; "unknown" where nothing is.
func TestContents(t *testing.T) {
	b := NewBuilder()
	x := b.Input("x", tensor.Float32, Sym("batch"), Sym("past").Add(Sym("seq")), N(64))
	shape := b.Op("Shape", []*Node{x})
	data := b.Input("data", tensor.Int64, N(3))
	op := func(op string, in ...*Node) *Node { return b.Op(op, in) }
	gather := func(x, at *Node) *Node { return b.Gather(x, at, 0) }
	scalar := func(v int64) *Node { return b.Const(tensor.Of([]int64{v})) }
	ones := op("Expand", scalar(1), b.Ints(3))
	asked := b.Concat(0, gather(shape, b.Ints(0)), b.Ints(-1, 64))
	less := op("Greater", b.Ints(1), b.Ints(2))
	for _, tc := range []struct {
		name, want string
		n          *Node
	}{
		{"Shape", "[batch past+seq 64]", shape},
		{"Gather of one", "[past+seq]", gather(shape, scalar(1))},
		{"Gather from the end", "[64 batch]", gather(shape, b.Ints(-1, 0))},
		{"Gather beyond", "unknown", gather(shape, b.Ints(3))},
		{"Gather of data", "unknown", gather(data, b.Ints(0))},
		{"Gather at data", "unknown", gather(shape, data)},
		{"Slice", "[past+seq 64]", op("Slice", shape, b.Ints(1), b.Ints(1<<40), b.Ints(0), b.Ints(1))},
		{"Slice of none", "[]", op("Slice", shape, b.Ints(2), b.Ints(1), b.Ints(0), b.Ints(1))},
		{"Slice of data", "unknown", op("Slice", data, b.Ints(0), b.Ints(1), b.Ints(0), b.Ints(1))},
		{"Cast", "[batch past+seq 64]", b.Op("Cast", []*Node{shape}, Attr{"to", int64(tensor.Int64.ONNX())})},
		{"Cast of floats", "unknown", b.Cast(b.Input("f", tensor.Float32, N(1)), tensor.Int64)},
		{"Unsqueeze", "[past+seq]", b.Unsqueeze(gather(shape, scalar(1)), 0)},
		{"Mul", "[2*batch 2*past+2*seq 128]", op("Mul", shape, scalar(2))},
		{"Mul of lists", "[batch*batch batch*past+batch*seq 4096]", op("Mul", shape, b.Concat(0, b.Len(Sym("batch")), b.Len(Sym("batch")), b.Ints(64)))},
		{"Mul of data", "unknown", op("Mul", shape, data)},
		{"Add", "[past+seq+1]", op("Add", gather(shape, b.Ints(1)), scalar(1))},
		{"Div", "[past+seq]", op("Div", op("Mul", gather(shape, b.Ints(1)), scalar(2)), scalar(2))},
		{"Div of numbers", "[-2]", op("Div", b.Ints(-5), b.Ints(2))},
		{"Div by 0", "unknown", op("Div", b.Ints(5), b.Ints(0))},
		{"Div of 0 by 0", "unknown", op("Div", b.Ints(0), b.Ints(0))},
		{"Div with a rest", "unknown", op("Div", gather(shape, b.Ints(1)), scalar(2))},
		{"Expand", "[1 1 1]", ones},
		{"Expand of several", "[batch past+seq 64]", op("Expand", shape, b.Ints(3))},
		{"Expand to many", "unknown", op("Expand", scalar(1), b.Ints(maxContents+1))},
		{"Expand to a length", "unknown", b.Expand(b.Ints(1), Sym("batch"))},
		{"Where of −1", "[batch 1 64]", op("Where", op("Equal", asked, op("Mul", ones, scalar(-1))), ones, asked)},
		{"Where of what may be equal", "unknown", op("Where", op("Equal", asked, ones), ones, asked)},
		{"Where of another comparison", "unknown", op("Where", less, b.Ints(1), b.Ints(2))},
		{"Where of data", "unknown", op("Where", op("Equal", asked, op("Mul", ones, scalar(-1))), ones, data)},
	} {
		got := "unknown"
		if tc.n.dims != nil {
			got = fmt.Sprint(tc.n.dims)
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestDiffers: lengths differ for certain where one is larger whatever the names stand for.
func TestDiffers(t *testing.T) {
	for _, tc := range []struct {
		x, y string
		want bool
	}{
		{"1", "2", true}, {"batch", "-1", true}, {"batch*past+seq", "-3", true}, {"-1", "batch", true}, {"seq+2", "seq", true},
		{"batch", "0", false}, {"batch", "1", false}, {"seq", "past", false}, {"seq+1", "past", false}, {"seq", "seq", false},
	} {
		x, _ := ParseDim(tc.x)
		y, _ := ParseDim(tc.y)
		if got := x.differs(y); got != tc.want {
			t.Errorf("%s and %s: %v, want %v", tc.x, tc.y, got, tc.want)
		}
	}
}
