package graph

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
)

// opDef is all that the IR knows of an operator. The kernel is in interp.
type opDef struct {
	min, max int // number of inputs; max -1: any
	attrs    []string
	// infer sets DType, Shape and (for integer shape arithmetic) dims from
	// inputs and attributes.
	infer func(n *Node) error
	// vjp returns the gradient of each input, given the node and the gradient g
	// of its value; nil for inputs that need none. It may return gradients in
	// the broadcast shape: the driver sums them back. nil: not differentiable.
	vjp func(b *Builder, n, g *Node) []*Node
}

type opDefs map[string]opDef

// opTable lists every operator. It is a function because the gradient rules
// build nodes, which looks up this table again.
func opTable() opDefs {
	t := opDefs{}
	for _, family := range []opDefs{elementwiseOps(), matrixOps(), shapeOps(), indexOps(), reduceOps(), fusedOps()} {
		maps.Copy(t, family)
	}
	return t
}

// Ops returns the names of all operators, sorted.
func Ops() []string { return slices.Sorted(maps.Keys(opTable())) }

// Differentiable reports whether the operator has a gradient rule.
func Differentiable(op string) bool { return opTable()[op].vjp != nil }

func (t opDefs) infer(n *Node) error {
	def, ok := t[n.Op]
	if !ok {
		return fmt.Errorf("operator %s is not supported; the supported ones are %s", n.Op, strings.Join(slices.Sorted(maps.Keys(t)), ", "))
	}
	if len(n.Inputs) < def.min || def.max >= 0 && len(n.Inputs) > def.max {
		return n.errorf("has %d inputs, want %s", len(n.Inputs), arity(def))
	}
	for _, a := range n.Attrs {
		if !slices.Contains(def.attrs, a.Name) {
			return n.errorf("has the unknown attribute %s", a.Name)
		}
	}
	return def.infer(n)
}

func arity(d opDef) string {
	switch {
	case d.max < 0:
		return fmt.Sprintf("at least %d", d.min)
	case d.min == d.max:
		return fmt.Sprint(d.min)
	}
	return fmt.Sprintf("%d to %d", d.min, d.max)
}

// errorf reports a rule that n breaks, with its operand types.
func (n *Node) errorf(format string, args ...any) error {
	types := make([]string, len(n.Inputs))
	for i, in := range n.Inputs {
		types[i] = in.Type()
	}
	return fmt.Errorf("%s(%s) %s", n.Op, strings.Join(types, ", "), fmt.Sprintf(format, args...))
}

func (n *Node) wantDType(i int, want ...tensor.DType) error {
	if slices.Contains(want, n.Inputs[i].DType) {
		return nil
	}
	return n.errorf("input %d must be %v", i, want)
}

// axisOf normalises an axis for a value of the given rank.
func (n *Node) axisOf(axis int64, rank int) (int, error) {
	if axis < 0 {
		axis += int64(rank)
	}
	if axis < 0 || axis >= int64(rank) {
		return 0, n.errorf("axis %d is out of range for rank %d", axis, rank)
	}
	return int(axis), nil
}

// axes reads constant input i, normalised for the rank and sorted; nil when the
// node has no such input.
func (n *Node) axes(i, rank int) ([]int, error) {
	if i >= len(n.Inputs) {
		return nil, nil
	}
	v, ok := n.Inputs[i].knownInts()
	if !ok {
		return nil, n.errorf("input %d must be a constant list of axes", i)
	}
	out := make([]int, len(v))
	for k, a := range v {
		x, err := n.axisOf(a, rank)
		if err != nil {
			return nil, err
		}
		out[k] = x
	}
	slices.Sort(out)
	if len(slices.Compact(slices.Clone(out))) != len(out) {
		return nil, n.errorf("axes %v repeat", v)
	}
	return out, nil
}

// broadcast applies numpy's rule to two shapes: axes are equal, or one is the
// literal 1.
func (n *Node) broadcast(a, b []Dim) ([]Dim, error) {
	if out, ok := broadcastShapes(a, b); ok {
		return out, nil
	}
	return nil, n.errorf("cannot broadcast %s against %s", shapeText(a), shapeText(b))
}

func broadcastShapes(a, b []Dim) ([]Dim, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i := range b {
		k := len(a) - len(b) + i
		switch {
		case a[k] == b[i], b[i].Is(1):
		case a[k].Is(1):
			out[k] = b[i]
		default:
			return nil, false
		}
	}
	return out, true
}
