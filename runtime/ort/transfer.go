package ort

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/nopezoo/zoo/graph/tensor"
)

// Upload copies a float32 tensor into a value of its size, which lies in the memory of the
// session's device, or is bound to Go memory.
func (s *Session) Upload(to *Value, t *tensor.Tensor) error { return s.transfer(to, t, true) }

// Download copies a value into a float32 tensor of its size: the reverse of Upload.
func (s *Session) Download(t *tensor.Tensor, from *Value) error { return s.transfer(from, t, false) }

func (s *Session) transfer(v *Value, t *tensor.Tensor, up bool) (err error) {
	if v.bound == nil {
		return fmt.Errorf("ort: copy: %w", ErrClosed)
	}
	if v.dtype != tensor.Float32 || t.DType() != tensor.Float32 || v.bytes() != 4*int64(t.Len()) {
		return fmt.Errorf("ort: copy between %v and %v: they differ in type or size", v, t)
	}
	data := tensor.Data[float32](t)
	if !v.onDevice() {
		memory := unsafe.Slice((*float32)(at(v.bound.data)), len(data))
		if up {
			copy(memory, data)
		} else {
			copy(data, memory)
		}
		return nil
	}
	host, err := NewValue(tensor.Of(data, 1, 1, len(data)))
	if err != nil {
		return err
	}
	shape := v.shape()
	defer func() { err = errors.Join(err, v.Reshape(shape...), host.Close()) }()
	if err := v.Reshape(1, 1, len(data)); err != nil {
		return err
	}
	if up {
		return s.Arrange(v, host, []int{0}, 0)
	}
	return s.Arrange(host, v, []int{0}, 0)
}

// View returns another value of a shape at the start of the same memory. It must be closed
// before v is.
func (v *Value) View(shape ...int) (*Value, error) {
	if v.bound == nil {
		return nil, fmt.Errorf("ort: view: %w", ErrClosed)
	}
	if n := tensor.Numel(shape); len(shape) == 0 || slices.Min(shape) < 0 || n > v.room {
		return nil, fmt.Errorf("ort: view: the memory of %d elements cannot be a value of shape %v", v.room, slices.Clone(shape))
	}
	api, err := retain()
	if err != nil {
		return nil, err
	}
	b := &bound{api: api, where: v.bound.where, data: v.bound.data}
	b.pin.Pin(b)
	view, err := newValue(b, v.dtype, v.room, shape)
	if err != nil {
		return nil, fmt.Errorf("ort: view: %w", err)
	}
	view.of = v
	return view, nil
}
