package native

import (
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// TestFoldedIsBounded: a small file does not fill the memory when it is opened.
func TestFoldedIsBounded(t *testing.T) {
	const length = 1 << 21
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.N(1))
	sum := x
	for i := range 12 {
		sum = b.Add(sum, b.ReduceSum(b.Neg(b.Expand(b.Float(float64(i)), graph.N(length))), true, 0))
		sum = b.Add(sum, b.Gather(b.Neg(b.Expand(b.Float(float64(-i)), graph.N(length))), b.Cast(sum, tensor.Int64), 0))
	}
	g, err := b.Build(graph.Output{Name: "y", Node: sum})
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile(g, nil, engine.File{Inputs: []card.Port{{Name: "x"}}, Outputs: []card.Port{{Name: "y"}}})
	if err != nil {
		t.Fatal(err)
	}
	folded := 0
	for _, q := range p.nodes {
		if q.when == always && q.node.Op != graph.OpConstant && q.value != nil {
			folded += q.value.Len()
		}
	}
	if folded == 0 || folded > foldedAnyway {
		t.Errorf("%d numbers are computed when the model is opened, want up to %d", folded, foldedAnyway)
	}
}
