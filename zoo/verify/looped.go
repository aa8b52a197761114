package verify

import (
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// looped returns the parts of a file of answers that are the model's graph, each as a graph of
// its own: the one within the Loop, and where it takes several tokens the one before it. What
// package export adds around them is left out. Their inputs and outputs are values within, which
// a file declares no types for: they have those that were meant.
func looped(loop *onnxpb.NodeProto, outer *onnxpb.GraphProto, g *graph.Graph) []*onnxpb.GraphProto {
	const added = "answer/"
	flats := []*onnxpb.GraphProto{within(bodyOf(loop), "turn/", g)}
	if ids := g.Input(card.InputIDs.Name); ids != nil && ids.Dim(1) != graph.N(1) {
		flats = append(flats, within(outer, "prompt/", g))
	}
	for _, t := range outer.Initializer {
		if strings.HasPrefix(t.Name, added) {
			continue
		}
		for _, f := range flats {
			f.Initializer = append(f.Initializer, t)
		}
	}
	return flats
}

// within returns the nodes whose names begin with a prefix, without it, as a graph.
func within(all *onnxpb.GraphProto, prefix string, g *graph.Graph) *onnxpb.GraphProto {
	plain := func(names []string) []string {
		return lists.Map(names, func(n string) string { return strings.TrimPrefix(n, prefix) })
	}
	flat := &onnxpb.GraphProto{Name: all.Name}
	for _, n := range all.Node {
		if strings.HasPrefix(n.Name, prefix) {
			flat.Node = append(flat.Node, &onnxpb.NodeProto{
				OpType: n.OpType, Attribute: n.Attribute, Input: plain(n.Input), Output: plain(n.Output),
			})
		}
	}
	flat.Input = lists.Map(g.Inputs, func(in *graph.Node) *onnxpb.ValueInfoProto { return meant(in.Name, in) })
	flat.Output = lists.Map(g.Outputs, func(o graph.Output) *onnxpb.ValueInfoProto { return meant(o.Name, o.Node) })
	return flat
}

// meant declares a value as a node of the graph has it.
func meant(name string, n *graph.Node) *onnxpb.ValueInfoProto {
	return onnxpb.NewValueInfo(name, n.DType.ONNX(), graph.AxisStrings(n.Shape)...)
}
