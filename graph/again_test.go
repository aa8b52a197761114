package graph_test

import (
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// normed is a product of y with a weight, where y is x scaled by rows, by columns (whose
// scale may be the first factor), and by a constant if wanted. It returns the node from which the gradient of the weight
// takes y.
func normed(t *testing.T, constant, first bool) (y, read *graph.Node) {
	t.Helper()
	b := graph.NewBuilder()
	x := b.Exp(b.Input("x", tensor.Float32, batch, graph.N(3)))
	r := b.Op("Reciprocal", []*graph.Node{b.ReduceMean(x, true, -1)})
	y = b.Mul(b.Param("gain", tensor.Float32, 3), b.Mul(x, r))
	if !first {
		y = b.Mul(b.Mul(x, r), b.Param("gain", tensor.Float32, 3))
	}
	if constant {
		y = b.Mul(y, b.Float(0.3))
	}
	w := b.Param("w", tensor.Float32, 3, 2)
	dw := graph.Gradient(b, b.ReduceSum(b.Gemm(y, w, false, false), false), []*graph.Node{w})[0]
	if _, err := b.Build(graph.Output{Name: "dw", Node: dw}); err != nil {
		t.Fatal(err)
	}
	return y, dw.Inputs[0]
}

// What is only scaled is scaled once more for the backward pass, by nodes that nothing
// can merge with the forward pass's.
func TestProductsAreComputedAgain(t *testing.T) {
	for _, first := range []bool{false, true} {
		y, read := normed(t, false, first)
		gain, rows := 1, 0
		if first {
			gain, rows = 0, 1
		}
		if read == y || read.Op != "Mul" || read.Inputs[rows] != y.Inputs[gain] {
			t.Fatalf("the gradient reads %s(%s, %s), want the product with its factors exchanged",
				read.Op, read.Inputs[0].Name, read.Inputs[1].Name)
		}
		inner, was := read.Inputs[gain], y.Inputs[rows]
		if inner == was || inner.Op != "Mul" || inner.Inputs[0] != was.Inputs[1] || inner.Inputs[1] != was.Inputs[0] {
			t.Errorf("the scaled rows are %s, want them computed again from what was scaled", inner.Name)
		}
	}
}

// Constant factors stay where they are: ONNX Runtime would fold them into the products
// that alone read them, and round differently.
func TestConstantFactorsStay(t *testing.T) {
	if y, read := normed(t, true, false); read != y {
		t.Errorf("the gradient reads %s, want %s of the forward pass", read.Name, y.Name)
	}
}

// Bytes that become floats are floats once more for the backward pass, from the same bytes.
func TestBytesAreWidenedAgain(t *testing.T) {
	b := graph.NewBuilder()
	x := b.Param("x", tensor.Float32, 2, 3)
	f := b.Op("DequantizeLinear", []*graph.Node{b.Input("mask", tensor.Uint8, graph.N(2), graph.N(3)), b.Float(2)})
	dx := graph.Gradient(b, b.ReduceSum(b.Mul(x, f), false), []*graph.Node{x})[0]
	if _, err := b.Build(graph.Output{Name: "dx", Node: dx}); err != nil {
		t.Fatal(err)
	}
	read := dx.Inputs[1]
	if read == f || read.Op != f.Op || read.Inputs[0] != f.Inputs[0] || read.Inputs[1] != f.Inputs[1] || len(read.Attrs) == len(f.Attrs) {
		t.Errorf("the gradient reads %s of %s, want the mask of another node", read.Op, read.Inputs[0].Name)
	}
}

// Weights of attention over a long sequence are made once more for the backward pass, from parts of queries and keys that are
// sliced once more, too; those over a short one are kept.
func TestWeightsAreComputedAgain(t *testing.T) {
	for _, rows := range []int{256, 512} {
		b := graph.NewBuilder()
		axis := func(name string) *graph.Node { return b.Param(name, tensor.Float32, 1, 2, 2*rows, 4) }
		part := func(x *graph.Node) *graph.Node { return b.Slice(x, 2, graph.N(0), graph.N(rows)) }
		q, k, v := axis("q"), axis("k"), axis("v")
		weights := b.Softmax(b.Add(b.MatMul(part(q), b.Transpose(part(k), 0, 1, 3, 2)), b.Float(1)), -1)
		y := b.MatMul(weights, part(v))
		grads := graph.Gradient(b, b.ReduceSum(b.Mul(y, y), false), []*graph.Node{q, k, v})
		g, err := b.Build(graph.Output{Name: "y", Node: y}, graph.Output{Name: "dq", Node: grads[0]},
			graph.Output{Name: "dk", Node: grads[1]}, graph.Output{Name: "dv", Node: grads[2]})
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, n := range g.Nodes {
			count[n.Op]++
		}
		want := 1 // of the weights
		if rows >= 512 {
			want = 2
		}
		if count["Softmax"] != want {
			t.Errorf("%d rows: %d nodes of Softmax, want %d", rows, count["Softmax"], want)
		}
	}
}
