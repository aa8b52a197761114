package train

import (
	"errors"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// buffer is memory of a run apart from the checkpoint's tensors, which only copying brings
// into step with it: all that the graph optimizer works on. Where the session's provider
// has a device it lies there.
type buffer struct {
	value  engine.Value
	memory *tensor.Tensor     // nil on a device
	device engine.DeviceModel // nil where there is none
}

// newBuffer makes one of a shape, in which nothing is written yet.
func newBuffer(m engine.Model, shape []int) (*buffer, error) {
	device, ok := m.(engine.DeviceModel)
	if !ok {
		memory := tensor.New(tensor.Float32, shape...)
		value, err := m.Bind(memory)
		return &buffer{value: value, memory: memory}, err
	}
	value, err := device.Allocate(tensor.Numel(shape))
	if err != nil {
		return nil, err
	}
	if err := value.Reshape(shape...); err != nil {
		return nil, errors.Join(err, value.Close())
	}
	return &buffer{value: value, device: device}, nil
}

// write copies a tensor of the same shape into the buffer.
func (b *buffer) write(t *tensor.Tensor) error {
	if b.device != nil {
		return b.device.Upload(b.value, t)
	}
	copy(tensor.Data[float32](b.memory), tensor.Data[float32](t))
	return nil
}

// read copies the buffer into a tensor of the same shape.
func (b *buffer) read(t *tensor.Tensor) error {
	if b.device != nil {
		return b.device.Download(t, b.value)
	}
	copy(tensor.Data[float32](t), tensor.Data[float32](b.memory))
	return nil
}
