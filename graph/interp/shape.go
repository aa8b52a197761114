package interp

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// ints reads the contents of an int64 operand.
func (c call) ints(i int) []int64 { return tensor.Data[int64](c.in[i]) }

// axes reads the second operand, which lists axes, sorted and counted from the front.
func (c call) axes(rank int) []int {
	if len(c.in) < 2 {
		return nil
	}
	var axes []int
	for _, a := range c.ints(1) {
		if a < 0 {
			a += int64(rank)
		}
		axes = append(axes, int(a))
	}
	slices.Sort(axes)
	return axes
}

// reshape reads 0 as "copy the axis", unless allowzero is set, and −1 as "the
// rest".
func reshape(c call) (*tensor.Tensor, error) {
	x := c.in[0]
	shape := make([]int, c.in[1].Len())
	free, known := -1, 1
	for i, v := range c.ints(1) {
		switch {
		case v == 0 && graph.Attribute(c.node, "allowzero", int64(0)) == 0:
			if i >= len(x.Shape()) {
				return nil, fmt.Errorf("shape %v copies axis %d of %v", c.ints(1), i, x)
			}
			shape[i] = x.Shape()[i]
		case v == -1:
			free = i
			continue
		case v < 0:
			return nil, fmt.Errorf("shape %v has a negative axis", c.ints(1))
		default:
			shape[i] = int(v)
		}
		known *= shape[i]
	}
	if free >= 0 {
		if known == 0 || x.Len()%known != 0 {
			return nil, fmt.Errorf("shape %v leaves axis %d of %v open", c.ints(1), free, x)
		}
		shape[free] = x.Len() / known
	}
	if tensor.Numel(shape) != x.Len() {
		return nil, fmt.Errorf("cannot reshape %v to %v", x, shape)
	}
	return x.Reshaped(shape...), nil
}

func squeeze(c call) (*tensor.Tensor, error) {
	axes := c.axes(len(c.in[0].Shape()))
	var shape []int
	for i, n := range c.in[0].Shape() {
		if !slices.Contains(axes, i) {
			shape = append(shape, n)
		}
	}
	return c.in[0].Reshaped(shape...), nil
}

func unsqueeze(c call) (*tensor.Tensor, error) {
	shape := slices.Clone(c.in[0].Shape())
	for _, a := range c.axes(len(shape) + c.in[1].Len()) {
		shape = slices.Insert(shape, a, 1)
	}
	return c.in[0].Reshaped(shape...), nil
}

// strided copies the elements of x at the given strides from base on.
func strided[T tensor.Element](x []T, base int, shape, strides []int) *tensor.Tensor {
	out := make([]T, tensor.Numel(shape))
	w := newWalk(shape, strides)
	step, done := w.step(0), 0
	w.rows(func(n int, at []int) {
		from := x[base+at[0]:]
		if step == 1 {
			copy(out[done:done+n], from)
		} else {
			for i := range n {
				out[done+i] = from[i*step]
			}
		}
		done += n
	})
	return tensor.Of(out, shape...)
}

func transpose[T tensor.Element](c call) (*tensor.Tensor, error) {
	from := c.in[0].Shape()
	own := rowMajor(from)
	shape, strides := make([]int, len(from)), make([]int, len(from))
	for i, p := range graph.Attribute[[]int64](c.node, "perm", nil) {
		shape[i], strides[i] = from[p], own[p]
	}
	return strided(tensor.Data[T](c.in[0]), 0, shape, strides), nil
}

func expand[T tensor.Element](c call) (*tensor.Tensor, error) {
	to := make([]int, c.in[1].Len())
	for i, v := range c.ints(1) {
		if v < 0 {
			return nil, fmt.Errorf("shape %v has a negative axis", c.ints(1))
		}
		to[i] = int(v)
	}
	from := c.in[0].Shape()
	shape := broadcastShapes(from, to)
	return strided(tensor.Data[T](c.in[0]), 0, shape, spread(from, shape)), nil
}

func slice[T tensor.Element](c call) (*tensor.Tensor, error) {
	x := c.in[0]
	shape, strides := slices.Clone(x.Shape()), rowMajor(x.Shape())
	base := 0
	starts, ends := c.ints(1), c.ints(2)
	for i, a := range c.ints(3) {
		if a < 0 {
			a += int64(len(shape))
		}
		n := int64(shape[a])
		start, end := limit(starts[i], n), limit(ends[i], n)
		base += int(start) * strides[a]
		shape[a] = int(max(0, end-start))
	}
	return strided(tensor.Data[T](x), base, shape, strides), nil
}

// limit counts a negative limit from the end and clamps it to the axis.
func limit(v, n int64) int64 {
	if v < 0 {
		v += n
	}
	return min(max(v, 0), n)
}

func concat[T tensor.Element](c call) (*tensor.Tensor, error) {
	shape := slices.Clone(c.in[0].Shape())
	axis := c.axis(0, len(shape))
	shape[axis] = 0
	for _, t := range c.in {
		shape[axis] += t.Shape()[axis]
	}
	outer, _, inner := around(shape, axis)
	out := make([]T, 0, tensor.Numel(shape))
	for o := range outer {
		for _, t := range c.in {
			n := t.Shape()[axis] * inner
			out = append(out, tensor.Data[T](t)[o*n:(o+1)*n]...)
		}
	}
	return tensor.Of(out, shape...), nil
}

func shapeOf(c call) (*tensor.Tensor, error) {
	shape := c.in[0].Shape()
	var out []int64
	for _, n := range shape[graph.Attribute(c.node, "start", int64(0)):graph.Attribute(c.node, "end", int64(len(shape)))] {
		out = append(out, int64(n))
	}
	return tensor.Of(out, len(out)), nil
}

func rangeInt64(c call) (*tensor.Tensor, error) {
	start, end := c.ints(0)[0], c.ints(1)[0]
	out := make([]int64, max(0, end-start))
	for i := range out {
		out[i] = start + int64(i)
	}
	return tensor.Of(out, len(out)), nil
}
