package interp

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

// index checks an index into an axis of length n; negative ones count from the
// end.
func index(v int64, axis, n int) (int, error) {
	i := v
	if i < 0 {
		i += int64(n)
	}
	if i < 0 || i >= int64(n) {
		return 0, fmt.Errorf("index %d is out of range for axis %d of length %d", v, axis, n)
	}
	return int(i), nil
}

func gather[T tensor.Element](c call) (*tensor.Tensor, error) {
	x, from := tensor.Data[T](c.in[0]), c.in[0].Shape()
	axis := c.axis(0, len(from))
	outer, n, inner := around(from, axis)
	at := make([]int, c.in[1].Len())
	for k, v := range c.ints(1) {
		var err error
		if at[k], err = index(v, axis, n); err != nil {
			return nil, err
		}
	}
	shape := slices.Concat(from[:axis], c.in[1].Shape(), from[axis+1:])
	out := make([]T, 0, tensor.Numel(shape))
	for o := range outer {
		for _, i := range at {
			start := (o*n + i) * inner
			out = append(out, x[start:start+inner]...)
		}
	}
	return tensor.Of(out, shape...), nil
}

// elements calls f with the position of every index and the offset in an array
// of the given shape that it points to.
func (c call) elements(shape []int, f func(i, offset int)) error {
	axis := c.axis(0, len(shape))
	strides := rowMajor(shape)
	stride := strides[axis]
	strides[axis] = 0
	at := c.ints(1)
	w := newWalk(c.in[1].Shape(), strides)
	done := 0
	var failed error
	w.rows(func(n int, row []int) {
		for k := range n {
			i, err := index(at[done+k], axis, shape[axis])
			if err != nil {
				failed = err
				return
			}
			f(done+k, row[0]+k*w.step(0)+i*stride)
		}
		done += n
	})
	return failed
}

// gatherAt is GatherElements.
func gatherAt[T tensor.Element](c call) (*tensor.Tensor, error) {
	x := tensor.Data[T](c.in[0])
	out := make([]T, c.in[1].Len())
	err := c.elements(c.in[0].Shape(), func(i, offset int) { out[i] = x[offset] })
	if err != nil {
		return nil, err
	}
	return tensor.Of(out, c.in[1].Shape()...), nil
}

// scatterAdd is ScatterElements with reduction add, the only one in the graph.
func scatterAdd[T float](c call) (*tensor.Tensor, error) {
	out, updates := c.in[0].Clone(), tensor.Data[T](c.in[2])
	sum := tensor.Data[T](out)
	err := c.elements(out.Shape(), func(i, offset int) { sum[offset] += updates[i] })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// scatterND writes whole rows of what lies behind the indexed axes.
func scatterND[T tensor.Element](c call) (*tensor.Tensor, error) {
	x := c.in[0]
	if !c.overwrite {
		x = x.Clone()
	}
	data, updates, at := tensor.Data[T](x), tensor.Data[T](c.in[2]), c.ints(1)
	shape := c.in[1].Shape()
	depth := shape[len(shape)-1]
	inner := tensor.Numel(x.Shape()[depth:])
	for k := range tensor.Numel(shape[:len(shape)-1]) {
		offset := 0
		for axis, n := range x.Shape()[:depth] {
			i, err := index(at[k*depth+axis], axis, n)
			if err != nil {
				return nil, err
			}
			offset = offset*n + i
		}
		copy(data[offset*inner:][:inner], updates[k*inner:])
	}
	return x, nil
}
