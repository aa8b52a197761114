package ort

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// hostPart is the part of a model that a provider of a device had better leave to the CPU.
// Nodes in subgraphs, and without a name, are not in it.
type hostPart struct {
	// shapes names the nodes that compute with sizes alone: with the shapes of values,
	// constants, and integer inputs of a few elements. They have a handful of numbers each,
	// and what needs these as sizes needs them in main memory. The shape of an input of
	// float32 is not among them: providers of devices take it without the contents.
	shapes []string
	// angles names the nodes that compute sines and cosines of positions, what leads to
	// them: that which depends on integer inputs, lengths and stored numbers alone, and what
	// is computed from both with sizes alone, as ONNX Runtime leaves that where its inputs are.
	// Graphics cards compute sines to 11 bits only, and only of angles within one turn (the
	// WebGPU Shading Language promises no more), so that rotations would be wrong at large
	// positions. Of angles that depend on hidden states the sines and cosines alone are named.
	angles []string

	graph *onnxpb.GraphProto
}

// inputsOf names the inputs that only nodes of the lists read.
func (p hostPart) inputsOf(lists ...[]string) (names []string) {
	host := map[string]bool{}
	for _, name := range slices.Concat(lists...) {
		host[name] = true
	}
	for _, v := range p.graph.Input {
		if !slices.ContainsFunc(p.graph.Node, func(n *onnxpb.NodeProto) bool {
			return !host[n.Name] && slices.Contains(n.Input, v.Name)
		}) {
			names = append(names, v.Name)
		}
	}
	return names
}

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

// HostNodes names the nodes of a model that a provider of a device leaves to the CPU: the nodes that
// compute with sizes alone, and the nodes that compute angles of positions.
func HostNodes(model []byte) (shapes, angles []string, err error) {
	f, err := safety.Check(model, safety.Options{Unvalidated: true})
	if err != nil {
		return nil, nil, fmt.Errorf("ort: %w", err)
	}
	part := hostPartOf(f.Proto.Graph)
	return part.shapes, part.angles, nil
}

// hostPartOf finds the part in a graph.
func hostPartOf(g *onnxpb.GraphProto) hostPart {
	stored, sizes := map[string]bool{"": true}, map[string]bool{"": true} // an input that is left out
	for _, t := range g.Initializer {
		stored[t.Name] = true
		sizes[t.Name] = t.DataType == int32(tensor.Int64.ONNX()) || len(t.Dims) == 0 || len(t.Dims) == 1 && t.Dims[0] == 1
	}
	return hostPart{shapes: shapesOf(g, sizes), angles: anglesOf(g, stored, sizes), graph: g}
}

// shapesOf takes the stored values that may be sizes: integers, and single numbers.
func shapesOf(g *onnxpb.GraphProto, sizes map[string]bool) (names []string) {
	floats := map[string]bool{}
	for _, v := range g.Input {
		sizes[v.Name] = sizes[v.Name] || isCount(onnxpb.ValueOf(v))
		floats[v.Name] = isOf(onnxpb.ValueOf(v), tensor.Float32)
	}
	for _, n := range g.Node {
		root := n.OpType == "Shape" || n.OpType == "Size"
		if !onnxpb.DefaultDomain(n.Domain) || !shapeOperators[n.OpType] ||
			!root && slices.ContainsFunc(n.Input, func(name string) bool { return !sizes[name] }) {
			continue
		}
		for _, out := range n.Output {
			sizes[out] = true
		}
		if n.OpType != "Constant" && n.Name != "" && !(root && floats[n.Input[0]]) {
			names = append(names, n.Name)
		}
	}
	return names
}

func isOf(v onnxpb.Value, dtype tensor.DType) bool { return tensor.FromONNX(v.Type) == dtype }

// isCount reports whether an input is integers of a fixed, small number.
func isCount(v onnxpb.Value) bool {
	if !isOf(v, tensor.Int64) || !v.Shaped {
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

func anglesOf(g *onnxpb.GraphProto, stored, sizes map[string]bool) (names []string) {
	integers := map[string]bool{}
	for _, v := range g.Input {
		integers[v.Name] = isOf(onnxpb.ValueOf(v), tensor.Int64)
	}
	maker := map[string]*onnxpb.NodeProto{} // of values that depend on such inputs alone
	for _, n := range g.Node {
		if onnxpb.DefaultDomain(n.Domain) && (n.OpType == "Shape" || n.OpType == "Size") {
			for _, out := range n.Output {
				integers[out] = true // wherever it is taken
			}
			continue
		}
		if slices.ContainsFunc(n.Input, func(name string) bool {
			return !stored[name] && !integers[name] && maker[name] == nil
		}) {
			continue
		}
		for _, out := range n.Output {
			maker[out] = n
		}
	}
	seen := map[*onnxpb.NodeProto]bool{}
	var add func(n *onnxpb.NodeProto)
	add = func(n *onnxpb.NodeProto) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.Name != "" {
			names = append(names, n.Name)
		}
		for _, name := range n.Input {
			add(maker[name])
		}
	}
	for _, n := range g.Node {
		if onnxpb.DefaultDomain(n.Domain) && (n.OpType == "Sin" || n.OpType == "Cos") {
			add(n) // of other angles the sine alone
		}
	}
	for _, n := range g.Node {
		made := func(name string) bool { return seen[maker[name]] }
		if !seen[n] && slices.ContainsFunc(n.Input, made) &&
			!slices.ContainsFunc(n.Input, func(name string) bool { return !made(name) && !sizes[name] }) {
			add(n)
		}
	}
	return names
}
