package graph

import (
	"math"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

func shapeOps() operators {
	return operators{
		"Reshape": {min: 2, max: 2, since: 5, attrs: attributes{"allowzero": flag},
			sinceAttribute: map[string]int{"allowzero": 14},
			infer:          inferReshape, sharesInput: true, vjp: likeInput},
		// Opset 13 made the axes an input.
		"Squeeze":   {min: 2, max: 2, since: 13, infer: inferSqueeze, sharesInput: true, vjp: likeInput},
		"Unsqueeze": {min: 2, max: 2, since: 13, infer: inferUnsqueeze, sharesInput: true, vjp: likeInput},
		"Transpose": {min: 1, max: 1, since: 1, attrs: attributes{"perm": integers}, infer: inferTranspose,
			vjp: func(b *Builder, n, g *Node) []*Node {
				return []*Node{b.Transpose(g, inverse(Attribute[[]int64](n, "perm", nil))...)}
			}},
		"Concat": {min: 1, max: math.MaxInt, since: 4, attrs: attributes{"axis": integer.needed()}, infer: inferConcat, vjp: vjpConcat},
		"Slice":  {min: 5, max: 5, since: 10, infer: inferSlice, vjp: vjpSlice},
		// The driver sums a broadcast gradient back, so Expand passes it on.
		"Expand": {min: 2, max: 2, since: 8, infer: inferExpand,
			vjp: func(b *Builder, n, g *Node) []*Node { return []*Node{g, nil} }},
		"Shape": {min: 1, max: 1, since: 1, attrs: attributes{"start": integer, "end": integer},
			sinceAttribute: map[string]int{"start": 15, "end": 15}, infer: inferShape},
		"Range": {min: 3, max: 3, since: 11, infer: inferRange},
	}
}

// likeInput undoes an operator that only renames axes.
func likeInput(b *Builder, n, g *Node) []*Node {
	return []*Node{b.Reshape(g, n.Inputs[0].Shape...), nil}
}

func inferReshape(n *Node) error {
	x, want := n.Inputs[0], n.Inputs[1].dims
	if want == nil || n.Inputs[1].rank() != 1 {
		return n.errorf("needs a shape of known contents")
	}
	n.DType = x.DType
	n.Shape = make([]Dim, len(want))
	free := -1
	for i, d := range want {
		switch {
		case d.is(0) && Attribute(n, "allowzero", int64(0)) == 0:
			if i >= x.rank() {
				return n.errorf("copies axis %d that the input lacks", i)
			}
			n.Shape[i] = x.Shape[i]
		case d.is(-1):
			if free >= 0 {
				return n.errorf("has two axes to infer")
			}
			free = i
		default:
			if v, literal := d.Int(); literal && v < 0 {
				return n.errorf("has the negative axis %d", v)
			}
			n.Shape[i] = d
		}
	}
	if free >= 0 {
		d, ok := divideShapes(x.Shape, slices.Delete(slices.Clone(n.Shape), free, free+1))
		if !ok {
			return n.errorf("cannot infer axis %d of %s", free, shapeText(n.Shape))
		}
		n.Shape[free] = d
	}
	if product(x.Shape) != product(n.Shape) {
		return n.errorf("changes the number of elements: %s", shapeText(n.Shape))
	}
	return nil
}

func inferSqueeze(n *Node) error {
	x := n.Inputs[0]
	axes, err := n.axes(1, x.rank())
	if err != nil {
		return err
	}
	n.DType, n.Shape = x.DType, []Dim{}
	for i, d := range x.Shape {
		if !slices.Contains(axes, i) {
			n.Shape = append(n.Shape, d)
		} else if !d.is(1) {
			return n.errorf("squeezes axis %d of length %s", i, d)
		}
	}
	return nil
}

func inferUnsqueeze(n *Node) error {
	x := n.Inputs[0]
	axes, err := n.axes(1, x.rank()+len(n.Inputs[1].dims))
	if err != nil {
		return err
	}
	n.DType, n.Shape = x.DType, slices.Clone(x.Shape)
	for _, a := range axes {
		n.Shape = slices.Insert(n.Shape, a, N(1))
	}
	return nil
}

func inferTranspose(n *Node) error {
	x, perm := n.Inputs[0], Attribute[[]int64](n, "perm", nil)
	if !isPermutation(perm, x.rank()) {
		return n.errorf("perm %v is not a permutation of the axes", perm)
	}
	n.DType, n.Shape = x.DType, lists.Map(perm, func(p int64) Dim { return x.Shape[p] })
	return nil
}

func inferConcat(n *Node) error {
	first := n.Inputs[0]
	axis, err := n.axisOf(Attribute(n, "axis", int64(0)), first.rank())
	if err != nil {
		return err
	}
	n.DType, n.Shape = first.DType, slices.Clone(first.Shape)
	for _, x := range n.Inputs[1:] {
		if x.DType != first.DType || x.rank() != first.rank() {
			return n.errorf("mixes dtypes or ranks")
		}
		for i, d := range x.Shape {
			if i == axis {
				n.Shape[i] = n.Shape[i].Add(d)
			} else if d != n.Shape[i] {
				return n.errorf("axes %s and %s differ", n.Shape[i], d)
			}
		}
	}
	return nil
}

func vjpConcat(b *Builder, n, g *Node) []*Node {
	axis, _ := n.axisOf(Attribute(n, "axis", int64(0)), n.rank())
	grads := make([]*Node, len(n.Inputs))
	at := N(0)
	for i, x := range n.Inputs {
		end := at.Add(x.Dim(axis))
		grads[i] = b.Slice(g, axis, at, end)
		at = end
	}
	return grads
}

// sliceEnds returns the constant axis of a Slice and its limits as lengths.
func (n *Node) sliceEnds() (axis int, start, end Dim, err error) {
	x := n.Inputs[0]
	for i, in := range n.Inputs[1:] {
		if len(in.dims) != 1 || in.rank() != 1 {
			return 0, start, end, n.errorf("input %d must be one known length", i+1)
		}
	}
	axes, err := n.axes(3, x.rank())
	if err != nil {
		return 0, start, end, err
	}
	if !n.Inputs[4].dims[0].is(1) {
		return 0, start, end, n.errorf("has step %s; only 1 is supported", n.Inputs[4].dims[0])
	}
	d := x.Shape[axes[0]]
	return axes[0], resolve(n.Inputs[1].dims[0], d), resolve(n.Inputs[2].dims[0], d), nil
}

// resolve counts a negative limit from the end of an axis of length d and
// clamps a literal one. Limits with names are taken to lie within the axis:
// whoever feeds them must see to it.
func resolve(limit, d Dim) Dim {
	if v, ok := limit.Int(); ok {
		n, literal := d.Int()
		switch {
		case v == math.MaxInt:
			return d
		case v < 0 && literal:
			return N(max(0, v+n))
		case v < 0:
			return d.Add(limit)
		case literal:
			return N(min(v, n))
		}
		return limit
	}
	for _, m := range limit.poly() {
		if m.coef > 0 {
			return limit
		}
	}
	return d.Add(limit)
}

func inferSlice(n *Node) error {
	x := n.Inputs[0]
	axis, start, end, err := n.sliceEnds()
	if err != nil {
		return err
	}
	n.DType, n.Shape = x.DType, slices.Clone(x.Shape)
	n.Shape[axis] = end.sub(start)
	if v, ok := n.Shape[axis].Int(); ok {
		n.Shape[axis] = N(max(0, v))
	}
	return nil
}

// vjpSlice puts the gradient back between zeros.
func vjpSlice(b *Builder, n, g *Node) []*Node {
	x := n.Inputs[0]
	axis, start, end, err := n.sliceEnds()
	if err != nil {
		return []*Node{b.Fail(err)}
	}
	zeros := func(count Dim) *Node {
		shape := slices.Clone(x.Shape)
		shape[axis] = count
		return b.Expand(b.Float(0), shape...)
	}
	var parts []*Node
	if !start.is(0) {
		parts = append(parts, zeros(start))
	}
	parts = append(parts, g)
	if end != x.Shape[axis] {
		parts = append(parts, zeros(x.Shape[axis].sub(end)))
	}
	return []*Node{b.Concat(axis, parts...), nil, nil, nil, nil}
}

func inferExpand(n *Node) (err error) {
	if n.Inputs[1].dims == nil || n.Inputs[1].rank() != 1 {
		return n.errorf("needs a shape of known contents")
	}
	n.DType = n.Inputs[0].DType
	n.Shape, err = n.broadcast(n.Inputs[0].Shape, n.Inputs[1].dims)
	return err
}

func inferShape(n *Node) error {
	x := n.Inputs[0]
	start, end := shapeRange(n)
	if start < 0 || end < start || end > int64(x.rank()) {
		return n.errorf("axes %d to %d are out of range", start, end)
	}
	n.DType, n.Shape = tensor.Int64, []Dim{N(int(end - start))}
	return nil
}

// shapeRange returns which axes a Shape gives the lengths of.
func shapeRange(n *Node) (start, end int64) {
	return Attribute(n, "start", int64(0)), Attribute(n, "end", int64(n.Inputs[0].rank()))
}

func inferRange(n *Node) error {
	for i, x := range n.Inputs {
		if x.DType != tensor.Int64 || x.rank() != 0 || len(x.dims) != 1 {
			return n.errorf("input %d must be an int64 length of shape []", i)
		}
	}
	if !n.Inputs[2].dims[0].is(1) {
		return n.errorf("has step %s; only 1 is supported", n.Inputs[2].dims[0])
	}
	count := n.Inputs[1].dims[0].sub(n.Inputs[0].dims[0])
	if v, ok := count.Int(); ok {
		count = N(max(0, v))
	}
	n.DType, n.Shape = tensor.Int64, []Dim{count}
	return nil
}

// Reshape gives x another shape of the same number of elements. The shape is a
// constant where 0 (copy) or −1 (infer) can express it on axes of any length,
// 0 included, and is computed from the inputs' shapes elsewhere.
func (b *Builder) Reshape(x *Node, shape ...Dim) *Node {
	if x.Op == "Reshape" {
		x = x.Inputs[0]
	}
	if b.err != nil || slices.Equal(x.Shape, shape) {
		return x
	}
	target := make([]int64, len(shape))
	copies, free := 0, 0
	for i, d := range shape {
		if v, ok := d.Int(); ok && v != 0 {
			target[i] = int64(v)
		} else if i < x.rank() && x.Shape[i] == d {
			copies++
		} else {
			target[i] = -1
			free++
		}
	}
	if free == 0 || free == 1 && copies == 0 {
		return b.Op("Reshape", []*Node{x, b.Ints(target...)})
	}
	// A computed 0 is a length, not "copy the axis".
	return b.Op("Reshape", []*Node{x, b.lens(shape...)}, Attr{"allowzero", int64(1)})
}

// Squeeze drops axes of length 1.
func (b *Builder) Squeeze(x *Node, axes ...int) *Node {
	return b.Op("Squeeze", []*Node{x, b.Ints(int64s(axes)...)})
}

// Unsqueeze inserts axes of length 1 so that they stand at the given places.
func (b *Builder) Unsqueeze(x *Node, axes ...int) *Node {
	return b.Op("Unsqueeze", []*Node{x, b.Ints(int64s(axes)...)})
}

// Transpose permutes the axes: axis i of the result is axis perm[i] of x.
func (b *Builder) Transpose(x *Node, perm ...int) *Node {
	if x.Op == "Transpose" && isPermutation(int64s(perm), x.rank()) {
		inner := Attribute[[]int64](x, "perm", nil)
		both := lists.Map(perm, func(p int) int { return int(inner[p]) })
		x, perm = x.Inputs[0], both
	}
	if b.err != nil || slices.Equal(perm, identity(x.rank())) {
		return x
	}
	return b.Op("Transpose", []*Node{x}, Attr{"perm", int64s(perm)})
}

// Concat joins values along an axis.
func (b *Builder) Concat(axis int, parts ...*Node) *Node {
	if len(parts) == 1 {
		return parts[0]
	}
	return b.Op("Concat", parts, Attr{"axis", int64(axis)})
}

// Slice takes the elements start ≤ i < end of an axis. The limits must lie
// within the axis.
func (b *Builder) Slice(x *Node, axis int, start, end Dim) *Node {
	if b.err != nil || start.is(0) && end == x.Dim(axis) {
		return x
	}
	last := b.Ints(math.MaxInt64)
	if end != x.Dim(axis) {
		last = b.Len(end)
	}
	return b.Op("Slice", []*Node{x, b.Len(start), last, b.Ints(int64(axis)), b.Ints(1)})
}

// SliceLast takes the last count elements of an axis; count must not exceed it.
func (b *Builder) SliceLast(x *Node, axis int, count Dim) *Node {
	return b.Op("Slice", []*Node{x, b.Neg(b.Len(count)), b.Ints(math.MaxInt64), b.Ints(int64(axis)), b.Ints(1)})
}

// Expand broadcasts x to a shape.
func (b *Builder) Expand(x *Node, shape ...Dim) *Node {
	if b.err != nil || slices.Equal(x.Shape, shape) {
		return x
	}
	return b.Op("Expand", []*Node{x, b.lens(shape...)})
}

// scalar returns a length as a float32 value of shape [].
func (b *Builder) scalar(d Dim) *Node {
	if v, ok := d.Int(); ok {
		return b.Float(float64(v))
	}
	return b.Cast(b.Squeeze(b.Len(d), 0), tensor.Float32)
}

// Range returns the int64 values start, start+1, …, end−1.
func (b *Builder) Range(start, end Dim) *Node {
	scalar := func(d Dim) *Node {
		if v, ok := d.Int(); ok {
			return b.Const(tensor.Of([]int64{int64(v)}))
		}
		return b.Squeeze(b.Len(d), 0)
	}
	return b.Op("Range", []*Node{scalar(start), scalar(end), scalar(N(1))})
}
