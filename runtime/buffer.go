package runtime

import (
	"errors"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
)

// buffer is the memory of one input or output. A new shape costs an allocation
// only when the memory is too small for it.
type buffer[T tensor.Element] struct {
	memory []T
	data   []T // of the current shape, the start of memory
	shape  []int
	value  Value // memory, bound; nil after close
}

// resize gives the buffer a shape. When that needs new memory it makes room for
// capacity elements, and the contents are lost; else the memory stays as it is.
func (b *buffer[T]) resize(m Model, capacity int, shape ...int) error {
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

// cache is the memory of one state: a run reads it from one buffer and writes
// it to the other, so that after a failure it can be run again. A state in place has
// one buffer only.
type cache struct {
	card.State
	buffers [2]buffer[float32]
	now     int // the buffer that the next run reads
	dims    []int
}

func (c *cache) past() *buffer[float32] { return &c.buffers[c.now] }

func (c *cache) present() *buffer[float32] {
	if c.Kind == card.InPlace {
		return c.past()
	}
	return &c.buffers[1-c.now]
}

func (c *cache) swap() {
	if c.Kind != card.InPlace {
		c.now = 1 - c.now
	}
}

// shape returns the state's shape for so many rows and slots. The next call
// overwrites it.
func (c *cache) shape(rows, slots int) []int {
	c.dims = c.AppendDims(c.dims[:0], rows, slots)
	return c.dims
}

// reset makes the state what it is before the first token.
func (c *cache) reset(m Model, rows int) error {
	if c.Kind == card.InPlace {
		return nil // widen clears what it has not filled
	}
	if err := c.past().resize(m, 0, c.shape(rows, 0)...); err != nil {
		return err
	}
	for i := range c.past().data {
		c.past().data[i] = float32(c.Initial)
	}
	return nil
}

// advance shapes the memory that a run writes which fills the state up to
// so many slots, with room for capacity slots where memory is needed.
func (c *cache) advance(m Model, rows, slots, capacity int) error {
	room := tensor.Numel(c.shape(rows, capacity))
	return c.present().resize(m, room, c.shape(rows, slots)...)
}

// widen shapes a state in place for so many slots of room, of which so many are filled,
// and clears the others: what is masked must still be a number. Where memory is needed
// it is made for capacity slots. What is there moves within the memory if it can.
func (c *cache) widen(m Model, rows, filled, room, capacity int) error {
	b := c.past()
	shape := c.shape(rows, room)
	if filled > 0 && slices.Equal(b.shape, shape) {
		return nil
	}
	old, had := b.data, 0
	if filled > 0 {
		had = b.shape[c.Axis]
	}
	need := tensor.Numel(c.shape(rows, max(room, capacity)))
	if err := b.resize(m, need, c.shape(rows, room)...); err != nil {
		return err
	}
	outer, inner := tensor.Numel(b.shape[:c.Axis]), tensor.Numel(b.shape[c.Axis+1:])
	for o := outer - 1; o >= 0; o-- { // from the end, since everything moves towards it
		to := b.data[o*room*inner:][:room*inner]
		if filled > 0 {
			copy(to, old[o*had*inner:][:filled*inner])
		}
		clear(to[filled*inner:])
	}
	return nil
}

// keep drops all rows but the listed ones, which are in order, of a state of so many slots.
func (c *cache) keep(m Model, rows []int, slots int) error {
	axis := slices.Index(c.Shape, card.Batch)
	if axis < 0 {
		return nil
	}
	from, to := c.past(), c.present()
	data, shape := from.data, slices.Clone(from.shape)
	if c.Kind == card.InPlace {
		slots = shape[c.Axis]
	}
	if err := to.resize(m, 0, c.shape(len(rows), slots)...); err != nil {
		return err
	}
	outer, inner := tensor.Numel(shape[:axis]), tensor.Numel(shape[axis+1:])
	for o := range outer {
		for i, r := range rows { // in one memory, everything moves towards its start
			copy(to.data[(o*len(rows)+i)*inner:][:inner], data[(o*shape[axis]+r)*inner:])
		}
	}
	c.swap()
	return nil
}

// close unbinds the memory and keeps it.
func (c *cache) close() error { return errors.Join(c.buffers[0].close(), c.buffers[1].close()) }
