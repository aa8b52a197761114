package interp

import (
	"math"
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

func reduceSum[T float](c call) (*tensor.Tensor, error)  { return reduce[T](c, false) }
func reduceMean[T float](c call) (*tensor.Tensor, error) { return reduce[T](c, true) }

// reduced returns the shape of operand 0 with the listed axes, or all when none is listed,
// at length 1, and the shape of the value.
func (c call) reduced() (kept, shape []int) {
	from := c.in[0].Shape()
	axes := c.axes(len(from))
	kept, shape = slices.Clone(from), []int{}
	for i, n := range from {
		reduced := len(axes) == 0 || slices.Contains(axes, i)
		if reduced {
			kept[i] = 1
		}
		if !reduced {
			shape = append(shape, n)
		} else if graph.Attribute(c.node, "keepdims", int64(1)) != 0 {
			shape = append(shape, 1)
		}
	}
	return kept, shape
}

// reduce sums in float64 over the listed axes, or all when none is listed.
func reduce[T float](c call, mean bool) (*tensor.Tensor, error) {
	from := c.in[0].Shape()
	kept, shape := c.reduced()
	sums := sumTo(tensor.Data[T](c.in[0]), from, kept)
	count := 1.0
	if mean {
		for i := range from {
			if kept[i] != from[i] {
				count *= float64(from[i])
			}
		}
	}
	out := make([]T, len(sums))
	for i, s := range sums {
		out[i] = T(s / count)
	}
	return tensor.Of(out, shape...), nil
}

func reduceMax[T float](c call) (*tensor.Tensor, error) {
	from := c.in[0].Shape()
	kept, shape := c.reduced()
	out := make([]T, tensor.Numel(shape))
	for i := range out {
		out[i] = T(math.Inf(-1))
	}
	x := tensor.Data[T](c.in[0])
	w := newWalk(from, rowMajor(from), spread(kept, from))
	step := w.step(1)
	w.rows(func(n int, at []int) {
		for i, v := range x[at[0] : at[0]+n] {
			out[at[1]+i*step] = max(out[at[1]+i*step], v)
		}
	})
	return tensor.Of(out, shape...), nil
}

// sumTo sums x over the axes that kept has at length 1.
func sumTo[T float](x []T, from, kept []int) []float64 {
	sums := make([]float64, tensor.Numel(kept))
	w := newWalk(from, rowMajor(from), spread(kept, from))
	step := w.step(1)
	w.rows(func(n int, at []int) {
		row := x[at[0] : at[0]+n]
		if step == 0 {
			s := 0.0
			for _, v := range row {
				s += float64(v)
			}
			sums[at[1]] += s
			return
		}
		for i, v := range row {
			sums[at[1]+i*step] += float64(v)
		}
	})
	return sums
}

func softmax[T float](c call) (*tensor.Tensor, error) {
	return along(c, c.softmaxAxis(), func(out, x []T, n, stride int) {
		top := largest(x, n, stride)
		sum := 0.0
		for i := 0; i < n*stride; i += stride {
			e := math.Exp(float64(x[i]) - top)
			out[i] = T(e)
			sum += e
		}
		for i := 0; i < n*stride; i += stride {
			out[i] = T(float64(out[i]) / sum)
		}
	})
}

func logSoftmax[T float](c call) (*tensor.Tensor, error) {
	return along(c, c.softmaxAxis(), func(out, x []T, n, stride int) {
		top := largest(x, n, stride)
		sum := 0.0
		for i := 0; i < n*stride; i += stride {
			sum += math.Exp(float64(x[i]) - top)
		}
		shift := top + math.Log(sum)
		for i := 0; i < n*stride; i += stride {
			out[i] = T(float64(x[i]) - shift)
		}
	})
}

func (c call) softmaxAxis() int { return c.axis(-1, len(c.in[0].Shape())) }

// cumSum adds up in the type A.
func cumSum[T, A number](c call) (*tensor.Tensor, error) {
	exclusive, reverse := graph.Attribute(c.node, "exclusive", int64(0)) != 0, graph.Attribute(c.node, "reverse", int64(0)) != 0
	axis := c.axes(len(c.in[0].Shape()))[0]
	return along(c, axis, func(out, x []T, n, stride int) {
		var sum A
		for k := range n {
			i := k * stride
			if reverse {
				i = (n - 1 - k) * stride
			}
			before := sum
			sum += A(x[i])
			out[i] = T(sum)
			if exclusive {
				out[i] = T(before)
			}
		}
	})
}

// along applies f to each vector of operand 0 along an axis: n elements, stride apart.
func along[T number](c call, axis int, f func(out, x []T, n, stride int)) (*tensor.Tensor, error) {
	shape := c.in[0].Shape()
	outer, n, inner := around(shape, axis)
	x := tensor.Data[T](c.in[0])
	out := make([]T, len(x))
	if n > 0 {
		for o := range outer {
			for i := range inner {
				at := o*n*inner + i
				f(out[at:], x[at:], n, inner)
			}
		}
	}
	return tensor.Of(out, shape...), nil
}

func largest[T float](x []T, n, stride int) float64 {
	top := math.Inf(-1)
	for i := 0; i < n*stride; i += stride {
		top = max(top, float64(x[i]))
	}
	return top
}
