// Package tensor holds the one dense tensor type that every other package of
// zoo exchanges: a dtype, a shape and row-major data. It computes nothing.
package tensor

import (
	"fmt"
	"math"
	"slices"
)

// DType is the element type of a tensor.
type DType uint8

// The element types zoo knows. Float64 occurs only inside the interpreter
// (gradient checks); Float16 and BFloat16 in stored weights and in files of these
// precisions, the integers of 8 and 32 bits in quantized files.
const (
	Invalid DType = iota
	Float32
	Float64
	Float16 // IEEE binary16, held as its bits in a []uint16
	Int64
	Bool
	Int8
	Uint8
	Int32
	BFloat16 // the upper half of a float32, see BFloat16Bits
)

var dtypeNames = [...]string{"invalid", "float32", "float64", "float16", "int64", "bool", "int8", "uint8", "int32",
	"bfloat16"}

// String returns the ONNX-style lower-case name.
func (d DType) String() string {
	if int(d) < len(dtypeNames) {
		return dtypeNames[d]
	}
	return fmt.Sprintf("dtype(%d)", uint8(d))
}

// Size returns the bytes one element takes in memory and in files.
func (d DType) Size() int {
	switch d {
	case Float64, Int64:
		return 8
	case Float32, Int32:
		return 4
	case Float16, BFloat16:
		return 2
	case Bool, Int8, Uint8:
		return 1
	}
	return 0
}

// Halves reports whether an element is a floating-point number of 16 bits: see Tensor.As.
func (d DType) Halves() bool { return d == Float16 || d == BFloat16 }

// onnxCodes are the numbers of the element types in ONNX files (TensorProto.DataType).
var onnxCodes = map[DType]int32{
	Float32: 1, Uint8: 2, Int8: 3, Int32: 6, Int64: 7, Bool: 9, Float16: 10, Float64: 11,
	BFloat16: 16,
}

// ONNX returns the element type's number in ONNX files; 0, which is ONNX's
// "undefined", for none.
func (d DType) ONNX() int32 { return onnxCodes[d] }

// FromONNX returns the element type with that number in ONNX files; Invalid for one
// that zoo does not know.
func FromONNX(code int32) DType {
	for d, c := range onnxCodes {
		if c == code {
			return d
		}
	}
	return Invalid
}

// Element lists the Go types that tensor data can have.
type Element interface {
	float32 | float64 | uint16 | int64 | bool | int8 | uint8 | int32 | BFloat16Bits
}

// Tensor is a dense row-major array. The zero value is not usable; see New and
// Of. A tensor with an axis of length 0 is legal and holds no data.
type Tensor struct {
	dtype DType
	shape []int
	data  any // []T with T as dtype says
}

// dtypeOf returns the dtype that holds elements of type T.
func dtypeOf[T Element]() DType {
	var z T
	switch any(z).(type) {
	case float32:
		return Float32
	case float64:
		return Float64
	case uint16:
		return Float16
	case int64:
		return Int64
	case int8:
		return Int8
	case uint8:
		return Uint8
	case int32:
		return Int32
	case BFloat16Bits:
		return BFloat16
	default:
		return Bool
	}
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
	n := Numel(shape)
	t := &Tensor{dtype: dtype, shape: slices.Clone(shape)}
	switch dtype {
	case Float32:
		t.data = make([]float32, n)
	case Float64:
		t.data = make([]float64, n)
	case Float16:
		t.data = make([]uint16, n)
	case Int64:
		t.data = make([]int64, n)
	case Bool:
		t.data = make([]bool, n)
	case Int8:
		t.data = make([]int8, n)
	case Uint8:
		t.data = make([]uint8, n)
	case Int32:
		t.data = make([]int32, n)
	case BFloat16:
		t.data = make([]BFloat16Bits, n)
	default:
		panic(fmt.Sprintf("tensor: cannot make a tensor of %v", dtype))
	}
	return t
}

// Of wraps data without copying. It panics when the length does not match the
// shape, which is a bug of the caller.
func Of[T Element](data []T, shape ...int) *Tensor {
	if len(data) != Numel(shape) {
		panic(fmt.Sprintf("tensor: %d elements for shape %v", len(data), shape))
	}
	return &Tensor{dtype: dtypeOf[T](), shape: slices.Clone(shape), data: data}
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
func (t *Tensor) size() int { return t.Len() * t.dtype.Size() }

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
	c := &Tensor{dtype: t.dtype, shape: slices.Clone(t.shape)}
	switch d := t.data.(type) {
	case []float32:
		c.data = slices.Clone(d)
	case []float64:
		c.data = slices.Clone(d)
	case []uint16:
		c.data = slices.Clone(d)
	case []int64:
		c.data = slices.Clone(d)
	case []bool:
		c.data = slices.Clone(d)
	case []int8:
		c.data = slices.Clone(d)
	case []uint8:
		c.data = slices.Clone(d)
	case []int32:
		c.data = slices.Clone(d)
	case []BFloat16Bits:
		c.data = slices.Clone(d)
	}
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
	if a.dtype != b.dtype || !slices.Equal(a.shape, b.shape) {
		return false
	}
	switch x := a.data.(type) {
	case []float32:
		return slices.EqualFunc(x, b.data.([]float32), func(p, q float32) bool {
			return math.Float32bits(p) == math.Float32bits(q)
		})
	case []float64:
		return slices.EqualFunc(x, b.data.([]float64), func(p, q float64) bool {
			return math.Float64bits(p) == math.Float64bits(q)
		})
	case []uint16:
		return slices.Equal(x, b.data.([]uint16))
	case []int64:
		return slices.Equal(x, b.data.([]int64))
	case []bool:
		return slices.Equal(x, b.data.([]bool))
	case []int8:
		return slices.Equal(x, b.data.([]int8))
	case []uint8:
		return slices.Equal(x, b.data.([]uint8))
	case []int32:
		return slices.Equal(x, b.data.([]int32))
	case []BFloat16Bits:
		return slices.Equal(x, b.data.([]BFloat16Bits))
	}
	return false
}
