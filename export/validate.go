package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/export/internal/onnxpb"
	"github.com/nopezoo/zoo/graph"
)

// Limits that no model of ours comes near; they keep hostile files cheap.
const (
	maxIR         = 13
	maxInputs     = 1 << 14 // of a graph
	maxNodeInputs = 1 << 12
	maxRank       = 16
	maxName       = 1 << 10
)

// validate checks everything about a parsed file that can be checked without
// shape rules. Nothing reaches onnx-go that has not passed here.
func validate(m *onnxpb.ModelProto) error {
	opset, err := checkHeader(m)
	if err != nil {
		return err
	}
	v := validator{opset: opset, defined: map[string]bool{}, made: map[string]bool{}}
	return v.graph(m.Graph)
}

// checkHeader checks versions and refuses what a flat graph cannot have. It
// returns the opset of the default domain.
func checkHeader(m *onnxpb.ModelProto) (opset int, err error) {
	if m.IrVersion < 3 || m.IrVersion > maxIR {
		return 0, fmt.Errorf("ir_version %d; supported are 3 to %d", m.IrVersion, maxIR)
	}
	for _, o := range m.OpsetImport {
		if !defaultDomain(o.Domain) {
			return 0, fmt.Errorf("the model imports the operator domain %q; only ONNX's default domain is supported", o.Domain)
		}
		if opset != 0 || o.Version < minOpset || o.Version > maxOpset {
			return 0, fmt.Errorf("opset %d; supported is one opset from %d to %d", o.Version, minOpset, maxOpset)
		}
		opset = int(o.Version)
	}
	g := m.Graph
	for _, part := range []struct {
		name  string
		count int
	}{
		{"functions", len(m.Functions)}, {"training_info", len(m.TrainingInfo)},
		{"sparse initializers", len(g.SparseInitializer)}, {"quantization annotations", len(g.QuantizationAnnotation)},
	} {
		if part.count > 0 {
			return 0, fmt.Errorf("the model has %s, which are not supported", part.name)
		}
	}
	switch {
	case opset == 0:
		return 0, fmt.Errorf("the model names no opset of the default domain")
	case len(g.Node) == 0:
		return 0, fmt.Errorf("the graph has no nodes")
	case len(g.Output) == 0:
		return 0, fmt.Errorf("the graph has no outputs")
	case len(g.Input) > maxInputs:
		return 0, fmt.Errorf("the graph has %d inputs; supported are %d", len(g.Input), maxInputs)
	}
	return opset, nil
}

func defaultDomain(d string) bool { return d == "" || d == "ai.onnx" }

type validator struct {
	opset   int
	defined map[string]bool // values seen so far
	made    map[string]bool // outputs of any node, later ones too
	lengths int             // elements of int64 vectors seen so far
}

func (v *validator) graph(g *onnxpb.GraphProto) error {
	for _, in := range g.Input {
		if err := v.define(in.GetName()); err != nil {
			return fmt.Errorf("input %s: %w", quote(in.GetName()), err)
		}
		if err := checkType(in); err != nil {
			return fmt.Errorf("input %s: %w", quote(in.Name), err)
		}
	}
	for _, t := range g.Initializer {
		if err := v.define(t.GetName()); err != nil {
			return fmt.Errorf("initializer %s: %w", quote(t.GetName()), err)
		}
		if err := checkTensor(t); err != nil {
			return fmt.Errorf("initializer %s: %w", quote(t.Name), err)
		}
		if v.lengths += lengths(t); v.lengths > maxLengths {
			return fmt.Errorf("initializer %s: the int64 vectors have %d elements so far; supported are %d", quote(t.Name), v.lengths, maxLengths)
		}
	}
	for _, n := range g.Node {
		for _, o := range n.GetOutput() {
			v.made[o] = true
		}
	}
	for i, n := range g.Node {
		if err := v.node(n); err != nil {
			return fmt.Errorf("node %d %s (%s): %w", i, quote(n.GetName()), quote(n.GetOpType()), err)
		}
	}
	for _, o := range g.Output {
		if !v.defined[o.GetName()] {
			return fmt.Errorf("output %s: no node makes it", quote(o.GetName()))
		}
		if err := checkType(o); err != nil {
			return fmt.Errorf("output %s: %w", quote(o.Name), err)
		}
	}
	return nil
}

func (v *validator) define(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("it has no name")
	case len(name) > maxName:
		return fmt.Errorf("its name has %d bytes; supported are %d", len(name), maxName)
	case v.defined[name]:
		return fmt.Errorf("its name is taken by another value")
	}
	v.defined[name] = true
	return nil
}

