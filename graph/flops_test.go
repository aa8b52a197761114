package graph_test

import (
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

func TestMatrixFLOPs(t *testing.T) {
	b := graph.NewBuilder()
	B, T := graph.Sym("batch"), graph.Sym("seq")
	x := b.Input("x", tensor.Float32, B, T, graph.N(8))
	rows := b.Gemm(b.Reshape(x, B.Mul(T), graph.N(8)), b.Param("w", 5, 8), false, true)
	scores := b.MatMul(x, b.Transpose(x, 0, 2, 1))
	head := b.Unsqueeze(x, 1)
	mixed := b.Attention(head, head, head, nil, 1)
	g, err := b.Build(graph.Output{Name: "rows", Node: rows}, graph.Output{Name: "scores", Node: scores}, graph.Output{Name: "mixed", Node: mixed})
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.MatrixFLOPs(map[string]int{"batch": 2, "seq": 3})
	// Gemm 2·(2·3)·5·8, MatMul 2·2·3·3·8, Attention 2·(2·3·3·8 twice)
	if want := 480.0 + 288 + 576; err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if _, err := g.MatrixFLOPs(map[string]int{"batch": 2}); err == nil {
		t.Error("no error for an unknown length")
	}
}
