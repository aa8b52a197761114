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
	bytes // integers of 8 and 32 bits, of quantized files
	signedBytes
	words
	kinds // how many there are
)

func (v *value) kind() kind { return kindOf(v.part.node.DType) }

func kindOf(d tensor.DType) kind {
	switch d {
	case tensor.Int64:
		return integers
	case tensor.Bool:
		return truths
	case tensor.Uint8:
		return bytes
	case tensor.Int8:
		return signedBytes
	case tensor.Int32:
		return words
	}
	return floats
}

// slots is memory of one kind.
type slots struct {
	f  []float32 // of float16, too, rounded
	i  []int64
	b  []bool
	u8 []uint8
	i8 []int8
	w  []int32
}

// cut returns so many elements of the memory from a place on.
func (s *slots) cut(k kind, at, n int) (part slots) {
	switch end := at + n; k {
	case floats:
		part.f = s.f[at:end:end]
	case integers:
		part.i = s.i[at:end:end]
	case truths:
		part.b = s.b[at:end:end]
	case bytes:
		part.u8 = s.u8[at:end:end]
	case signedBytes:
		part.i8 = s.i8[at:end:end]
	case words:
		part.w = s.w[at:end:end]
	}
	return part
}

// enlarge makes room for so many elements; what was there is lost.
func (s *slots) enlarge(k kind, n int) {
	switch k {
	case floats:
		enlarge(&s.f, n)
	case integers:
		enlarge(&s.i, n)
	case truths:
		enlarge(&s.b, n)
	case bytes:
		enlarge(&s.u8, n)
	case signedBytes:
		enlarge(&s.i8, n)
	case words:
		enlarge(&s.w, n)
	}
}

// set makes a tensor's memory this.
func (s *slots) set(t *tensor.Tensor) {
	switch kindOf(t.DType()) {
	case floats:
		s.f = tensor.Data[float32](t)
	case integers:
		s.i = tensor.Data[int64](t)
	case truths:
		s.b = tensor.Data[bool](t)
	case bytes:
		s.u8 = tensor.Data[uint8](t)
	case signedBytes:
		s.i8 = tensor.Data[int8](t)
	case words:
		s.w = tensor.Data[int32](t)
	}
}

// tensor returns a tensor over the memory.
func (s *slots) tensor(k kind, shape []int) *tensor.Tensor {
	switch k {
	case integers:
		return tensor.Of(s.i, shape...)
	case truths:
		return tensor.Of(s.b, shape...)
	case bytes:
		return tensor.Of(s.u8, shape...)
	case signedBytes:
		return tensor.Of(s.i8, shape...)
	case words:
		return tensor.Of(s.w, shape...)
	}
	return tensor.Of(s.f, shape...)
}

// copy copies a tensor into the memory.
func (s *slots) copy(t *tensor.Tensor) {
	var from slots
	from.set(t)
	copy(s.f, from.f)
	copy(s.i, from.i)
	copy(s.b, from.b)
	copy(s.u8, from.u8)
	copy(s.i8, from.i8)
	copy(s.w, from.w)
}

// memory is what the values of a run lie in: values that are not needed at the same time
// have the same places.
type memory struct {
	regions [kinds]region // by kind
	slots
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
	if size == 0 {
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
	for k, r := range m.regions {
		m.enlarge(kind(k), r.size)
	}
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
	if n < 2*had {
		n += n / 8
	}
	*memory = make([]T, n)
}

// give sets a value's memory to its place.
func (m *memory) give(v *value) { v.slots = m.cut(v.kind(), v.at, v.size) }
