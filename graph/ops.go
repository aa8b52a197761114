package graph

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// operator is one row of the table of operators: all that is known of an operator
// but its kernel, which interp has.
type operator struct {
	min, max int // number of inputs
	attrs    attributes

	// The first opset of ONNX's default domain in which the operator takes the inputs,
	// element types and attributes that it has here.
	since          int
	sinceAttribute map[string]int // for attributes that came later
	sinceOptional  int            // for more than min inputs, if those came later

	takesInt4 bool

	// sharesInput says that the value is the memory of input 0 under another shape.
	sharesInput bool

	// infer sets DType, Shape and (for integer shape arithmetic) dims from
	// inputs and attributes.
	infer func(n *Node) error
	// vjp returns the gradient of each input, given the node and the gradient g
	// of its value; nil for inputs that need none. It may return gradients in
	// the broadcast shape: the driver sums them back. nil: not differentiable.
	vjp func(b *Builder, n, g *Node) []*Node
	// multiplyAdds counts the multiply-adds of the operator's matrix products. nil: it has none.
	multiplyAdds func(n *Node) Dim
	// scratch counts the float32 numbers that exist only while the operator runs.
	// nil: none.
	scratch func(n *Node) Dim
}

type operators map[string]operator

// table has every operator. It is filled in init because the gradient rules build
// nodes, which look it up.
var table = operators{}

func init() {
	for _, family := range []operators{
		elementwiseOps(), matrixOps(), shapeOps(), indexOps(), reduceOps(), fusedOps(), quantizeOps(),
	} {
		maps.Copy(table, family)
	}
}

// Ops returns the names of all operators, sorted.
func Ops() []string { return slices.Sorted(maps.Keys(table)) }

// SharesInput reports whether the operator's value is the memory of its first input
// under another shape.
func SharesInput(op string) bool { return table[op].sharesInput }

// Opset returns the first opset of ONNX's default domain in which the operator can
// be used with so many inputs and with these attributes; 0 for what is no operator.
func Opset(op string, inputs int, attrs []Attr) int {
	o := table[op]
	opset := o.since
	if inputs > o.min {
		opset = max(opset, o.sinceOptional)
	}
	for _, a := range attrs {
		opset = max(opset, o.sinceAttribute[a.Name])
	}
	return opset
}

// infer checks a node against its operator's row and sets what follows.
func infer(n *Node) error {
	o, ok := table[n.Op]
	if !ok {
		return fmt.Errorf("operator %s is not supported; the supported ones are %s", n.Op, strings.Join(Ops(), ", "))
	}
	if len(n.Inputs) < o.min || len(n.Inputs) > o.max {
		return n.errorf("has %d inputs, want %s", len(n.Inputs), arity(o))
	}
	if err := n.checkAttributes(o.attrs); err != nil {
		return err
	}
	if !o.takesInt4 && slices.ContainsFunc(n.Inputs, func(x *Node) bool { return x.DType == tensor.Int4 }) {
		return n.errorf("takes no int4: DequantizeLinear alone does")
	}
	if err := o.infer(n); err != nil {
		return err
	}
	n.dims = n.contents(o)
	return nil
}

func arity(o operator) string {
	switch {
	case o.max == math.MaxInt:
		return fmt.Sprintf("at least %d", o.min)
	case o.min == o.max:
		return fmt.Sprint(o.min)
	}
	return fmt.Sprintf("%d to %d", o.min, o.max)
}

// errorf reports a rule that n breaks, with its operand types.
func (n *Node) errorf(format string, args ...any) error {
	types := lists.Map(n.Inputs, func(in *Node) string { return in.Type() })
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
		case a[k] == b[i], b[i].is(1):
		case a[k].is(1):
			out[k] = b[i]
		default:
			return nil, false
		}
	}
	return out, true
}
