package pe

import (
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// sumFrom returns, for each element, the sum of itself and those after it along the last axis.
func sumFrom(b *graph.Builder, x *graph.Node) *graph.Node { return sumBack(b, x, 0) }

// sumAfter returns, for each element, the sum of those after it along the last axis.
func sumAfter(b *graph.Builder, x *graph.Node) *graph.Node { return sumBack(b, x, 1) }

func sumBack(b *graph.Builder, x *graph.Node, exclusive int64) *graph.Node {
	return b.Op("CumSum", []*graph.Node{x, b.Const(tensor.Of([]int64{-1}))},
		graph.Attr{Name: "exclusive", Value: exclusive}, graph.Attr{Name: "reverse", Value: int64(1)})
}
