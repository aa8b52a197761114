package safety

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// attributes checks the attributes of a node, the graphs among them included.
func (v *validator) attributes(n *onnxpb.NodeProto, s *scope) error {
	seen := map[string]bool{}
	graphs := map[string]*onnxpb.GraphProto{}
	for _, a := range n.Attribute {
		if a.Name == "" || len(a.Name) > maxName || seen[a.Name] {
			return fmt.Errorf("attribute %s: its name is empty, too long or taken", onnxpb.Quote(a.Name))
		}
		seen[a.Name] = true
		if err := checkAttribute(a); err != nil {
			return fmt.Errorf("attribute %s %w", onnxpb.Quote(a.Name), err)
		}
		if a.Type == onnxpb.AttributeGraph {
			graphs[a.Name] = a.G
		}
	}
	if len(graphs) == 0 {
		return nil
	}
	return v.controlFlow(n, graphs, s)
}

// checkAttribute wants that an attribute holds what its kind says and nothing
// else, so that every reader takes it for the same.
func checkAttribute(a *onnxpb.AttributeProto) error {
	if a.RefAttrName != "" {
		return fmt.Errorf("refers to a function's attribute, which is not supported")
	}
	held := map[onnxpb.AttributeType]bool{
		onnxpb.AttributeFloat:         a.F != nil,
		onnxpb.AttributeInt:           a.I != nil,
		onnxpb.AttributeString:        a.S != nil,
		onnxpb.AttributeTensor:        a.T != nil,
		onnxpb.AttributeGraph:         a.G != nil,
		onnxpb.AttributeFloats:        len(a.Floats) > 0,
		onnxpb.AttributeInts:          len(a.Ints) > 0,
		onnxpb.AttributeStrings:       len(a.Strings) > 0,
		onnxpb.AttributeTensors:       len(a.Tensors) > 0,
		onnxpb.AttributeGraphs:        len(a.Graphs) > 0,
		onnxpb.AttributeTypeProto:     len(a.Tp) > 0,
		onnxpb.AttributeTypeProtos:    len(a.TypeProtos) > 0,
		onnxpb.AttributeSparseTensor:  len(a.SparseTensor) > 0,
		onnxpb.AttributeSparseTensors: len(a.SparseTensors) > 0,
	}
	switch a.Type {
	case onnxpb.AttributeUndefined, onnxpb.AttributeGraphs,
		onnxpb.AttributeSparseTensor, onnxpb.AttributeSparseTensors:
		return fmt.Errorf("is of kind %v, which is not supported", a.Type)
	case onnxpb.AttributeGraph, onnxpb.AttributeTensor:
		if !held[a.Type] {
			return fmt.Errorf("is of kind %v and holds none", a.Type)
		}
	}
	for k, present := range held {
		if present && k != a.Type {
			return fmt.Errorf("is of kind %v and holds a %v", a.Type, k)
		}
	}
	for _, t := range append(slices.Clone(a.Tensors), a.T) {
		if t == nil {
			continue
		}
		if err := checkTensor(t); err != nil {
			return fmt.Errorf("holds a tensor: %w", err)
		}
	}
	return nil
}

// controlFlow checks a node with subgraphs: If, Loop or Scan.
func (v *validator) controlFlow(n *onnxpb.NodeProto, graphs map[string]*onnxpb.GraphProto, s *scope) error {
	if !v.opt.ControlFlow && n != v.declared {
		return fmt.Errorf("its subgraphs are %w without Options.ControlFlow (--allow control-flow)", ErrNotAllowed)
	}
	var want map[string][2]int // inputs and outputs of each subgraph, as the operators' documents have them
	switch in, out := len(n.Input), len(n.Output); {
	case !onnxpb.DefaultDomain(n.Domain):
	case n.OpType == "If":
		want = map[string][2]int{"then_branch": {0, out}, "else_branch": {0, out}}
	case n.OpType == "Loop" && in >= 2:
		// The body takes turn and condition for bound and condition, and returns the condition too.
		want = map[string][2]int{"body": {in, out + 1}}
	case n.OpType == "Scan":
		want = map[string][2]int{"body": {in, out}}
	}
	for name, g := range graphs {
		size, ok := want[name]
		if !ok {
			return fmt.Errorf("attribute %s: it has no subgraph of that name, which only If, Loop and Scan have",
				onnxpb.Quote(name))
		}
		if len(g.Input) != size[0] || len(g.Output) != size[1] {
			return fmt.Errorf("subgraph %s has %d inputs and %d outputs; the node wants %d and %d",
				onnxpb.Quote(name), len(g.Input), len(g.Output), size[0], size[1])
		}
	}
	if len(graphs) != len(want) {
		return fmt.Errorf("it has %d subgraphs; want %d", len(graphs), len(want))
	}
	around := v.turns
	defer func() { v.turns = around }()
	if n.OpType == "Loop" {
		if err := v.enterLoop(s.bound(n.Input[0])); err != nil {
			return err
		}
	}
	for _, a := range n.Attribute { // in order, so that errors are the same each time
		if a.G == nil {
			continue
		}
		if err := v.graph(a.G, s); err != nil {
			return fmt.Errorf("subgraph %s: %w", onnxpb.Quote(a.Name), err)
		}
	}
	return nil
}

