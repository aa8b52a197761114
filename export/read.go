package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/wrap"
)

// Read reads an ONNX file into a graph and its weights. It accepts what Write
// writes, and any other file within the same bounds: one flat graph over the
// operators of package graph and those that are composed of them (see composed),
// opset 13 to 23 of the default domain, tensors of the types that graph.Held lists in
// the file itself, every axis with a length or a name.
//
// A file is checked completely before its nodes and weights are decoded; the graph is
// built through graph.Builder, so that every shape rule runs. Memory
// and time are bounded by the size of the file. float32, float16, bfloat16, int8 and int4 initializers
// are parameters, except for those named const.0, const.1, …; all others are
// constants. What no output needs is dropped. After Write, Read gives a graph of
// the same text, with the same node names, and bit-equal weights.
//
// The weights are by name; parameters that the file declares as inputs (Options.ParamsAsInputs) have none.
// They pass from the file to the caller, so that a file is read once. Whether they are those
// that it was written with is for safety.Check to say.
func Read(f *safety.File) (*graph.Graph, map[string]*tensor.Tensor, error) {
	r := reader{
		b: graph.NewBuilder(), costs: costs{known: map[*graph.Node]contents{}},
		values: map[string]*graph.Node{}, names: map[*graph.Node]string{}, weights: map[string]*tensor.Tensor{},
		taken: map[string]bool{}, most: maxMade + maxGrowth*len(f.Data),
	}
	for _, t := range f.Apart {
		r.most += maxGrowth * len(t.RawData)
	}
	err := checkFlat(f)
	if err == nil {
		err = r.read(f.Proto.Graph)
	}
	if err != nil {
		return nil, nil, wrap.Error(err, "export: read")
	}
	return r.graph, r.weights, nil
}

// reader turns a validated file into a graph.
type reader struct {
	b       *graph.Builder
	costs   costs
	values  map[string]*graph.Node // by name in the file
	names   map[*graph.Node]string // of the file's nodes
	weights map[string]*tensor.Tensor
	taken   map[string]bool // names of inputs and parameters
	most    int             // elements of a value
	graph   *graph.Graph
}

func (r *reader) read(g *onnxpb.GraphProto) error {
	for _, v := range g.Input {
		r.taken[v.Name] = true
	}
	for _, t := range g.Initializer {
		r.taken[t.Name] = true
	}
	for _, v := range g.Input {
		if err := r.input(v); err != nil {
			return fmt.Errorf("input %s: %w", onnxpb.Quote(v.Name), err)
		}
	}
	for _, t := range g.Initializer {
		if err := r.initializer(t); err != nil {
			return fmt.Errorf("initializer %s: %w", onnxpb.Quote(t.Name), err)
		}
	}
	for i, n := range g.Node {
		if err := r.node(n); err != nil {
			return fmt.Errorf("node %d %s (%s): %w", i, onnxpb.Quote(n.Name), onnxpb.Quote(n.OpType), err)
		}
	}
	var err error
	if r.graph, err = r.outputs(g.Output); err != nil {
		return err
	}
	r.rename(g.Node)
	maps.DeleteFunc(r.weights, func(name string, _ *tensor.Tensor) bool { return r.graph.Input(name) == nil })
	return nil
}

func (r *reader) input(v *onnxpb.ValueInfoProto) error {
	dtype, shape, err := typeOf(v)
	if err != nil {
		return err
	}
	if v.DocString == paramDoc && graph.Stores(dtype) {
		return r.param(v.Name, dtype, shape)
	}
	if dtype == tensor.Int64 && len(shape) == 1 && shape[0] == graph.N(1) {
		// Its contents can be an axis, so its name must be an axis name.
		if _, err := graph.ParseDim(v.Name); err != nil {
			return err
		}
	}
	r.values[v.Name] = r.b.Input(v.Name, dtype, shape...)
	return r.b.Err()
}

func (r *reader) param(name string, dtype tensor.DType, dims []graph.Dim) error {
	shape := make([]int, len(dims))
	for i, d := range dims {
		n, literal := d.Int()
		if !literal {
			return fmt.Errorf("it is a parameter, and its axis %d is %s", i, d)
		}
		shape[i] = n
	}
	r.values[name] = r.b.Param(name, dtype, shape...)
	return r.b.Err()
}

func (r *reader) initializer(p *onnxpb.TensorProto) error {
	t, err := tensorOf(p)
	if err != nil {
		return err
	}
	if !graph.Stores(t.DType()) || isConstName(p.Name) {
		r.values[p.Name] = r.constant(t)
		return r.b.Err()
	}
	name := r.paramName(p.Name)
	r.values[p.Name] = r.b.Param(name, t.DType(), t.Shape()...)
	r.weights[name] = t
	return r.b.Err()
}

// constant makes a tensor a node that the shape rules can look into.
func (r *reader) constant(t *tensor.Tensor) *graph.Node {
	n := r.b.Const(t)
	if r.b.Err() == nil {
		r.costs.constant(n)
	}
	return n
}

// paramName is an initializer's name as graphs have names: torch.onnx writes "onnx::MatMul_733".
func (r *reader) paramName(name string) string {
	plain := strings.Map(func(c rune) rune {
		if c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '_'
	}, name)
	if c := plain[0]; c == '.' || c >= '0' && c <= '9' {
		plain = "_" + plain
	}
	for plain != name && r.taken[plain] {
		plain += "_"
	}
	r.taken[plain] = true
	return plain
}

