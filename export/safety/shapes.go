package safety

import (
	"slices"

	"github.com/nopezoo/zoo/export/internal/onnxpb"
	"github.com/nopezoo/zoo/graph/tensor"
)

// shapeOperators compute sizes from sizes. What makes a tensor of the size that they give,
// such as Range, Expand and ConstantOfShape, is not among them.
var shapeOperators = map[string]bool{
	"Shape": true, "Size": true, "Constant": true, "Identity": true, "Cast": true,
	"Gather": true, "Slice": true, "Concat": true, "Squeeze": true, "Unsqueeze": true, "Reshape": true, "Split": true,
	"Add": true, "Sub": true, "Mul": true, "Div": true, "Mod": true, "Neg": true, "Min": true, "Max": true,
	"ReduceProd": true, "ReduceSum": true, "ReduceMax": true, "ReduceMin": true,
	"Equal": true, "Greater": true, "GreaterOrEqual": true, "Less": true, "LessOrEqual": true, "Where": true,
}

// mostCounts is how many elements an input of fixed size has at most that is taken for
// counts, as logits_to_keep is.
const mostCounts = 8

// ShapeArithmetic names the nodes of a model that compute with sizes alone: with the shapes
// of values, constants, and integer inputs of a few elements. They have a handful of numbers
// each, and what needs these as sizes needs them in main memory, so that a provider of a
// device leaves them to the CPU. Nodes in subgraphs are not looked at.
func ShapeArithmetic(data []byte) ([]string, error) {
	m, err := Parse(data)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{"": true} // values that are sizes; an input that is left out
	for _, t := range m.Graph.Initializer {
		known[t.Name] = true
	}
	for _, v := range m.Graph.Input {
		known[v.Name] = known[v.Name] || isCount(ValueOf(v))
	}
	var names []string
	for _, n := range m.Graph.Node {
		if !DefaultDomain(n.Domain) || !shapeOperators[n.OpType] || n.OpType != "Shape" && n.OpType != "Size" && !all(n.Input, known) {
			continue
		}
		for _, out := range n.Output {
			known[out] = true
		}
		if n.OpType != "Constant" {
			names = append(names, n.Name)
		}
	}
	return names, nil
}

// Angles names the nodes of a model that compute sines and cosines of positions, and what
// leads to them: that which depends on integer inputs and stored numbers alone. Graphics
// cards compute sines to 11 bits only, and only of angles within one turn (the WebGPU
// Shading Language promises no more), so that rotations would be wrong at large positions.
func Angles(data []byte) ([]string, error) {
	m, err := Parse(data)
	if err != nil {
		return nil, err
	}
	inputs := map[string]bool{"": true}
	for _, t := range m.Graph.Initializer {
		inputs[t.Name] = true
	}
	for _, v := range m.Graph.Input {
		dtype, err := ValueOf(v).DType()
		inputs[v.Name] = inputs[v.Name] || err == nil && dtype == tensor.Int64
	}
	maker := map[string]*onnxpb.NodeProto{} // of values that depend on inputs alone
	for _, n := range m.Graph.Node {
		if slices.ContainsFunc(n.Input, func(name string) bool { return !inputs[name] && maker[name] == nil }) {
			continue
		}
		for _, out := range n.Output {
			maker[out] = n
		}
	}
	var names []string
	seen := map[*onnxpb.NodeProto]bool{}
	var add func(n *onnxpb.NodeProto)
	add = func(n *onnxpb.NodeProto) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		names = append(names, n.Name)
		for _, name := range n.Input {
			add(maker[name])
		}
	}
	for _, n := range m.Graph.Node {
		if DefaultDomain(n.Domain) && (n.OpType == "Sin" || n.OpType == "Cos") && len(n.Output) > 0 {
			add(maker[n.Output[0]])
		}
	}
	return names, nil
}

func all(names []string, in map[string]bool) bool {
	for _, name := range names {
		if !in[name] {
			return false
		}
	}
	return true
}

// isCount reports whether an input is integers of a fixed, small number.
func isCount(v Value) bool {
	dtype, err := v.DType()
	if err != nil || dtype != tensor.Int64 || !v.Shaped {
		return false
	}
	n := int64(1)
	for _, d := range v.Dims {
		if d < 0 || d > mostCounts {
			return false
		}
		n *= d
	}
	return n <= mostCounts
}
