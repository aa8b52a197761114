package export

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// composition makes an operator that graphs lack, or lack in a form, of operators that they have.
type composition struct {
	min, max int // number of inputs; those after the first min may be left out
	outputs  int // the most; 0 is 1
	since    int // the first opset of the form that is read here
	attrs    []string
	// make returns the outputs. It returns none for a form that graphs have themselves.
	make func(c *composer) []*graph.Node
}

// composed has what files of other exporters hold beyond package graph.
var composed = map[string]composition{
	"Constant": {since: 1, attrs: []string{"value", "value_int", "value_ints", "value_float", "value_floats"}, make: composeConstant},
	"Identity": {min: 1, max: 1, since: 1, make: func(c *composer) []*graph.Node { return c.in }},
	"Cast":     {min: 1, max: 1, since: 6, attrs: []string{"to", "saturate"}, make: composeCast},

	"Less":        {min: 2, max: 2, since: 9, make: func(c *composer) []*graph.Node { return c.one("Greater", c.in[1], c.in[0]) }},
	"LessOrEqual": {min: 2, max: 2, since: 12, make: func(c *composer) []*graph.Node { return c.one("GreaterOrEqual", c.in[1], c.in[0]) }},
	"Equal":       {min: 2, max: 2, since: 7, make: composeEqual},
	"IsNaN":       {min: 1, max: 1, since: 9, make: composeIsNaN},
	"Where":       {min: 3, max: 3, since: 9, make: composeWhere},

	"ConstantOfShape": {min: 1, max: 1, since: 9, attrs: []string{"value"}, make: composeConstantOfShape},
	"Flatten":         {min: 1, max: 1, since: 9, attrs: []string{"axis"}, make: composeFlatten},
	"Slice":           {min: 3, max: 5, since: 10, make: composeSlice},
	"Split":           {min: 1, max: 2, outputs: maxSplit, since: 13, attrs: []string{"axis", "num_outputs"}, make: composeSplit},
	"Tile":            {min: 2, max: 2, since: 6, make: composeTile},
	"Trilu":           {min: 1, max: 2, since: 14, attrs: []string{"upper"}, make: composeTrilu},

	"CumSum":             {min: 2, max: 2, since: 11, attrs: []string{"exclusive", "reverse"}, make: composeCumSum},
	"Gemm":               {min: 2, max: 3, since: 7, attrs: []string{"alpha", "beta", "transA", "transB"}, make: composeGemm},
	"LayerNormalization": {min: 2, max: 3, outputs: 3, since: 17, attrs: []string{"axis", "epsilon", "stash_type"}, make: composeLayerNormalization},
	"ReduceMean":         {min: 1, max: 2, since: 1, attrs: []string{"axes", "keepdims", "noop_with_empty_axes"}, make: composeReduceMean},
}

// maxSplit bounds the outputs of a Split.
const maxSplit = 1 << 8

// composer composes one node of a file.
type composer struct {
	*reader
	in      []*graph.Node // nil for one that is left out at the end
	attrs   []graph.Attr
	outputs int
	err     error // the first
}

// compose returns the outputs of a node; none where the graph has the operator in that form, for what in and attrs are
// then.
func (c *composer) compose(n *onnxpb.NodeProto, row composition) (made []*graph.Node, err error) {
	c.b.In(strings.Trim(cmp.Or(n.Name, n.OpType), "/"), func() { made = row.make(c) })
	return made, cmp.Or(c.err, c.b.Err())
}

// op applies an operator of package graph.
func (c *composer) op(op string, in []*graph.Node, attrs ...graph.Attr) *graph.Node {
	if c.err != nil || c.b.Err() != nil {
		return c.b.Fail(c.err)
	}
	if err := c.costs.before(op, in, attrs); err != nil {
		return c.fail("%w", err)
	}
	n := c.b.Op(op, in, attrs...)
	if c.b.Err() == nil {
		if err := c.after(n); err != nil {
			return c.fail("%w", err)
		}
	}
	return n
}

// one is op for an operator that is all that a node becomes.
func (c *composer) one(op string, in ...*graph.Node) []*graph.Node {
	return []*graph.Node{c.op(op, in)}
}

