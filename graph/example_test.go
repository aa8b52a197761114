package graph_test

import (
	"fmt"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// The derivative of Σ relu(x·w) by w is ordinary nodes, for any number of rows.
func Example() {
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.Sym("rows"), graph.N(3))
	w := b.Param("w", tensor.Float32, 3, 2)
	loss := b.ReduceSum(b.Relu(b.MatMul(x, w)), false, 0, 1)
	dw := graph.Gradient(b, loss, []*graph.Node{w})[0]
	g, err := b.Build(graph.Output{Name: "loss", Node: loss}, graph.Output{Name: "dw", Node: dw})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(g)
	// Output:
	// input x : float32[rows,3]
	// param w : float32[3,2]
	// %0 = MatMul(x, w) : float32[rows,2]
	// %1 = Relu(%0) : float32[rows,2]
	// %2 = ReduceSum(%1, int64[0,1]) {keepdims=0} : float32[]
	// %3 = Reshape(const(float32[] [1]), int64[1,1]) : float32[1,1]
	// %4 = Shape(x) {end=1, start=0} : int64[1]
	// %5 = Concat(%4, int64[2]) {axis=0} : int64[2]
	// %6 = Expand(%3, %5) : float32[rows,2]
	// %7 = Greater(%1, const(float32[] [0])) : bool[rows,2]
	// %8 = Where(%7, %6, const(float32[] [0])) : float32[rows,2]
	// %9 = Transpose(x) {perm=[1 0]} : float32[3,rows]
	// %10 = MatMul(%9, %8) : float32[3,2]
	// output loss = %2 : float32[]
	// output dw = %10 : float32[3,2]
}

// What does not fit is an error of Build that names operator and shapes.
func ExampleBuilder_Build() {
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.Sym("rows"), graph.N(3))
	_, err := b.Build(graph.Output{Name: "y", Node: b.MatMul(x, b.Param("w", tensor.Float32, 4, 2))})
	fmt.Println(err != nil)
	// Output: true
}
