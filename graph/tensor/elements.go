package tensor

import "unsafe"

// DType is the element type of a tensor.
type DType uint8

// The element types zoo knows. Float64 occurs only inside the interpreter
// (gradient checks); Float16 and BFloat16 in stored weights and in files of these
// precisions, the integers of 4, 8 and 32 bits in quantized files.
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
	Int4     // −8…7, two in a byte, see Tensor.As
)

// Element lists the Go types that tensor data can have.
type Element interface {
	float32 | float64 | uint16 | int64 | bool | int8 | uint8 | int32 | BFloat16Bits | int4Pair
}

// elementType is what differs between element types.
type elementType struct {
	name    string // ONNX-style, in lower case
	safe    string // in safetensors files
	element any    // 0 of the Go type that holds it
	onnx    int32  // in ONNX files (TensorProto.DataType); 0, "undefined" there, for none
	size    int    // bytes of what holds an element, in memory and in files
	each    int    // elements in that
	zeros   func(n int) any
	over    func(raw []byte) any      // the elements that lie in aligned memory
	memory  func(elements any) []byte // the inverse of over
}

func typeOf[T Element](name, safe string, onnx int32) elementType {
	var zero T
	size := int(unsafe.Sizeof(zero))
	return elementType{name, safe, zero, onnx, size, 1,
		func(n int) any { return make([]T, n) },
		func(raw []byte) any { return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)/size) },
		func(elements any) []byte {
			d := elements.([]T)
			return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(d))), len(d)*size)
		}}
}

var elementTypes = [...]elementType{
	Invalid:  {name: "invalid"},
	Float32:  typeOf[float32]("float32", "F32", 1),
	Float64:  typeOf[float64]("float64", "F64", 11),
	Float16:  typeOf[uint16]("float16", "F16", 10),
	Int64:    typeOf[int64]("int64", "I64", 7),
	Bool:     typeOf[bool]("bool", "BOOL", 9),
	Int8:     typeOf[int8]("int8", "I8", 3),
	Uint8:    typeOf[uint8]("uint8", "U8", 2),
	Int32:    typeOf[int32]("int32", "I32", 6),
	BFloat16: typeOf[BFloat16Bits]("bfloat16", "BF16", 16),
	Int4:     pairsOf(typeOf[int4Pair]("int4", "", 22)),
}

// described is the element type's row of the table; Invalid's for a number that is none.
func (d DType) described() *elementType {
	if int(d) >= len(elementTypes) {
		d = Invalid
	}
	return &elementTypes[d]
}

// String returns the ONNX-style lower-case name.
func (d DType) String() string { return d.described().name }

// Bytes returns the bytes that n elements take in memory and in files; 0 for Invalid.
func (d DType) Bytes(n int) int { return d.described().held(n) * d.described().size }

// held is how many values of the Go type hold n elements.
func (e *elementType) held(n int) int { return (n + max(e.each, 1) - 1) / max(e.each, 1) }

// Halves reports whether an element is a floating-point number of 16 bits: see Tensor.As.
func (d DType) Halves() bool { return d == Float16 || d == BFloat16 }

// ONNX returns the element type's number in ONNX files; 0, which is ONNX's
// "undefined", for none.
func (d DType) ONNX() int32 { return d.described().onnx }

// FromONNX returns the element type with that number in ONNX files; Invalid for one
// that zoo does not know.
func FromONNX(code int32) DType {
	return typeWith(func(e *elementType) bool { return e.onnx == code })
}

// fromSafe is the element type of that name in safetensors files; Invalid for none.
func fromSafe(name string) DType {
	return typeWith(func(e *elementType) bool { return e.safe == name })
}

// dtypeOf returns the element type that is held as T.
func dtypeOf[T Element]() DType {
	return typeWith(func(e *elementType) bool { _, is := e.element.(T); return is })
}

// typeWith is the first element type that has a property; Invalid for none.
func typeWith(has func(*elementType) bool) DType {
	for d := range elementTypes {
		if has(&elementTypes[d]) {
			return DType(d)
		}
	}
	return Invalid
}