// fail keeps the first failure.
func (c *composer) fail(format string, args ...any) *graph.Node {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
	return c.b.Fail(c.err)
}

// left returns an input, nil where it is left out.
func (c *composer) left(i int) *graph.Node {
	if i < len(c.in) {
		return c.in[i]
	}
	return nil
}

// attr returns an attribute of the type of missing, which stands for one that is absent.
func attr[T any](c *composer, name string, missing T) T {
	i := slices.IndexFunc(c.attrs, func(a graph.Attr) bool { return a.Name == name })
	if i < 0 {
		return missing
	}
	v, ok := c.attrs[i].Value.(T)
	if !ok {
		c.fail("attribute %s is of another kind than the operator's", name)
	}
	return v
}

// known returns an input of integers that is a constant of the file.
func (c *composer) known(i int) ([]int64, bool) {
	n := c.left(i)
	if n == nil || n.Op != graph.OpConstant {
		return nil, false
	}
	switch n.DType {
	case tensor.Int64:
		return tensor.Data[int64](n.Value), true
	case tensor.Int32:
		wide := lists.Map(tensor.Data[int32](n.Value), func(v int32) int64 { return int64(v) })
		return wide, true
	}
	return nil, false
}

// axis counts an axis from the front.
func (c *composer) axis(axis int64, rank int) int {
	if axis < -int64(rank) || axis >= int64(rank) {
		c.fail("axis %d is out of range for rank %d", axis, rank)
		return 0
	}
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis)
}

// zero is a number of an element type, without axes.
func (c *composer) zero(d tensor.DType) *graph.Node { return c.b.Const(tensor.New(d)) }

func (c *composer) float(v float32) *graph.Node { return c.b.Const(tensor.Of([]float32{v})) }

// stored makes a tensor of the file a constant.
func (c *composer) stored(p *onnxpb.TensorProto) *graph.Node {
	if err := checkElement(p.DataType); err != nil {
		return c.fail("%w", err)
	}
	t, err := tensorOf(p)
	if err != nil {
		return c.fail("%w", err)
	}
	return c.reader.constant(t)
}

func composeConstant(c *composer) []*graph.Node {
	if len(c.attrs) != 1 {
		return []*graph.Node{c.fail("it has %d attributes, want 1", len(c.attrs))}
	}
	var t *tensor.Tensor
	switch v := c.attrs[0].Value.(type) {
	case *onnxpb.TensorProto:
		return []*graph.Node{c.stored(v)}
	case int64:
		t = tensor.Of([]int64{v})
	case []int64:
		t = tensor.Of(v, len(v))
	case float32:
		t = tensor.Of([]float32{v})
	case []float32:
		t = tensor.Of(v, len(v))
	default:
		return []*graph.Node{c.fail("attribute %s is of another kind than the operator's", c.attrs[0].Name)}
	}
	return []*graph.Node{c.constant(t)}
}

// composeCast drops a Cast to the type that the value has.
func composeCast(c *composer) []*graph.Node {
	if attr(c, "to", int64(0)) == int64(c.in[0].DType.ONNX()) {
		return c.in
	}
	// How it goes to numbers of 8 bits, which no Cast of a graph makes.
	c.attrs = slices.DeleteFunc(c.attrs, func(a graph.Attr) bool { return a.Name == "saturate" })
	return nil
}

// composeEqual compares numbers of other types than int64, which graphs do not: equal is at least and at most.
func composeEqual(c *composer) []*graph.Node {
	if c.in[0].DType == tensor.Int64 {
		return nil
	}
	return c.one("And", c.op("GreaterOrEqual", c.in), c.op("GreaterOrEqual", []*graph.Node{c.in[1], c.in[0]}))
}

// composeIsNaN: a number that is no number is not at least itself.
func composeIsNaN(c *composer) []*graph.Node {
	return c.not(c.op("GreaterOrEqual", []*graph.Node{c.in[0], c.in[0]}))
}

func (c *composer) not(x *graph.Node) []*graph.Node {
	return c.one("Where", x, c.zero(tensor.Bool), c.b.Const(tensor.Of([]bool{true})))
}

