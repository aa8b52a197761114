package interp

import (
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// walk visits, in row-major order of one shape, the matching elements of
// several arrays. Axes that all arrays step through alike are merged, so that
// operands of equal shape are a single row.
type walk struct {
	shape   []int
	strides [][]int // of each array, by axis
}

func newWalk(shape []int, strides ...[]int) walk {
	w := walk{strides: make([][]int, len(strides))}
	for axis, n := range shape {
		if n == 1 {
			continue
		}
		k := len(w.shape)
		merge := k > 0
		for a, s := range strides {
			merge = merge && w.strides[a][k-1] == s[axis]*n
		}
		if !merge {
			w.shape = append(w.shape, 1)
			k++
		}
		w.shape[k-1] *= n
		for a, s := range strides {
			w.strides[a] = append(w.strides[a][:k-1], s[axis])
		}
	}
	if len(w.shape) == 0 {
		w.shape = []int{1}
		for a := range strides {
			w.strides[a] = []int{0}
		}
	}
	return w
}

// step is the distance of an array's elements within a row.
func (w walk) step(array int) int { return w.strides[array][len(w.shape)-1] }

// rows calls row for each row of n elements with the offset of its first
// element in each array.
func (w walk) rows(row func(n int, at []int)) {
	if tensor.Numel(w.shape) == 0 {
		return
	}
	outer := len(w.shape) - 1
	index := make([]int, outer)
	at := make([]int, len(w.strides))
	for {
		row(w.shape[outer], at)
		axis := outer - 1
		for ; axis >= 0; axis-- {
			index[axis]++
			for a := range at {
				at[a] += w.strides[a][axis]
			}
			if index[axis] < w.shape[axis] {
				break
			}
			for a := range at {
				at[a] -= w.strides[a][axis] * index[axis]
			}
			index[axis] = 0
		}
		if axis < 0 {
			return
		}
	}
}

// rowMajor returns the strides of contiguous data.
func rowMajor(shape []int) []int {
	s := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}

// spread returns the strides with which contiguous data of one shape is read
// when broadcast to another.
func spread(shape, to []int) []int {
	own := rowMajor(shape)
	s := make([]int, len(to))
	skip := len(to) - len(shape)
	for i, n := range shape {
		if n != 1 {
			s[skip+i] = own[i]
		}
	}
	return s
}

// broadcast returns the shape that operands broadcast to.
func broadcast(operands ...*tensor.Tensor) []int {
	var out []int
	for _, t := range operands {
		out = broadcastShapes(out, t.Shape())
	}
	return out
}

func broadcastShapes(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := append([]int{}, a...)
	for i, n := range b {
		if k := len(a) - len(b) + i; out[k] == 1 {
			out[k] = n
		}
	}
	return out
}

// around splits a shape at an axis into the number of elements before it, its
// length, and the number of elements after it.
func around(shape []int, axis int) (outer, n, inner int) {
	return tensor.Numel(shape[:axis]), shape[axis], tensor.Numel(shape[axis+1:])
}

// axis reads an axis attribute, counted from the end where negative.
func (c call) axis(missing int64, rank int) int {
	a := int(graph.Attribute(c.node, "axis", missing))
	if a < 0 {
		a += rank
	}
	return a
}
