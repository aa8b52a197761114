// Package tensor holds the one dense tensor type that every other package of
// zoo exchanges: a dtype, a shape and row-major data. It computes nothing.
package tensor

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// Tensor is a dense row-major array. The zero value is not usable; see New and
// Of. A tensor with an axis of length 0 is legal and holds no data.
type Tensor struct {
	dtype DType
	shape []int
	data  any // []T with T as dtype says
}

// Numel returns the number of elements of a shape; 1 for the empty shape.
func Numel(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// New returns a zero-filled tensor. It panics on a negative axis or an invalid
// dtype, which are bugs of the caller: shapes from files are checked on reading.
func New(dtype DType, shape ...int) *Tensor {
	for _, d := range shape {
		if d < 0 {
			panic(fmt.Sprintf("tensor: negative axis in shape %v", shape))
		}
	}
	e := dtype.described()
	if e.size == 0 {
		panic(fmt.Sprintf("tensor: cannot make a tensor of %v", dtype))
	}
	return &Tensor{dtype, slices.Clone(shape), e.zeros(e.held(Numel(shape)))}
}

// Of wraps data without copying. It panics when the length does not match the
// shape, which is a bug of the caller.
func Of[T Element](data []T, shape ...int) *Tensor {
	dtype := dtypeOf[T]()
	if len(data) != dtype.described().held(Numel(shape)) {
		panic(fmt.Sprintf("tensor: %d elements for shape %v", len(data), shape))
	}
	return &Tensor{dtype, slices.Clone(shape), data}
}

// Data returns the tensor's own elements (not a copy). It panics when T is not
// the tensor's element type.
func Data[T Element](t *Tensor) []T {
	d, ok := t.data.([]T)
	if !ok {
		panic(fmt.Sprintf("tensor: data of a %v tensor asked for as %v", t.dtype, dtypeOf[T]()))
	}
	return d
}

// DType returns the element type.
func (t *Tensor) DType() DType { return t.dtype }

// Shape returns the axes. The caller must not change the slice.
func (t *Tensor) Shape() []int { return t.shape }

// Len returns the number of elements.
func (t *Tensor) Len() int { return Numel(t.shape) }

// size returns the bytes of the data.
func (t *Tensor) size() int { return t.dtype.Bytes(t.Len()) }

// String describes the tensor without its data, as "float32[2,3]".
func (t *Tensor) String() string {
	s := t.dtype.String() + "["
	for i, d := range t.shape {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprint(d)
	}
	return s + "]"
}

// Reshaped returns a tensor with another shape over the same data.
// It panics when the number of elements differs.
func (t *Tensor) Reshaped(shape ...int) *Tensor {
	if Numel(shape) != t.Len() {
		panic(fmt.Sprintf("tensor: cannot view %v as shape %v", t, shape))
	}
	return &Tensor{dtype: t.dtype, shape: slices.Clone(shape), data: t.data}
}

// Clone returns a deep copy.
func (t *Tensor) Clone() *Tensor {
	c := New(t.dtype, t.shape...)
	copy(c.memory(), t.memory())
	return c
}

// CheckFinite returns an error for a tensor of float32 or of halves with a NaN or an
// infinity. Integers are finite.
func CheckFinite(t *Tensor) error {
	switch data := t.data.(type) {
	case []float32:
		for i, v := range data {
			if math.Float32bits(v)&infinity == infinity {
				return notFinite(i, v)
			}
		}
	case []uint16:
		for i, v := range data {
			if v&0x7c00 == 0x7c00 {
				return notFinite(i, Float32FromFloat16(v))
			}
		}
	case []BFloat16Bits:
		for i, v := range data {
			if v&(infinity>>16) == infinity>>16 {
				return notFinite(i, v.float32())
			}
		}
	}
	return nil
}

// infinity is the bits of a float32 that is infinite; a NaN has them too.
const infinity = 0x7f800000

func notFinite(i int, v float32) error {
	return fmt.Errorf("element %d is %v: want finite numbers", i, v)
}

// Equal reports whether dtype, shape and every bit of the data agree (so NaN
// equals the same NaN, and 0 differs from -0).
func Equal(a, b *Tensor) bool {
	return a.dtype == b.dtype && slices.Equal(a.shape, b.shape) && bytes.Equal(a.memory(), b.memory())
}