func isConstName(name string) bool {
	digits, ok := strings.CutPrefix(name, constPrefix)
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func (r *reader) node(n *onnxpb.NodeProto) error {
	inputs := make([]*graph.Node, len(trimmed(n.Input)))
	for i := range inputs {
		inputs[i] = r.values[n.Input[i]] // nil for one that is left out
	}
	attrs := attributesOf(n)
	if row, ok := composed[n.OpType]; ok {
		c := &composer{reader: r, in: inputs, attrs: attrs, outputs: len(n.Output)}
		made, err := c.compose(n, row)
		if err != nil {
			return err
		}
		if made != nil {
			for i, name := range n.Output {
				if name != "" { // left out
					r.made(name, made[i], n.Name)
				}
			}
			return nil
		}
		inputs, attrs = c.in, c.attrs
	}
	if err := r.costs.before(n.OpType, inputs, attrs); err != nil {
		return err
	}
	node := r.b.Op(n.OpType, inputs, attrs...)
	if err := r.b.Err(); err != nil {
		return err
	}
	r.made(n.Output[0], node, n.Name)
	return r.after(node)
}

// after bounds what has been made of a node.
func (r *reader) after(n *graph.Node) error {
	elements := 1
	for _, d := range n.Shape {
		length, literal := d.Int()
		if !literal || length < 1 {
			continue
		}
		if length > r.most/elements {
			return fmt.Errorf("its value is %s: with 1 for each axis of no fixed length it has more than %d elements, which are supported",
				n.Type(), r.most)
		}
		elements *= length
	}
	return r.costs.after(n)
}

// trimmed is a node's inputs without those at the end that are left out.
func trimmed(inputs []string) []string {
	for len(inputs) > 0 && inputs[len(inputs)-1] == "" {
		inputs = inputs[:len(inputs)-1]
	}
	return inputs
}

// made notes a value of the file, and the name of the node in it.
func (r *reader) made(name string, n *graph.Node, node string) {
	r.values[name] = n
	if _, again := r.names[n]; !again && len(n.Inputs) > 0 {
		r.names[n] = node
	}
}

// attributesOf returns the attributes of a validated node by name.
func attributesOf(n *onnxpb.NodeProto) []graph.Attr {
	var attrs []graph.Attr
	for _, a := range n.Attribute {
		var value any
		switch a.Type {
		case onnxpb.AttributeInt:
			value = onnxpb.Get(a.I)
		case onnxpb.AttributeInts:
			value = a.Ints
		case onnxpb.AttributeFloat:
			value = onnxpb.Get(a.F)
		case onnxpb.AttributeFloats:
			value = a.Floats
		case onnxpb.AttributeTensor:
			value = a.T
		default:
			value = string(a.S)
		}
		attrs = append(attrs, graph.Attr{Name: a.Name, Value: value})
	}
	slices.SortFunc(attrs, func(a, b graph.Attr) int { return cmp.Compare(a.Name, b.Name) })
	return attrs
}

func (r *reader) outputs(declared []*onnxpb.ValueInfoProto) (*graph.Graph, error) {
	var outs []graph.Output
	for _, v := range declared {
		n := r.values[v.Name]
		if err := checkOutput(v, n); err != nil {
			return nil, fmt.Errorf("output %s: %w", onnxpb.Quote(v.Name), err)
		}
		outs = append(outs, graph.Output{Name: v.Name, Node: n})
	}
	return r.b.Build(outs...)
}

// checkOutput compares an output's declaration with what the shape rules say.
func checkOutput(v *onnxpb.ValueInfoProto, n *graph.Node) error {
	dtype, shape, err := typeOf(v)
	if err != nil {
		return err
	}
	if dtype != n.DType || !slices.Equal(shape, n.Shape) {
		return fmt.Errorf("it is declared as %s, but is %s", describe(v), n.Type())
	}
	return nil
}

// typeOf returns the declared type of an input or output.
func typeOf(v *onnxpb.ValueInfoProto) (tensor.DType, []graph.Dim, error) {
	t := v.Type.TensorType
	dtype := tensor.FromONNX(t.ElemType)
	var shape []graph.Dim
	for i, d := range t.Shape.Dim {
		var dim graph.Dim
		switch {
		case d.DimValue != nil:
			dim = graph.N(int(*d.DimValue))
		case d.DimParam != nil:
			var err error
			if dim, err = graph.ParseDim(*d.DimParam); err != nil {
				return 0, nil, fmt.Errorf("axis %d: %w", i, err)
			}
		default:
			return 0, nil, fmt.Errorf("axis %d has neither a length nor a name", i)
		}
		shape = append(shape, dim)
	}
	return dtype, shape, checkShape(shape)
}

// rename gives the nodes their names in the file, if those are paths that tell
// them apart. The graph is still ours alone, and names are no part of a node's
// identity; the builder can only derive them from its scopes.
func (r *reader) rename(nodes []*onnxpb.NodeProto) {
	seen := map[string]bool{}
	for _, n := range nodes {
		if seen[n.Name] || !strings.HasPrefix(n.Name, "/") {
			return
		}
		seen[n.Name] = true
	}
	for _, n := range r.graph.Nodes {
		if name, ok := r.names[n]; ok {
			n.Name = name
		}
	}
}
