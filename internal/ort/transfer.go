package ort

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Upload implements engine.DeviceModel.
func (s deviceSession) Upload(to engine.Value, t *tensor.Tensor) error {
	return s.transfer(to.(*value), t, func(v, host *value) error { return s.Arrange(v, host, []int{0}, 0) })
}

// Download implements engine.DeviceModel.
func (s deviceSession) Download(t *tensor.Tensor, from engine.Value) error {
	return s.transfer(from.(*value), t, func(v, host *value) error { return s.Arrange(host, v, []int{0}, 0) })
}

// transfer has copy move the numbers between a value on the device and one of a tensor's memory, both as one row.
func (s deviceSession) transfer(v *value, t *tensor.Tensor, copy func(v, host *value) error) (err error) {
	if v.bound == nil {
		return fmt.Errorf("ort: copy: %w", ErrClosed)
	}
	if v.dtype != tensor.Float32 || t.DType() != tensor.Float32 || v.bytes() != 4*int64(t.Len()) {
		return fmt.Errorf("ort: copy between %v and %v: they differ in type or size", v, t)
	}
	host, err := bindTensor(tensor.Of(tensor.Data[float32](t), 1, 1, t.Len()))
	if err != nil {
		return err
	}
	shape := v.shape()
	defer func() { err = errors.Join(err, v.Reshape(shape...), host.Close()) }()
	if err := v.Reshape(1, 1, t.Len()); err != nil {
		return err
	}
	return copy(v, host)
}

// View implements engine.DeviceModel.
func (s deviceSession) View(viewed engine.Value, shape ...int) (engine.Value, error) {
	v := viewed.(*value)
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
	view.owner = v
	return view, nil
}

// Copy implements engine.DeviceModel. It is a run of a graph that copies; where the provider does not copy integers,
// ONNX Runtime moves the result.
func (s deviceSession) Copy(t *tensor.Tensor) (engine.Value, error) {
	v, err := s.copy(t)
	return wrap.Value[engine.Value](v, err, "ort: copy %v", t)
}

func (s deviceSession) copy(t *tensor.Tensor) (v *value, err error) {
	c, err := s.device.helper(&s.device.copy, func() []byte {
		return modelFile(message(nil).text(2, "copy").part(1, node("Identity", toOutput, []string{fromInput}, nil)).
			part(11, valueInfo(fromInput, tensor.Int64, "n")).part(12, valueInfo(toOutput, tensor.Int64, "n")))
	}, true, fromInput)
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
	from, err := bindTensor(tensor.Of(tensor.Data[int64](t), t.Len()))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := engine.Run(context.Background(), c, []engine.Value{from}, []engine.Value{v}); err != nil {
		return nil, err
	}
	return v, v.Reshape(t.Shape()...)
}
