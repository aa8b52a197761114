package ort

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/wrap"
)

// value is a tensor bound to ONNX Runtime: a view of Go memory, which is pinned
// until Close, or memory of a device (deviceSession.Allocate). A session reads inputs from it and
// writes outputs into it without copying. Making one needs an open session.
type value struct {
	dtype   tensor.DType
	room    int     // elements in the memory
	dims    []int64 // of the value, which lies at its start; pinned
	spare   []int64 // for the next dims; pinned
	bound   *bound
	owner   *value // whose memory a view is of: it must not be cleaned up before the view
	cleanup goruntime.Cleanup
}

// bound is what must be given back; it is apart from value so that a forgotten
// value can be cleaned up. It is pinned itself, for next.
type bound struct {
	api    *api
	where  handle // OrtMemoryInfo
	owner  handle // OrtValue that owns the memory, which is device's; 0 for Go memory and views
	device *device
	made   handle // OrtValue
	next   handle // where ONNX Runtime puts a new one
	data   uintptr
	dtype  uintptr // ONNXTensorElementDataType
	size   int     // of an element, in bytes
	pin    goruntime.Pinner
}

func (b *bound) free() error {
	b.release()
	b.pin.Unpin()
	var err error
	if b.device != nil {
		err = b.device.drop()
	}
	return errors.Join(err, release())
}

// release releases the values; 0 does nothing.
func (b *bound) release() {
	defer b.device.lock()()
	b.api.call(releaseValue, uintptr(b.made))
	b.api.call(releaseValue, uintptr(b.owner))
}

// set makes the value anew, with other dims, which must be pinned. Where it fails
// the old one stays.
func (b *bound) set(dims []int64) error {
	bytes := b.size
	for _, d := range dims {
		bytes *= int(d)
	}
	err := b.api.do(createTensorWithDataAsOrtValue, uintptr(b.where), b.data, uintptr(bytes),
		first(dims), uintptr(len(dims)), b.dtype, address(&b.next))
	if err != nil {
		return err
	}
	b.api.call(releaseValue, uintptr(b.made)) // 0 the first time, which does nothing
	b.made = b.next
	return nil
}

// bindTensor binds t's own memory.
func bindTensor(t *tensor.Tensor) (*value, error) {
	api, err := retain()
	if err != nil {
		return nil, err
	}
	b := &bound{api: api, where: api.memory}
	b.pin.Pin(b)
	b.data = hold(t, &b.pin)
	v, err := newValue(b, t.DType(), t.Len(), t.Shape())
	return wrap.Value(v, err, "ort: bind %v", t)
}

// newValue makes a value of a shape at the start of memory that b, which is pinned,
// describes. It frees b when it fails.
func newValue(b *bound, dtype tensor.DType, room int, shape []int) (*value, error) {
	b.dtype, b.size = uintptr(dtype.ONNX()), dtype.Bytes(1)
	v := &value{dtype: dtype, room: room, dims: b.newDims(len(shape)), spare: b.newDims(len(shape)), bound: b}
	for _, d := range shape {
		v.dims = append(v.dims, int64(d))
	}
	if err := b.set(v.dims); err != nil {
		return nil, errors.Join(err, b.free())
	}
	v.cleanup = goruntime.AddCleanup(v, func(b *bound) { _ = b.free() }, b)
	return v, nil
}

// newDims makes pinned room for dims.
func (b *bound) newDims(rank int) []int64 {
	dims := make([]int64, 0, rank)
	pinSlice(&b.pin, dims)
	return dims
}

// Reshape makes the value a tensor of another shape at the start of the same
// memory, which must have room for it. It must not be called while a run uses
// the value.
func (v *value) Reshape(shape ...int) error {
	if v.bound == nil {
		return fmt.Errorf("ort: reshape: %w", ErrClosed)
	}
	if n := tensor.Numel(shape); len(shape) > 0 && slices.Min(shape) < 0 || n > v.room {
		return fmt.Errorf("ort: reshape: the memory of %d elements of %v cannot be a value of shape %v", v.room, v.dtype,
			slices.Clone(shape))
	}
	if cap(v.spare) < len(shape) {
		v.spare = v.bound.newDims(len(shape))
	}
	dims := v.spare[:0]
	for _, d := range shape {
		dims = append(dims, int64(d))
	}
	if err := v.bound.set(dims); err != nil {
		return fmt.Errorf("ort: reshape %v to %v: %w", v, slices.Clone(shape), err)
	}
	v.dims, v.spare = dims, v.dims
	return nil
}

// String describes the value without its data, as "float32[2,3]".
func (v *value) String() string {
	dims := lists.Map(v.dims, func(d int64) string { return strconv.FormatInt(d, 10) })
	return v.dtype.String() + "[" + strings.Join(dims, ",") + "]"
}

// onDevice reports whether the value lies in a device's memory.
func (v *value) onDevice() bool { return v.bound.where != v.bound.api.memory }

func (v *value) shape() []int {
	return lists.Map(v.dims, func(d int64) int { return int(d) })
}

// bytes is the size of the value.
func (v *value) bytes() int64 {
	n := int64(v.dtype.Bytes(1))
	for _, d := range v.dims {
		n *= d
	}
	return n
}

// Close unbinds the memory, which stays valid for Go; a device's is freed. It must not be called
// while a run uses the value. Closing again does nothing.
func (v *value) Close() error {
	if v.bound == nil {
		return nil
	}
	v.cleanup.Stop()
	b := v.bound
	v.bound = nil
	return b.free()
}

// hold pins a tensor's data and returns where it lies, 0 when it has none.
func hold(t *tensor.Tensor, pin *goruntime.Pinner) uintptr {
	switch t.DType() {
	case tensor.Float32:
		return pinSlice(pin, tensor.Data[float32](t))
	case tensor.Float64:
		return pinSlice(pin, tensor.Data[float64](t))
	case tensor.Int64:
		return pinSlice(pin, tensor.Data[int64](t))
	case tensor.Int32:
		return pinSlice(pin, tensor.Data[int32](t))
	case tensor.Bool:
		return pinSlice(pin, tensor.Data[bool](t))
	case tensor.Uint8:
		return pinSlice(pin, tensor.Data[uint8](t))
	case tensor.BFloat16:
		return pinSlice(pin, tensor.Data[tensor.BFloat16Bits](t))
	default:
		return pinSlice(pin, tensor.Data[uint16](t))
	}
}
