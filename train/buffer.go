package train

import (
	"errors"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/ort"
)

// buffer is memory of a run apart from the checkpoint's tensors, which only copying brings
// into step with it: all that the graph optimizer works on. Where the session's provider
// has a device it lies there.
type buffer struct {
	session *ort.Session
	value   *ort.Value
}

// newBuffer makes one of a shape, in which nothing is written yet.
func newBuffer(s *ort.Session, shape []int) (*buffer, error) {
	b := &buffer{session: s}
	var err error
	if !s.OnDevice() {
		b.value, err = ort.NewValue(tensor.New(tensor.Float32, shape...))
		return b, err
	}
	if b.value, err = s.Allocate(tensor.Numel(shape)); err != nil {
		return nil, err
	}
	if err := b.value.Reshape(shape...); err != nil {
		return nil, errors.Join(err, b.value.Close())
	}
	return b, nil
}

// write copies a tensor of the same shape into the buffer.
func (b *buffer) write(t *tensor.Tensor) error { return b.session.Upload(b.value, t) }

// read copies the buffer into a tensor of the same shape.
func (b *buffer) read(t *tensor.Tensor) error { return b.session.Download(t, b.value) }
