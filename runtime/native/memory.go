package native

import (
	"errors"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

// kind is one of the executor's kinds of memory.
type kind int

const (
	floats kind = iota
	integers
	truths
	elsewhere // other types: the value is made anew by each run
)

func (v *value) kind() kind { return kindOf(v.part.node.DType) }

func kindOf(d tensor.DType) kind {
	switch d {
	case tensor.Float32, tensor.Float16, tensor.BFloat16:
		return floats
	case tensor.Int64:
		return integers
	case tensor.Bool:
		return truths
	}
	return elsewhere
}

// memory is what the values of a run lie in: values that are not needed at the same time
// have the same places.
type memory struct {
	regions [3]region // by kind
	f       []float32
	i       []int64
	b       []bool
}

// region is the places of one kind of memory.
type region struct {
	size  int
	holes []hole // free places below size, in order
}

type hole struct{ at, size int }

// grain is what sizes are rounded up to: 64 bytes of float32, a line of the cache.
const grain = 16

func (m *memory) begin() {
	for k := range m.regions {
		m.regions[k].size, m.regions[k].holes = 0, m.regions[k].holes[:0]
	}
}

// take gives a value the smallest free place that is large enough.
func (m *memory) take(v *value) {
	if v.kind() == elsewhere {
		return
	}
	r := &m.regions[v.kind()]
	size := (v.size + grain - 1) / grain * grain
	best := -1
	for i, h := range r.holes {
		if h.size >= size && (best < 0 || h.size < r.holes[best].size) {
			best = i
		}
	}
	if best < 0 {
		v.at = r.size
		if n := len(r.holes); n > 0 && r.holes[n-1].at+r.holes[n-1].size == r.size { // the last grows
			v.at = r.holes[n-1].at
			r.holes = r.holes[:n-1]
		}
		r.size = v.at + size
		return
	}
	v.at = r.holes[best].at
	r.holes[best].at += size
	r.holes[best].size -= size
	if r.holes[best].size == 0 {
		r.holes = slices.Delete(r.holes, best, best+1)
	}
}

// free returns a value's place.
func (m *memory) free(v *value) {
	size := (v.size + grain - 1) / grain * grain
	if v.kind() == elsewhere || size == 0 {
		return
	}
	r := &m.regions[v.kind()]
	i := 0
	for i < len(r.holes) && r.holes[i].at < v.at {
		i++
	}
	r.holes = slices.Insert(r.holes, i, hole{v.at, size})
	for _, k := range []int{i + 1, i} { // with the one after it, with the one before it
		if k > 0 && k < len(r.holes) && r.holes[k-1].at+r.holes[k-1].size == r.holes[k].at {
			r.holes[k-1].size += r.holes[k].size
			r.holes = slices.Delete(r.holes, k, k+1)
		}
	}
}

// end makes the memory.
func (m *memory) end() error {
	for _, r := range m.regions {
		if r.size > maxElements {
			return errors.New("the values of a run have too many elements here")
		}
	}
	enlarge(&m.f, m.regions[floats].size)
	enlarge(&m.i, m.regions[integers].size)
	enlarge(&m.b, m.regions[truths].size)
	return nil
}

// enlarge makes room for n elements, and where that was done before, for an eighth more:
// states that grow need a little more with each token.
func enlarge[T any](memory *[]T, n int) {
	had := len(*memory)
	if n <= had {
		return
	}
	*memory = nil // what is there may go first
	if had > 0 && n < 2*had {
		n += n / 8
	}
	*memory = make([]T, n)
}

// give sets a value's memory to its place.
func (m *memory) give(v *value) {
	switch v.kind() {
	case floats:
		v.f = m.f[v.at : v.at+v.size : v.at+v.size]
	case integers:
		v.i = m.i[v.at : v.at+v.size : v.at+v.size]
	case truths:
		v.b = m.b[v.at : v.at+v.size : v.at+v.size]
	}
}