func (v *validator) node(n *onnxpb.NodeProto) error {
	if !defaultDomain(n.Domain) || n.Overload != "" {
		return fmt.Errorf("it is from the operator domain %q; only ONNX's default domain is supported", n.Domain)
	}
	if ops := graph.Ops(); n.OpType != opIdentity && !slices.Contains(ops, n.OpType) {
		return fmt.Errorf("the operator is not supported; the supported ones are %s", strings.Join(ops, ", "))
	}
	if len(n.Input) == 0 || len(n.Input) > maxNodeInputs {
		return fmt.Errorf("it has %d inputs; supported are 1 to %d", len(n.Input), maxNodeInputs)
	}
	if len(n.Output) != 1 {
		return fmt.Errorf("it has %d outputs; supported is 1", len(n.Output))
	}
	if len(n.Name) > maxName {
		return fmt.Errorf("its name has %d bytes; supported are %d", len(n.Name), maxName)
	}
	for i, in := range n.Input {
		switch {
		case v.defined[in]:
		case v.made[in]:
			return fmt.Errorf("input %d, %s, is made by a later node or by itself", i, quote(in))
		case in == "":
			return fmt.Errorf("input %d is left out, which is not supported", i)
		default:
			return fmt.Errorf("input %d, %s, is not defined", i, quote(in))
		}
	}
	if err := checkAttributes(n.Attribute); err != nil {
		return err
	}
	if need := minimumOpset(n); v.opset < need {
		return fmt.Errorf("it needs opset %d, and the file is opset %d", need, v.opset)
	}
	if err := v.define(n.Output[0]); err != nil {
		return fmt.Errorf("output %s: %w", quote(n.Output[0]), err)
	}
	return nil
}

// minimumOpset returns the opset that brought the form in which a node is used,
// where that is later than minOpset.
func minimumOpset(n *onnxpb.NodeProto) int {
	switch {
	case fused(n.OpType):
		return OpsetFused
	case n.OpType == "ReduceMean" && len(n.Input) > 1:
		return 18 // axes as an input
	case n.OpType == "ScatterElements":
		return 16 // the reduction attribute
	case n.OpType == "Shape" && len(n.Attribute) > 0:
		return 15 // start and end
	case n.OpType == "Reshape" && len(n.Attribute) > 0:
		return 14 // allowzero
	}
	return minOpset
}

func checkAttributes(attrs []*onnxpb.AttributeProto) error {
	seen := map[string]bool{}
	for _, a := range attrs {
		if a.Name == "" || len(a.Name) > maxName || seen[a.Name] {
			return fmt.Errorf("attribute %s: its name is empty, too long or taken", quote(a.Name))
		}
		seen[a.Name] = true
		if a.RefAttrName != "" {
			return fmt.Errorf("attribute %s refers to a function's attribute, which is not supported", quote(a.Name))
		}
		switch a.Type {
		case onnxpb.AttributeProto_INT, onnxpb.AttributeProto_INTS, onnxpb.AttributeProto_FLOAT, onnxpb.AttributeProto_STRING:
		default:
			return fmt.Errorf("attribute %s is of kind %v; supported are INT, INTS, FLOAT and STRING", quote(a.Name), a.Type)
		}
	}
	return nil
}

// checkType checks the declared type of an input or output. Whether the axes
// make sense is left to typeOf.
func checkType(v *onnxpb.ValueInfoProto) error {
	t := v.GetType().GetTensorType()
	if t == nil {
		return fmt.Errorf("it is not declared as a tensor")
	}
	if _, ok := dtypeOf(t.ElemType); !ok {
		return fmt.Errorf("its element type is %s (%d); supported are float32, int64 and bool", typeName(t.ElemType), t.ElemType)
	}
	if t.Shape == nil {
		return fmt.Errorf("its shape is not declared")
	}
	if len(t.Shape.Dim) > maxRank {
		return fmt.Errorf("it has %d axes; supported are %d", len(t.Shape.Dim), maxRank)
	}
	for i, d := range t.Shape.Dim {
		if len(d.GetDimParam()) > maxName {
			return fmt.Errorf("the name of axis %d has %d bytes; supported are %d", i, len(d.GetDimParam()), maxName)
		}
		if d.GetDimValue() < 0 {
			return fmt.Errorf("axis %d has the length %d", i, d.GetDimValue())
		}
	}
	return nil
}

// quote shows a name from a file, shortened where it is absurd.
func quote(s string) string {
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return fmt.Sprintf("%q", s)
}
