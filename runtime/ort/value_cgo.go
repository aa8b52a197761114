//go:build cgo

package ort

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/nopezoo/zoo/graph/tensor"
)

// Value is a tensor bound to ONNX Runtime: a view of Go memory, which is pinned
// until Close. A session reads inputs from it and writes outputs into it without
// copying. Making one needs an open session.
type Value struct {
	tensor  *tensor.Tensor
	bound   *bound
	cleanup goruntime.Cleanup
}

// bound is what must be given back; it is apart from Value so that a forgotten
// Value can be cleaned up.
type bound struct {
	value ort.Value
	pin   goruntime.Pinner
}

func (b *bound) free() error {
	err := b.value.Destroy()
	b.pin.Unpin()
	return errors.Join(err, release())
}

// NewValue binds t's own memory. Axes of length 0 are fine; rank 0 is not: use
// shape [1].
func NewValue(t *tensor.Tensor) (*Value, error) {
	if len(t.Shape()) == 0 {
		return nil, fmt.Errorf("ort: a tensor of rank 0 (%v) cannot be passed; use shape [1]", t)
	}
	if err := retain(); err != nil {
		return nil, err
	}
	b := &bound{}
	var err error
	if b.value, err = bind(t, &b.pin); err != nil {
		b.pin.Unpin()
		return nil, errors.Join(fmt.Errorf("ort: bind %v: %w", t, err), release())
	}
	v := &Value{tensor: t, bound: b}
	v.cleanup = goruntime.AddCleanup(v, func(b *bound) { _ = b.free() }, b)
	return v, nil
}

// Tensor returns the tensor the value is a view of.
func (v *Value) Tensor() *tensor.Tensor { return v.tensor }

// Close unbinds the memory, which stays valid for Go. It must not be called
// while a run uses the value. Closing again does nothing.
func (v *Value) Close() error {
	if v.bound == nil {
		return nil
	}
	v.cleanup.Stop()
	b := v.bound
	v.bound = nil
	return b.free()
}

func bind(t *tensor.Tensor, pin *goruntime.Pinner) (ort.Value, error) {
	shape := make(ort.Shape, len(t.Shape()))
	for i, d := range t.Shape() {
		shape[i] = int64(d)
	}
	switch t.DType() {
	case tensor.Float32:
		return bindTyped[float32](t, shape, pin)
	case tensor.Float64:
		return bindTyped[float64](t, shape, pin)
	case tensor.Int64:
		return bindTyped[int64](t, shape, pin)
	case tensor.Bool:
		return bindTyped[bool](t, shape, pin)
	case tensor.Float16:
		return bindFloat16(tensor.Data[uint16](t), shape, pin)
	}
	return nil, fmt.Errorf("dtype %v cannot be passed", t.DType())
}

type element interface {
	float32 | float64 | int64 | bool
}

func bindTyped[T element](t *tensor.Tensor, shape ort.Shape, pin *goruntime.Pinner) (ort.Value, error) {
	data := tensor.Data[T](t)
	if len(data) > 0 {
		pin.Pin(&data[0])
	}
	v, err := ort.NewTensor(shape, data)
	if err != nil {
		return nil, err // not v: a nil *Tensor in an interface is not nil
	}
	return v, nil
}

// bindFloat16 goes by bytes, since the binding takes []uint16 for integers. It
// refuses to bind no bytes at all, hence the spare element.
func bindFloat16(data []uint16, shape ort.Shape, pin *goruntime.Pinner) (ort.Value, error) {
	if len(data) == 0 {
		data = make([]uint16, 1)
	}
	pin.Pin(&data[0])
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), 2*len(data))
	v, err := ort.NewCustomDataTensor(shape, raw, ort.TensorElementDataTypeFloat16)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// adoptTensor turns an output that ONNX Runtime allocated, and the binding
// copied into Go memory, into a tensor, and releases the binding's value.
func adoptTensor(v ort.Value) (*tensor.Tensor, error) {
	defer func() { _ = v.Destroy() }()
	shape := make([]int, len(v.GetShape()))
	for i, d := range v.GetShape() {
		shape[i] = int(d)
	}
	switch v := v.(type) {
	case *ort.Tensor[float32]:
		return tensor.Of(v.GetData(), shape...), nil
	case *ort.Tensor[float64]:
		return tensor.Of(v.GetData(), shape...), nil
	case *ort.Tensor[int64]:
		return tensor.Of(v.GetData(), shape...), nil
	case *ort.Tensor[bool]:
		return tensor.Of(v.GetData(), shape...), nil
	}
	return nil, fmt.Errorf("cannot read a %T", v)
}