// composeWhere chooses by the opposite where the condition is one, as it is after IsNaN.
func composeWhere(c *composer) []*graph.Node {
	if not := c.in[0]; not.Op == "Where" && not.Inputs[1].Op == graph.OpConstant && not.DType == tensor.Bool &&
		slices.Equal(c.not(not.Inputs[0]), []*graph.Node{not}) {
		return c.one("Where", not.Inputs[0], c.in[2], c.in[1])
	}
	return nil
}

// composeCumSum takes an axis that is an int32 or has an axis itself.
func composeCumSum(c *composer) []*graph.Node {
	axis, known := c.known(1)
	if n := c.in[1]; !known || len(axis) != 1 || n.DType == tensor.Int64 && len(n.Shape) == 0 {
		return nil
	}
	return []*graph.Node{c.op("CumSum", []*graph.Node{c.in[0], c.b.Const(tensor.Of(axis))}, c.attrs...)}
}

// composeGemm is αAB + βC.
func composeGemm(c *composer) []*graph.Node {
	alpha, beta := attr(c, "alpha", float32(1)), attr(c, "beta", float32(1))
	c.attrs = slices.DeleteFunc(c.attrs, func(a graph.Attr) bool { return a.Name == "alpha" || a.Name == "beta" })
	bias := c.left(2)
	if alpha == 1 && bias == nil {
		c.in = c.in[:2]
		return nil
	}
	y := c.op("Gemm", c.in[:2], c.attrs...)
	if alpha != 1 {
		y = c.op("Mul", []*graph.Node{y, c.float(alpha)})
	}
	if bias != nil && beta != 1 {
		bias = c.op("Mul", []*graph.Node{bias, c.float(beta)})
	}
	if bias != nil {
		y = c.op("Add", []*graph.Node{y, bias})
	}
	return []*graph.Node{y}
}

// composeLayerNormalization is (x − mean) / √(variance + ε) · gain + bias, over an axis and all behind it.
func composeLayerNormalization(c *composer) []*graph.Node {
	x := c.in[0]
	rank := len(x.Shape)
	var behind []int64
	for i := c.axis(attr(c, "axis", int64(-1)), rank); i < rank; i++ {
		behind = append(behind, int64(i))
	}
	if attr(c, "stash_type", int64(1)) != 1 {
		return []*graph.Node{c.fail("it computes in another precision than float32 (stash_type)")}
	}
	mean := func(x *graph.Node) *graph.Node {
		return c.op("ReduceMean", []*graph.Node{x, c.b.Ints(behind...)}, graph.Attr{Name: "keepdims", Value: int64(1)})
	}
	middle := mean(x)
	centred := c.op("Sub", []*graph.Node{x, middle})
	variance := mean(c.op("Mul", []*graph.Node{centred, centred}))
	root := c.op("Sqrt", []*graph.Node{c.op("Add", []*graph.Node{variance, c.float(attr(c, "epsilon", float32(1e-5)))})})
	y := c.op("Mul", []*graph.Node{c.op("Div", []*graph.Node{centred, root}), c.in[1]})
	if bias := c.left(2); bias != nil {
		y = c.op("Add", []*graph.Node{y, bias})
	}
	return []*graph.Node{y, middle, c.op("Reciprocal", []*graph.Node{root})}
}

// composeReduceMean takes axes from an attribute, where they were before opset 18.
func composeReduceMean(c *composer) []*graph.Node {
	axes := attr(c, "axes", []int64(nil))
	none := c.left(1) == nil && axes == nil
	if none && attr(c, "noop_with_empty_axes", int64(0)) != 0 {
		return c.in[:1]
	}
	c.attrs = slices.DeleteFunc(c.attrs, func(a graph.Attr) bool { return a.Name != "keepdims" })
	if axes == nil {
		return nil
	}
	return []*graph.Node{c.op("ReduceMean", []*graph.Node{c.in[0], c.b.Ints(axes...)}, c.attrs...)}
}

// within is a limit of a Slice as Slice takes it: counted from the end where negative, and cut to the axis.
func within(v int64, length int) int {
	if v < 0 {
		v = max(v, -int64(length)) + int64(length)
	}
	return int(min(v, int64(length), math.MaxInt32))
}
