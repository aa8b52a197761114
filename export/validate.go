package export

import (
	"errors"
	"fmt"
	"maps"
	"math"
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
		if err := checkElement(t.DataType); err != nil {
			return fmt.Errorf("initializer %s: %w", onnxpb.Quote(t.Name), err)
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
		err := checkNode(n, opset)
		for _, a := range n.Attribute {
			if a.T != nil {
				vectors += lengths(a.T)
			}
			vectors += len(a.Ints)
		}
		if err == nil && vectors > maxLengths {
			err = fmt.Errorf("the int64 vectors have %d elements so far; supported are %d", vectors, maxLengths)
		}
		if err != nil {
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
	row, isComposed := composed[n.OpType]
	if !isComposed {
		row = composition{min: 1, max: math.MaxInt}
	}
	if !isComposed && graph.Opset(n.OpType, 0, nil) == 0 {
		return fmt.Errorf("the operator is not supported; the supported ones are %s", strings.Join(operators(), ", "))
	}
	inputs := trimmed(n.Input)
	if len(inputs) < row.min || len(inputs) > row.max || len(n.Output) < 1 || len(n.Output) > max(row.outputs, 1) || n.Output[0] == "" {
		return fmt.Errorf("it has %d inputs and %d outputs; supported are %s, and %s", len(inputs), len(n.Output),
			span(row.min, row.max), span(1, max(row.outputs, 1)))
	}
	for i, in := range inputs {
		if in == "" && (!isComposed || i < row.min) {
			return fmt.Errorf("input %d is left out, which is not supported", i)
		}
	}
	for _, a := range n.Attribute {
		if isComposed && !slices.Contains(row.attrs, a.Name) {
			return fmt.Errorf("it has the unknown attribute %s", onnxpb.Quote(a.Name))
		}
		switch a.Type {
		case onnxpb.AttributeInt, onnxpb.AttributeInts,
			onnxpb.AttributeFloat, onnxpb.AttributeString:
			continue
		case onnxpb.AttributeTensor, onnxpb.AttributeFloats:
			if isComposed && strings.HasPrefix(a.Name, "value") {
				continue
			}
		}
		return fmt.Errorf("attribute %s is of kind %v; supported are INT, INTS, FLOAT and STRING",
			onnxpb.Quote(a.Name), a.Type)
	}
	if need := max(row.since, graph.Opset(n.OpType, len(inputs), attributesOf(n))); opset < need {
		return fmt.Errorf("it needs opset %d, and the file is opset %d", need, opset)
	}
	return nil
}

func span(least, most int) string {
	switch most {
	case least:
		return fmt.Sprint(most)
	case math.MaxInt:
		return fmt.Sprintf("%d or more", least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// operators has the names of all operators that a file may hold, sorted.
func operators() []string {
	names := slices.AppendSeq(graph.Ops(), maps.Keys(composed))
	slices.Sort(names)
	return slices.Compact(names)
}

// checkType checks the declared type of an input or output. Whether the axes
// make sense is left to typeOf.
func checkType(v *onnxpb.ValueInfoProto) error {
	t := onnxpb.TensorOf(v)
	if err := checkElement(t.ElemType); err != nil || t.Shape != nil {
		return err
	}
	return errors.New("its shape is not declared")
}
