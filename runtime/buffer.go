package runtime

import (
	"errors"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// buffer is the memory of one input or output. A new shape costs an allocation
// only when the memory is too small for it.
type buffer[T tensor.Element] struct {
	memory []T
	data   []T // of the current shape, the start of memory
	shape  []int
	value  engine.Value // memory, bound; nil after close
}

// resize gives the buffer a shape. When that needs new memory it makes room for
// capacity elements, and the contents are lost; else the memory stays as it is.
func (b *buffer[T]) resize(m engine.Model, capacity int, shape ...int) error {
	if b.value != nil && slices.Equal(b.shape, shape) {
		return nil
	}
	n := tensor.Numel(shape)
	if n > len(b.memory) {
		if err := b.close(); err != nil {
			return err
		}
		b.memory = make([]T, max(n, capacity))
	}
	if b.value == nil {
		var err error
		if b.value, err = m.Bind(tensor.Of(b.memory, len(b.memory))); err != nil {
			return err
		}
	}
	b.data = b.memory[:n]
	b.shape = append(b.shape[:0], shape...)
	return b.value.Reshape(b.shape...)
}

// close unbinds the memory and keeps it.
func (b *buffer[T]) close() error {
	if b.value == nil {
		return nil
	}
	err := b.value.Close()
	b.value = nil
	return err
}

// state is the memory of one state of a model, in the provider's memory.
type state interface {
	// reset makes the state what it is before the first token.
	reset(rows int) error
	// load gives so many rows the state that was saved of one row with so many filled slots.
	// Where memory has to be made, it is for capacity slots.
	load(from savedState, rows, filled, capacity int) error
	// save returns a copy of the state of one row that has filled so many slots, at least one.
	save(filled int) (savedState, error)
	// advance shapes the memory that the next run writes for so many slots. Filled are
	// those that the runs so far have; where memory has to be made, it is for capacity slots.
	advance(rows, filled, slots, capacity int) error
	// values are what the next run reads and writes.
	values() (past, present engine.Value)
	// swap makes what a run has written what the next one reads.
	swap()
	// keep drops all rows but the listed ones, which are in order.
	keep(rows []int) error
	close() error
}

// savedState is a copy of a state, which loading it leaves as it is.
type savedState interface{ close() error }

// newState returns the memory of a state in a model.
func newState(m engine.Model, s card.State) state {
	if d, ok := m.(engine.DeviceModel); ok {
		return newDeviceState(d, s)
	}
	if s.DType == card.Float16 {
		return newCache[uint16](m, s)
	}
	return newCache[float32](m, s)
}

// cache is a state in Go memory, of float32 or of the bits of float16. A run reads it from past and writes it to present.
// These are two buffers, so that a run that failed can be repeated; a state in place,
// whose filled slots no run changes, has one that is both.
type cache[T float32 | uint16] struct {
	card.State
	model         engine.Model
	past, present *buffer[T]
	dims          []int // scratch
}

func newCache[T float32 | uint16](m engine.Model, s card.State) *cache[T] {
	c := &cache[T]{State: s, model: m, past: new(buffer[T]), present: new(buffer[T])}
	if s.Kind == card.InPlace {
		c.present = c.past
	}
	return c
}

func (c *cache[T]) values() (past, present engine.Value) { return c.past.value, c.present.value }

func (c *cache[T]) swap() { c.past, c.present = c.present, c.past }

// shape returns the state's shape for so many rows and slots. The next call
// overwrites it.
func (c *cache[T]) shape(rows, slots int) []int {
	c.dims = c.AppendDims(c.dims[:0], rows, slots)
	return c.dims
}

func (c *cache[T]) reset(rows int) error {
	if err := c.past.resize(c.model, 0, c.shape(rows, 0)...); err != nil {
		return err
	}
	c.initialize(c.past.data)
	return nil
}

// initialize sets memory to what the state is before the first token.
func (c *cache[T]) initialize(data []T) {
	for i := range data {
		data[i] = T(c.Initial) // in float16 it is 0, whose bits are 0
	}
}

// savedCache is a savedState in Go memory.
type savedCache[T float32 | uint16] struct{ region[T] }

func (savedCache[T]) close() error { return nil }

func (c *cache[T]) save(filled int) (savedState, error) {
	shape := slices.Clone(c.shape(1, filled))
	to := region[T]{data: make([]T, tensor.Numel(shape)), shape: shape}
	copyRegion(to, region[T]{data: c.past.data, shape: c.past.shape}, shape)
	return savedCache[T]{to}, nil
}

func (c *cache[T]) load(from savedState, rows, filled, capacity int) error {
	saved := from.(savedCache[T])
	need := tensor.Numel(c.shape(rows, capacity))
	if err := c.past.resize(c.model, need, c.shape(rows, filled)...); err != nil {
		return err
	}
	axis := rowAxis(c.State)
	if axis < 0 {
		rows = 1
	}
	to := region[T]{data: c.past.data, shape: c.past.shape, corner: make([]int, len(c.Shape))}
	for row := range rows {
		if axis >= 0 {
			to.corner[axis] = row
		}
		copyRegion(to, saved.region, saved.shape)
	}
	return nil
}

func (c *cache[T]) advance(rows, filled, slots, capacity int) error {
	old, had := c.past.data, c.past.shape[c.Axis]
	need := tensor.Numel(c.shape(rows, capacity))
	if err := c.present.resize(c.model, need, c.shape(rows, slots)...); err != nil {
		return err
	}
	if c.Kind == card.InPlace && slots > had {
		c.spread(c.present, old, had, filled, 0)
	}
	return nil
}

// spread brings the filled slots from where they lay in old, with room for had slots, to where
// they belong in a buffer with room for more, behind so many others, and clears these: they are
// masked, but must be numbers.
func (c *cache[T]) spread(into *buffer[T], old []T, had, filled, behind int) {
	data, shape := into.data, into.shape
	outer, slots, inner := tensor.Numel(shape[:c.Axis]), shape[c.Axis], tensor.Numel(shape[c.Axis+1:])
	for o := outer - 1; o >= 0; o-- { // from the end: within one memory all moves towards it
		to := data[o*slots*inner:][:slots*inner]
		copy(to[behind*inner:], old[o*had*inner:][:filled*inner])
		clear(to[:behind*inner])
		clear(to[(behind+filled)*inner:])
	}
}

func (c *cache[T]) keep(rows []int) error {
	axis := rowAxis(c.State)
	if axis < 0 {
		return nil
	}
	data, old := c.past.data, c.past.shape[axis]
	c.dims = append(c.dims[:0], c.past.shape...)
	c.dims[axis] = len(rows)
	outer, inner := tensor.Numel(c.dims[:axis]), tensor.Numel(c.dims[axis+1:])
	if err := c.present.resize(c.model, 0, c.dims...); err != nil {
		return err
	}
	for o := range outer {
		for i, r := range rows { // within one memory all moves towards its start
			copy(c.present.data[(o*len(rows)+i)*inner:][:inner], data[(o*old+r)*inner:])
		}
	}
	c.swap()
	return nil
}

// close unbinds the memory and keeps it.
func (c *cache[T]) close() error { return errors.Join(c.past.close(), c.present.close()) }
