package interp_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
)

func Example() {
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.Sym("rows"), graph.N(2))
	g, err := b.Build(graph.Output{Name: "y", Node: b.MatMul(x, b.Param("w", tensor.Float32, 2, 1))})
	if err != nil {
		fmt.Println(err)
		return
	}
	feed := map[string]*tensor.Tensor{"x": tensor.Of([]float32{1, 2, 3, 4}, 2, 2)}
	params := map[string]*tensor.Tensor{"w": tensor.Of([]float32{10, 1}, 2, 1)}
	out, err := interp.New(g, tensor.Float32).Run(context.Background(), feed, params)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out["y"], tensor.Data[float32](out["y"]))
	// Output: float32[2,1] [12 34]
}
