package export

import (
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// composeConstantOfShape repeats one element.
func composeConstantOfShape(c *composer) []*graph.Node {
	element := c.zero(tensor.Float32)
	if p := attr(c, "value", (*onnxpb.TensorProto)(nil)); p != nil {
		one := c.stored(p)
		if c.err == nil && one.Value.Len() != 1 {
			return []*graph.Node{c.fail("its value has %d elements, want 1", one.Value.Len())}
		}
		if c.err == nil {
			element = c.b.Const(one.Value.Reshaped())
		}
	}
	return c.one("Expand", element, c.in[0])
}

// composeFlatten makes a matrix: axes before one, and the others.
func composeFlatten(c *composer) []*graph.Node {
	x := c.in[0]
	rank := len(x.Shape)
	at := attr(c, "axis", int64(1))
	if at != int64(rank) { // which is all of them before
		at = int64(c.axis(at, max(rank, 1)))
	}
	if err := c.costs.flatten(x.Shape); err != nil {
		return []*graph.Node{c.fail("%w", err)}
	}
	sides := [2]graph.Dim{graph.N(1), graph.N(1)}
	for i, d := range x.Shape {
		side := &sides[0]
		if i >= int(at) {
			side = &sides[1]
		}
		*side = side.Mul(d)
	}
	return []*graph.Node{c.b.Reshape(x, sides[0], sides[1])}
}

// composeSlice cuts axis by axis. In steps it picks from an axis of a fixed length.
func composeSlice(c *composer) []*graph.Node {
	x := c.in[0]
	starts, ends := c.in[1], c.in[2]
	if len(starts.Shape) != 1 || len(ends.Shape) != 1 {
		return []*graph.Node{c.fail("its starts and ends are no lists")}
	}
	count, literal := starts.Shape[0].Int()
	if other, _ := ends.Shape[0].Int(); !literal || other != count || count > maxRank {
		return []*graph.Node{c.fail("it has %s starts and %s ends; supported are as many of both, at most %d", starts.Shape[0], ends.Shape[0], maxRank)}
	}
	axes, steps := make([]int64, count), make([]int64, count)
	for i := range axes {
		axes[i], steps[i] = int64(i), 1
	}
	if given, known := c.known(3); known {
		axes = given
	} else if c.left(3) != nil {
		return []*graph.Node{c.fail("its axes are not known before a run")}
	}
	if given, known := c.known(4); known {
		steps = given
	} else if c.left(4) != nil {
		return []*graph.Node{c.fail("its steps are not known before a run")}
	}
	if len(axes) != count || len(steps) != count {
		return []*graph.Node{c.fail("it has %d starts, %d axes and %d steps", count, len(axes), len(steps))}
	}
	if count == 1 && len(c.in) == 5 && steps[0] == 1 && c.in[3].DType == tensor.Int64 && c.in[4].DType == tensor.Int64 {
		return nil
	}
	for i := range count {
		if steps[i] == 1 {
			x = c.op("Slice", []*graph.Node{x, c.element(starts, i), c.element(ends, i), c.b.Ints(axes[i]), c.b.Ints(1)})
			continue
		}
		x = c.stepped(x, axes[i], steps[i], i)
	}
	return []*graph.Node{x}
}

// element is element i of a list, as a list of one.
func (c *composer) element(list *graph.Node, i int) *graph.Node {
	if list.Op == graph.OpConstant && list.DType == tensor.Int64 {
		return c.b.Ints(tensor.Data[int64](list.Value)[i])
	}
	return c.op("Slice", []*graph.Node{list, c.b.Ints(int64(i)), c.b.Ints(int64(i + 1)), c.b.Ints(0), c.b.Ints(1)})
}

// stepped picks every step-th element along an axis, between limits that are the i-th of the node.
func (c *composer) stepped(x *graph.Node, axis, step int64, i int) *graph.Node {
	starts, known := c.known(1)
	ends, too := c.known(2)
	at := c.axis(axis, len(x.Shape))
	length, literal := x.Dim(at).Int()
	if !known || !too || !literal || length > maxKnown || step < 1 {
		return c.fail("it takes steps of %d along the axis %s; supported are steps forward between known limits of an axis of a fixed length",
			step, x.Dim(at))
	}
	var index []int64
	for k, end := within(starts[i], length), within(ends[i], length); k < end; {
		index = append(index, int64(k))
		if int64(end-k) <= step {
			break
		}
		k += int(step)
	}
	return c.op("Gather", []*graph.Node{x, c.b.Const(tensor.Of(index, len(index)))}, graph.Attr{Name: "axis", Value: int64(at)})
}

// composeSplit cuts an axis into parts: of the given sizes, or else into equal ones, of which the last may be smaller.
func composeSplit(c *composer) []*graph.Node {
	x := c.in[0]
	if len(x.Shape) == 0 {
		return []*graph.Node{c.fail("it splits a value without axes")}
	}
	at := c.axis(attr(c, "axis", int64(0)), len(x.Shape))
	length, literal := x.Dim(at).Int()
	sizes, known := c.known(1)
	switch {
	case known:
	case c.left(1) != nil, !literal:
		return []*graph.Node{c.fail("the sizes of its parts along the axis %s are not known before a run", x.Dim(at))}
	default:
		if n := attr(c, "num_outputs", int64(c.outputs)); n != int64(c.outputs) {
			return []*graph.Node{c.fail("it has %d outputs and num_outputs %d", c.outputs, n)}
		}
		size := (length + c.outputs - 1) / c.outputs
		for i := range c.outputs {
			sizes = append(sizes, int64(min(size, max(length-i*size, 0))))
		}
	}
	if len(sizes) != c.outputs {
		return []*graph.Node{c.fail("it has %d outputs and %d sizes of parts", c.outputs, len(sizes))}
	}
	parts, from := make([]*graph.Node, len(sizes)), int64(0)
	for i, size := range sizes {
		if size < 0 || size > maxFile || literal && from+size > int64(length) {
			return []*graph.Node{c.fail("its parts of %v do not fit the axis %s", sizes, x.Dim(at))}
		}
		parts[i] = c.op("Slice", []*graph.Node{x, c.b.Ints(from), c.b.Ints(from + size), c.b.Ints(int64(at)), c.b.Ints(1)})
		from += size
	}
	if literal && from != int64(length) {
		return []*graph.Node{c.fail("its parts of %v do not fit the axis %s", sizes, x.Dim(at))}
	}
	return parts
}

// composeTile repeats along axes: each gets an axis of its repeats before it, is expanded along that, and the two
// become one.
func composeTile(c *composer) []*graph.Node {
	x, repeats := c.in[0], c.in[1]
	rank := len(x.Shape)
	if len(repeats.Shape) != 1 || repeats.Shape[0] != graph.N(rank) {
		return []*graph.Node{c.fail("its repeats are %s for a value of %d axes", repeats.Type(), rank)}
	}
	if 2*rank > maxRank {
		return []*graph.Node{c.fail("it repeats a value of %d axes; supported are %d", rank, maxRank/2)}
	}
	own := c.op("Shape", []*graph.Node{x})
	var fresh, order []int64 // places of the new axes, and how repeats and lengths take turns
	for i := range int64(rank) {
		fresh, order = append(fresh, 2*i), append(order, i, int64(rank)+i)
	}
	apart := c.op("Unsqueeze", []*graph.Node{x, c.b.Ints(fresh...)})
	both := c.op("Concat", []*graph.Node{repeats, own}, graph.Attr{Name: "axis", Value: int64(0)})
	turns := c.op("Gather", []*graph.Node{both, c.b.Ints(order...)}, graph.Attr{Name: "axis", Value: int64(0)})
	full := c.op("Expand", []*graph.Node{apart, turns})
	return c.one("Reshape", full, c.op("Mul", []*graph.Node{repeats, own}))
}

// composeTrilu keeps what lies on one side of a diagonal of the last two axes, and has zeros on the other.
func composeTrilu(c *composer) []*graph.Node {
	x := c.in[0]
	if len(x.Shape) < 2 {
		return []*graph.Node{c.fail("it takes a part of a value of %d axes, want 2 or more", len(x.Shape))}
	}
	diagonal := c.b.Ints(0)
	if k := c.left(1); k != nil {
		diagonal = c.op("Reshape", []*graph.Node{k, c.b.Ints(1)})
	}
	row := c.b.Unsqueeze(c.b.Range(graph.N(0), x.Dim(-2)), 1)
	column := c.b.Range(graph.N(0), x.Dim(-1))
	sides := []*graph.Node{column, c.op("Add", []*graph.Node{row, diagonal})}
	if attr(c, "upper", int64(1)) == 0 {
		slices.Reverse(sides)
	}
	return c.one("Where", c.op("GreaterOrEqual", sides), x, c.zero(x.DType))
}
