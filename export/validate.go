package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// checkFlat checks everything about a file that can be checked without shape rules: that it is
// safe, and that it is one flat graph over what package graph knows. Nothing is decoded that has
// not passed here.
func checkFlat(f *safety.File) error {
	opset, err := checkHeader(f.Proto)
	if err != nil {
		return err
	}
	if err := f.Validate(); err != nil {
		return err
	}
	return checkGraph(f.Proto.Graph, opset)
}

// checkHeader returns the opset of the default domain.
func checkHeader(m *onnxpb.ModelProto) (opset int, err error) {
	for _, o := range m.OpsetImport {
		if !onnxpb.DefaultDomain(o.Domain) {
			return 0, fmt.Errorf("the model imports the operator domain %q; only ONNX's default domain is supported",
				o.Domain)
		}
		if opset != 0 || o.Version < minOpset || o.Version > maxOpset {
			return 0, fmt.Errorf("opset %d; supported is one opset from %d to %d", o.Version, minOpset, maxOpset)
		}
		opset = int(o.Version)
	}
	return opset, nil
}

func checkGraph(g *onnxpb.GraphProto, opset int) error {
	inputs := map[string]bool{}
	for _, in := range g.Input {
		if err := checkType(in); err != nil {
			return fmt.Errorf("input %s: %w", onnxpb.Quote(in.Name), err)
		}
		inputs[in.Name] = true
	}
	vectors := 0 // elements of int64 vectors seen so far
	for _, t := range g.Initializer {
		if inputs[t.Name] {
			return fmt.Errorf("initializer %s: its name is taken by an input", onnxpb.Quote(t.Name))
		}
		if _, ok := dtypeOf(t.DataType); !ok {
			return fmt.Errorf("initializer %s: its element type is %s (%d); supported are %s",
				onnxpb.Quote(t.Name), typeName(t.DataType), t.DataType, heldText())
		}
		if vectors += lengths(t); vectors > maxLengths {
			return fmt.Errorf("initializer %s: the int64 vectors have %d elements so far; supported are %d",
				onnxpb.Quote(t.Name), vectors, maxLengths)
		}
	}
	if len(g.Node) == 0 {
		return fmt.Errorf("the graph has no nodes")
	}
	for _, n := range g.Node {
		if slices.ContainsFunc(n.Attribute, func(a *onnxpb.AttributeProto) bool { return a.G != nil }) {
			return fmt.Errorf("node %s (%s) has a graph within it; graphs here are flat, and ONNX Runtime alone runs "+
				"such a file", onnxpb.Quote(n.Name), onnxpb.Quote(n.OpType))
		}
	}
	for i, n := range g.Node {
		if err := checkNode(n, opset); err != nil {
			return fmt.Errorf("node %d %s (%s): %w", i, onnxpb.Quote(n.Name), onnxpb.Quote(n.OpType), err)
		}
	}
	for _, o := range g.Output {
		if err := checkType(o); err != nil {
			return fmt.Errorf("output %s: %w", onnxpb.Quote(o.Name), err)
		}
	}
	return nil
}

func checkNode(n *onnxpb.NodeProto, opset int) error {
	if !onnxpb.DefaultDomain(n.Domain) {
		return fmt.Errorf("it is from the operator domain %s; only ONNX's default domain is supported", onnxpb.Quote(n.Domain))
	}
	if n.OpType != opIdentity && graph.Opset(n.OpType, 0, nil) == 0 {
		return fmt.Errorf("the operator is not supported; the supported ones are %s", strings.Join(graph.Ops(), ", "))
	}
	if len(n.Input) == 0 || len(n.Output) != 1 || n.Output[0] == "" {
		return fmt.Errorf("it has %d inputs and %d outputs; supported are 1 or more, and 1",
			len(n.Input), len(n.Output))
	}
	if i := slices.Index(n.Input, ""); i >= 0 {
		return fmt.Errorf("input %d is left out, which is not supported", i)
	}
	for _, a := range n.Attribute {
		switch a.Type {
		case onnxpb.AttributeProto_INT, onnxpb.AttributeProto_INTS,
			onnxpb.AttributeProto_FLOAT, onnxpb.AttributeProto_STRING:
		default:
			return fmt.Errorf("attribute %s is of kind %v; supported are INT, INTS, FLOAT and STRING",
				onnxpb.Quote(a.Name), a.Type)
		}
	}
	if need := graph.Opset(n.OpType, len(n.Input), attributesOf(n)); opset < need {
		return fmt.Errorf("it needs opset %d, and the file is opset %d", need, opset)
	}
	return nil
}

// checkType checks the declared type of an input or output. Whether the axes
// make sense is left to typeOf.
func checkType(v *onnxpb.ValueInfoProto) error {
	t := v.GetType().GetTensorType()
	if _, ok := dtypeOf(t.ElemType); !ok {
		return fmt.Errorf("its element type is %s (%d); supported are %s",
			typeName(t.ElemType), t.ElemType, heldText())
	}
	if t.Shape == nil {
		return fmt.Errorf("its shape is not declared")
	}
	return nil
}
