//go:build cgo

package ort

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/nopezoo/zoo/graph/tensor"
)

// Value is a tensor bound to ONNX Runtime: a view of Go memory, which is pinned
// until Close. A session reads inputs from it and writes outputs into it without
// copying. Making one needs an open session.
type Value struct {
	tensor  *tensor.Tensor // all of the memory
	dims    []int64        // of the value, which lies at its start
	spare   []int64        // for the next dims
	bound   *bound
	cleanup goruntime.Cleanup
}

// bound is what must be given back; it is apart from Value so that a forgotten
// Value can be cleaned up.
type bound struct {
	by     *direct        // nil: the binding
	direct unsafe.Pointer // its value
	value  ort.Value      // the binding's
	data   unsafe.Pointer // the memory
	pin    goruntime.Pinner
}

func (b *bound) free() error {
	var err error
	if b.direct != nil {
		b.by.release(b.direct)
	}
	if b.value != nil {
		err = b.value.Destroy()
	}
	b.pin.Unpin()
	return errors.Join(err, release())
}

// set makes the value anew, with other dims. Where it fails the old one stays.
func (b *bound) set(t *tensor.Tensor, dims []int64) error {
	n := t.DType().Size()
	for _, d := range dims {
		n *= int(d)
	}
	if b.by != nil {
		v, err := b.by.value(b.data, n, dims, t.DType())
		if err != nil {
			return err
		}
		if b.direct != nil {
			b.by.release(b.direct)
		}
		b.direct = v
		return nil
	}
	v, err := bindDims(t, dims, &b.pin)
	if err != nil {
		return err
	}
	old := b.value
	b.value = v
	if old != nil {
		_ = old.Destroy() // nobody uses it any more
	}
	return nil
}

// NewValue binds t's own memory. Axes of length 0 are fine; rank 0 is not: use
// shape [1].
func NewValue(t *tensor.Tensor) (*Value, error) {
	if err := checkRank(t); err != nil {
		return nil, fmt.Errorf("ort: %w", err)
	}
	direct, err := retain()
	if err != nil {
		return nil, err
	}
	b := &bound{by: direct}
	v := &Value{tensor: t, dims: dimsOf(t), bound: b}
	b.data = hold(t, &b.pin)
	if err := b.set(t, v.dims); err != nil {
		b.pin.Unpin()
		return nil, errors.Join(fmt.Errorf("ort: bind %v: %w", t, err), release())
	}
	v.cleanup = goruntime.AddCleanup(v, func(b *bound) { _ = b.free() }, b)
	return v, nil
}

// Reshape makes the value a tensor of another shape at the start of the same
// memory, which must have room for it. It must not be called while a run uses
// the value.
func (v *Value) Reshape(shape ...int) error {
	if v.bound == nil {
		return fmt.Errorf("ort: reshape: %w", ErrClosed)
	}
	if n := tensor.Numel(shape); len(shape) == 0 || slices.Min(shape) < 0 || n > v.tensor.Len() {
		return fmt.Errorf("ort: reshape: the memory of %v cannot be a value of shape %v", v.tensor, slices.Clone(shape))
	}
	dims := v.spare[:0]
	for _, d := range shape {
		dims = append(dims, int64(d))
	}
	if err := v.bound.set(v.tensor, dims); err != nil {
		return fmt.Errorf("ort: reshape %v to %v: %w", v, slices.Clone(shape), err)
	}
	v.dims, v.spare = dims, v.dims
	return nil
}

// String describes the value without its data, as "float32[2,3]".
func (v *Value) String() string {
	dims := make([]string, len(v.dims))
	for i, d := range v.dims {
		dims[i] = strconv.FormatInt(d, 10)
	}
	return v.tensor.DType().String() + "[" + strings.Join(dims, ",") + "]"
}

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

func checkRank(t *tensor.Tensor) error {
	if len(t.Shape()) == 0 {
		return fmt.Errorf("a tensor of rank 0 (%v) cannot be passed; use shape [1]", t)
	}
	return nil
}

func dimsOf(t *tensor.Tensor) []int64 {
	dims := make([]int64, len(t.Shape()))
	for i, d := range t.Shape() {
		dims[i] = int64(d)
	}
	return dims
}

// hold pins a tensor's data and returns where it lies; nil when it has none.
func hold(t *tensor.Tensor, pin *goruntime.Pinner) unsafe.Pointer {
	if t.Len() == 0 {
		return nil
	}
	var p unsafe.Pointer
	switch t.DType() {
	case tensor.Float32:
		p = unsafe.Pointer(&tensor.Data[float32](t)[0])
	case tensor.Float64:
		p = unsafe.Pointer(&tensor.Data[float64](t)[0])
	case tensor.Int64:
		p = unsafe.Pointer(&tensor.Data[int64](t)[0])
	case tensor.Bool:
		p = unsafe.Pointer(&tensor.Data[bool](t)[0])
	default:
		p = unsafe.Pointer(&tensor.Data[uint16](t)[0])
	}
	pin.Pin(p)
	return p
}

// bind pins a tensor and makes a value of it through the binding.
func bind(t *tensor.Tensor, pin *goruntime.Pinner) (ort.Value, error) {
	if err := checkRank(t); err != nil {
		return nil, err
	}
	hold(t, pin)
	return bindDims(t, dimsOf(t), pin)
}

// bindDims makes a value of dims at the start of pinned memory.
func bindDims(t *tensor.Tensor, dims []int64, pin *goruntime.Pinner) (ort.Value, error) {
	switch t.DType() {
	case tensor.Float32:
		return bindTyped[float32](t, dims)
	case tensor.Float64:
		return bindTyped[float64](t, dims)
	case tensor.Int64:
		return bindTyped[int64](t, dims)
	case tensor.Bool:
		return bindTyped[bool](t, dims)
	}
	return bindFloat16(t, dims, pin)
}

type element interface {
	float32 | float64 | int64 | bool
}

func bindTyped[T element](t *tensor.Tensor, dims []int64) (ort.Value, error) {
	v, err := ort.NewTensor(dims, tensor.Data[T](t))
	if err != nil {
		return nil, err // not v: a nil *Tensor in an interface is not nil
	}
	return v, nil
}

// bindFloat16 goes by bytes, since the binding takes []uint16 for integers. It
// refuses to bind no bytes at all, hence the spare ones.
func bindFloat16(t *tensor.Tensor, dims []int64, pin *goruntime.Pinner) (ort.Value, error) {
	shape := ort.Shape(dims)
	raw := make([]byte, 2)
	if n := shape.FlattenedSize(); n > 0 {
		raw = unsafe.Slice((*byte)(unsafe.Pointer(&tensor.Data[uint16](t)[0])), 2*n)
	} else {
		pin.Pin(&raw[0])
	}
	v, err := ort.NewCustomDataTensor(shape, raw, ort.TensorElementDataTypeFloat16)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// copied returns the contents of an output that ONNX Runtime allocated, which the
// binding has copied into Go memory.
func copied(v ort.Value) (*tensor.Tensor, error) {
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
