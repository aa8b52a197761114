package graph_test

import (
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

func TestPeakBytes(t *testing.T) {
	b := graph.NewBuilder()
	T := graph.Sym("seq")
	x := b.Input("x", tensor.Float32, T, graph.N(4))
	wide := b.MatMul(x, b.Param("up", tensor.Float32, 4, 100)) // 400 bytes per row
	again := b.Reshape(wide, graph.N(100), T)                  // the same memory
	// 400 more, and then the first are free
	both := b.Add(again, b.Reshape(wide, again.Shape...))
	narrow := b.MatMul(b.Reshape(both, T, graph.N(100)), b.Param("down", tensor.Float32, 100, 4)) // 16
	y := b.Relu(narrow)                                                                           // the output: not counted
	g, err := b.Build(graph.Output{Name: "y", Node: y})
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.PeakBytes(map[string]int{"seq": 3})
	if want := 3 * 800.0; err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if got, err := g.PeakBytes(nil); err == nil || got != 0 {
		t.Errorf("got %v, %v for an unknown length", got, err)
	}
}

// TestPeakBytesOfChain: of a chain two values are alive at once.
func TestPeakBytesOfChain(t *testing.T) {
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.N(5), graph.N(7))
	for range 4 {
		x = b.Exp(x)
	}
	g, err := b.Build(graph.Output{Name: "y", Node: b.ReduceSum(x, false)})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := g.PeakBytes(nil); err != nil || got != 2*4*5*7 {
		t.Errorf("got %v, %v; want %v", got, err, 2*4*5*7)
	}
}

// The weights of a fused attention exist while it runs.
func TestPeakBytesOfAttention(t *testing.T) {
	b := graph.NewBuilder()
	q := b.Input("q", tensor.Float32, graph.N(2), graph.N(3), graph.N(5), graph.N(8))
	k := b.Input("k", tensor.Float32, graph.N(2), graph.N(3), graph.N(7), graph.N(8))
	g, err := b.Build(graph.Output{Name: "y", Node: b.Op("Attention", []*graph.Node{q, k, k}, graph.Attr{Name: "scale", Value: float32(1)})})
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.PeakBytes(nil)
	if want := 4.0 * 2 * 3 * 5 * 7; err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}
