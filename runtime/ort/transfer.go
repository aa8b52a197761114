package ort

import (
	"context"
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

// Copy makes a value in the memory of the session's device with the contents of a tensor of
// int64. It is a run of a graph that copies; where the provider does not copy integers, ONNX
// Runtime moves the result.
func (s *Session) Copy(t *tensor.Tensor) (*Value, error) {
	v, err := s.copy(t)
	if err != nil {
		return nil, fmt.Errorf("ort: copy %v: %w", t, err)
	}
	return v, nil
}

func (s *Session) copy(t *tensor.Tensor) (v *Value, err error) {
	if !s.OnDevice() {
		return nil, errNoDevice
	}
	c, err := s.device.helper(&s.device.copy, func() []byte {
		return modelFile(message(nil).text(2, "copy").part(1, node("Identity", toOutput, []string{fromInput}, nil)).
			part(11, value(fromInput, tensor.Int64, "n")).part(12, value(toOutput, tensor.Int64, "n")))
	}, true)
	if err != nil {
		return nil, err
	}
	if v, err = s.allocate(tensor.Int64, max(t.Len(), 1)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.Close())
		}
	}()
	from, err := NewValue(tensor.Of(tensor.Data[int64](t), t.Len()))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := c.RunValues(context.Background(), []*Value{from}, []*Value{v}); err != nil {
		return nil, err
	}
	return v, v.Reshape(t.Shape()...)
}
