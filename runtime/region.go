package runtime

import (
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

// region is a part of a tensor of float32: so many places of each axis from a corner on.
type region[T any] struct {
	data   []T
	shape  []int
	corner []int // nil for zeros
}

func (r region[T]) at(axis int) int {
	if r.corner == nil {
		return 0
	}
	return r.corner[axis]
}

// copyRegion copies size places of from to to. The two share no memory.
func copyRegion[T any](to, from region[T], size []int) {
	copyAxis(to, from, size, 0)
}

// copyAxis is copyRegion for the axes from that one on, whose data is what the regions have.
func copyAxis[T any](to, from region[T], size []int, axis int) {
	a, b := tensor.Numel(to.shape[axis+1:]), tensor.Numel(from.shape[axis+1:])
	to.data, from.data = to.data[to.at(axis)*a:], from.data[from.at(axis)*b:]
	if rest := size[axis+1:]; slices.Equal(rest, to.shape[axis+1:]) && slices.Equal(rest, from.shape[axis+1:]) {
		copy(to.data[:size[axis]*a], from.data)
		return
	}
	for range size[axis] {
		copyAxis(to, from, size, axis+1)
		to.data, from.data = to.data[a:], from.data[b:]
	}
}
