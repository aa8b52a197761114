package train

import (
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/ort"
)

// buffer is memory of a run apart from the checkpoint's tensors, which only copying brings
// into step with it: all that the graph optimizer works on. It may as well be a device's.
type buffer struct {
	memory *tensor.Tensor
	value  *ort.Value
}

// newBuffer makes one of a shape, which holds zeros.
func newBuffer(shape []int) (*buffer, error) {
	b := &buffer{memory: tensor.New(tensor.Float32, shape...)}
	var err error
	b.value, err = ort.NewValue(b.memory)
	return b, err
}

// write copies a tensor of the same shape into the buffer.
func (b *buffer) write(t *tensor.Tensor) error {
	copy(tensor.Data[float32](b.memory), tensor.Data[float32](t))
	return nil
}

// read copies the buffer into a tensor of the same shape.
func (b *buffer) read(t *tensor.Tensor) error {
	copy(tensor.Data[float32](t), tensor.Data[float32](b.memory))
	return nil
}
