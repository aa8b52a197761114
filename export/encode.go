package export

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// checkWeights matches the weights against the graph's parameters.
func checkWeights(g *graph.Graph, weights map[string]*tensor.Tensor, asInputs bool) error {
	if asInputs {
		if len(weights) > 0 {
			return fmt.Errorf("%d weights given, but the parameters are inputs: pass none", len(weights))
		}
		return nil
	}
	for _, p := range g.Params {
		t := weights[p.Name]
		if t == nil {
			return fmt.Errorf("parameter %s (%s) has no weight", p.Name, p.Type())
		}
		same := t.DType() == p.DType && len(t.Shape()) == len(p.Shape)
		for i := 0; same && i < len(p.Shape); i++ {
			same = p.Shape[i] == graph.N(t.Shape()[i])
		}
		if !same {
			return fmt.Errorf("parameter %s is %s, but its weight is %v", p.Name, p.Type(), t)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if !slices.ContainsFunc(g.Params, func(p *graph.Node) bool { return p.Name == name }) {
			return fmt.Errorf("weight %s belongs to no parameter of the graph", name)
		}
		if err := tensor.CheckFinite(weights[name]); err != nil {
			return fmt.Errorf("weight %s: %w", name, err)
		}
	}
	return nil
}

// checkSize refuses what cannot fit into one protobuf message of limit bytes, with weights smaller than least.
func checkSize(g *graph.Graph, weights map[string]*tensor.Tensor, limit, least int) error {
	total := 0
	for _, t := range weights {
		if size := t.DType().Bytes(t.Len()); size < least {
			total += size
		}
	}
	for _, n := range g.Nodes {
		if n.Op == graph.OpConstant {
			total += n.DType.Bytes(n.Value.Len())
		}
		total += 1024 // more than names and attributes of a node take
	}
	if total > limit {
		return fmt.Errorf("the model takes %d bytes, and an ONNX file without external data holds at most %d: write it "+
			"with a data file beside it (zoo export to a file; Options.Name)", total, limit)
	}
	return nil
}

func valueInfo(name string, n *graph.Node, doc string) *onnxpb.ValueInfoProto {
	v := onnxpb.NewValueInfo(name, n.DType.ONNX(), graph.AxisStrings(n.Shape)...)
	v.DocString = doc
	return v
}

// tensorProto stores a tensor's elements as raw_data.
func tensorProto(name string, t *tensor.Tensor) *onnxpb.TensorProto {
	dims := lists.Map(t.Shape(), func(d int) int64 { return int64(d) })
	return &onnxpb.TensorProto{Name: name, Dims: dims, DataType: t.DType().ONNX(), RawData: t.Raw()}
}

func attributeProto(a graph.Attr) (*onnxpb.AttributeProto, error) {
	p := &onnxpb.AttributeProto{Name: a.Name}
	switch v := a.Value.(type) {
	case int64:
		p.Type, p.I = onnxpb.AttributeInt, &v
	case []int64:
		p.Type, p.Ints = onnxpb.AttributeInts, v
	case float32:
		p.Type, p.F = onnxpb.AttributeFloat, &v
	case string:
		p.Type, p.S = onnxpb.AttributeString, []byte(v)
	default:
		return nil, fmt.Errorf("attribute %s is a %T; ONNX attributes here are int64, []int64, float32 or string",
			a.Name, a.Value)
	}
	return p, nil
}

// checkPortable reports why a graph is not in the portable profile: operators of opset 18 (21 with weights in blocks) of the default
// domain, and no initializer that is bool or empty. Old runtimes, providers and importers stumble over
// everything else.
func checkPortable(g *graph.Graph) error {
	for _, n := range g.Nodes {
		if n.Op != graph.OpConstant && n.Op != graph.OpParam {
			continue
		}
		if err := checkPortableInitializer(n); err != nil {
			return fmt.Errorf("not portable: %s %s (%s): %w", n.Op, n.Name, n.Type(), err)
		}
	}
	return nil
}

func checkPortableInitializer(n *graph.Node) error {
	if n.DType == tensor.Bool {
		return errors.New("a bool initializer; store numbers and compare them")
	}
	for _, d := range n.Shape {
		if d == graph.N(0) {
			return errors.New("an empty initializer")
		}
	}
	return nil
}