// bound returns what the one integer of a value cannot be more than: a constant, or the least of
// some values of which one is a constant.
func (s *scope) bound(name string) (n int64, ok bool) {
	if n, ok := integer(s.constant(name)); ok {
		return n, true
	}
	for _, in := range s.least(name) {
		if c, constant := integer(s.constant(in)); constant && (!ok || c < n) {
			n, ok = c, true
		}
	}
	return n, ok
}

// least returns the inputs of the Min that a value is, if it is one.
func (s *scope) least(name string) []string {
	for ; s != nil; s = s.outer {
		if s.defined[name] {
			return s.minima[name]
		}
	}
	return nil
}

// enterLoop counts the turns of a Loop, which are no more than n if they are bounded.
func (v *validator) enterLoop(n int64, bounded bool) error {
	if !bounded {
		return fmt.Errorf("the number of its turns is no constant, nor the Min of one and other numbers; " +
			"only Options.Unvalidated (--allow unvalidated) lets it pass")
	}
	if n < 0 || n > MaxTurns || v.spent+v.turns*n > MaxTurns {
		return fmt.Errorf("it takes %d turns, in %d turns of Loops around it and after %d others; supported are %d "+
			"in all, and only Options.Unvalidated (--allow unvalidated) lets more pass",
			n, v.turns, v.spent, MaxTurns)
	}
	v.turns *= n
	v.spent += v.turns
	return nil
}

// integer returns the one element of an int64 tensor that has been checked.
func integer(t *onnxpb.TensorProto) (int64, bool) {
	list, ok := integers(t)
	if !ok || len(list) != 1 {
		return 0, false
	}
	return list[0], true
}

// mostIntegers bounds the lists that are looked into: two numbers for each axis.
const mostIntegers = 2 * MaxRank

// integers returns the elements of an int64 tensor that has been checked, if they are few.
func integers(t *onnxpb.TensorProto) (list []int64, ok bool) {
	if t == nil || t.DataType != typeInt64 || len(t.RawData) > 8*mostIntegers || len(t.Int64Data) > mostIntegers {
		return nil, false
	}
	for raw := onnxpb.RawData(t); len(raw) > 0; raw = raw[8:] {
		list = append(list, int64(binary.LittleEndian.Uint64(raw)))
	}
	return list, true
}

// declared returns the one node with a subgraph that a file of zoo's may have: the Scan of a
// file that consists of one over the recurrent state of its card, or the only Loop of a file
// that answers prompts. It is nil for any other file.
func declared(m *onnxpb.ModelProto) *onnxpb.NodeProto {
	c, err := card.Parse(onnxpb.Metadata(m))
	if err != nil {
		return nil
	}
	if c.Form == card.Looped {
		return onlyLoop(m.Graph)
	}
	if len(c.State) != 1 || c.State[0].Kind != card.Rewritten || len(m.Graph.Node) != 1 {
		return nil
	}
	state, n := c.State[0], m.Graph.Node[0]
	if n.OpType != "Scan" || !onnxpb.DefaultDomain(n.Domain) || len(n.Input) < 2 || len(n.Output) != 2 ||
		n.Input[0] != state.Past || n.Output[0] != state.Present {
		return nil
	}
	for _, a := range n.Attribute {
		if a.Name == "num_scan_inputs" && onnxpb.Get(a.I) == int64(len(n.Input)-1) {
			return n
		}
	}
	return nil
}

func onlyLoop(g *onnxpb.GraphProto) (loop *onnxpb.NodeProto) {
	for _, n := range g.Node {
		if n.OpType != "Loop" || !onnxpb.DefaultDomain(n.Domain) {
			continue
		}
		if loop != nil {
			return nil
		}
		loop = n
	}
	return loop
}
