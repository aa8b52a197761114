package export_test

import (
	"bytes"
	"fmt"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

func Example() {
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.Sym("batch"), graph.N(2))
	y := b.Gemm(x, b.Param("proj.weight", tensor.Float32, 3, 2), false, true)
	g, err := b.Build(graph.Output{Name: "y", Node: y})
	if err != nil {
		fmt.Println(err)
		return
	}
	weights := map[string]*tensor.Tensor{"proj.weight": tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 3, 2)}
	var file bytes.Buffer
	if err := export.Write(&file, g, weights, export.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	parsed, err := safety.Check(file.Bytes(), safety.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, weights, err = export.Read(parsed)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(g)
	fmt.Println(weights["proj.weight"])
	// Output:
	// input x : float32[batch,2]
	// param proj.weight : float32[3,2]
	// %0 = Gemm(x, proj.weight) {transB=1} : float32[batch,3]
	// output y = %0 : float32[batch,3]
	// float32[3,2]
}

func ExampleInspect() {
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.Sym("batch"))
	g, err := b.Build(graph.Output{Name: "y", Node: b.Add(x, x)})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := export.Write(&file, g, nil, export.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	r, err := export.Inspect(file.Bytes(), nil)
	fmt.Println(r.Inputs, r.Ops, err)
	fmt.Println(r.CardProblem)
	// Output:
	// [x float32[batch]] map[Add:1] <nil>
	// card: no model card: metadata has no zoo.schema: the file was not written by zoo
}
