package runtime

import (
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

// buffer is the memory of one input or output. It is bound to the engine anew
// when its shape changes, and allocated anew only when it is too small.
type buffer[T tensor.Element] struct {
	data  []T // of the current shape; more capacity may lie behind
	shape []int
	value value
}

// resize gives the buffer a shape. When that needs new memory it makes room for
// capacity elements. The contents are lost unless the shape stays the same.
func (b *buffer[T]) resize(e engine, capacity int, shape ...int) error {
	if b.value != nil && slices.Equal(b.shape, shape) {
		return nil
	}
	if err := b.close(); err != nil {
		return err
	}
	n := tensor.Numel(shape)
	if n > cap(b.data) {
		b.data = make([]T, max(n, capacity))
	}
	b.data = b.data[:n]
	b.shape = append(b.shape[:0], shape...)
	var err error
	b.value, err = e.Bind(tensor.Of(b.data, shape...))
	return err
}

func (b *buffer[T]) close() error {
	if b.value == nil {
		return nil
	}
	err := b.value.Close()
	b.value = nil
	return err
}

// cache is the memory of one state: a run reads it from one buffer and writes
// it to the other.
type cache struct {
	state
	buffers [2]buffer[float32]
	now     int // the buffer that the next run reads
}

func (c *cache) past() *buffer[float32]    { return &c.buffers[c.now] }
func (c *cache) present() *buffer[float32] { return &c.buffers[1-c.now] }
func (c *cache) swap()                     { c.now = 1 - c.now }

// reset makes the state what it is before the first token.
func (c *cache) reset(e engine, rows int) error {
	shape := c.shape(rows, 0)
	if err := c.past().resize(e, 0, shape...); err != nil {
		return err
	}
	for i := range c.past().data {
		c.past().data[i] = c.initial
	}
	return nil
}

// keep drops all rows but the listed ones of a state of so many slots.
func (c *cache) keep(e engine, rows []int, slots int) error {
	if c.batch < 0 {
		return nil
	}
	from, to := c.past(), c.present()
	if err := to.resize(e, 0, c.shape(len(rows), slots)...); err != nil {
		return err
	}
	outer, inner := tensor.Numel(from.shape[:c.batch]), tensor.Numel(from.shape[c.batch+1:])
	old := from.shape[c.batch]
	for o := range outer {
		for i, r := range rows {
			copy(to.data[(o*len(rows)+i)*inner:][:inner], from.data[(o*old+r)*inner:])
		}
	}
	c.swap()
	return nil
}
