package tensor

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"
)

// littleEndian says that numbers lie in memory as they do in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Raw returns the elements as safetensors files and ONNX's raw_data have them: little-endian, a bool as one byte. It
// is the tensor's own memory where that is so.
func (t *Tensor) Raw() []byte {
	if littleEndian {
		return t.memory()
	}
	raw := slices.Clone(t.memory())
	swap(raw, t.dtype.Size())
	return raw
}

// FromRaw returns the tensor of which raw is Raw, and takes raw for its memory where it can. It fails when raw has not as
// many bytes as the tensor, and on a bool that is neither 0 nor 1.
func FromRaw(dtype DType, raw []byte, shape ...int) (*Tensor, error) {
	size := dtype.Size()
	if n := Numel(shape) * size; n != len(raw) {
		return nil, fmt.Errorf("%d bytes for a tensor %v%v of %d", len(raw), dtype, shape, n)
	}
	if err := checkBools(dtype, raw); err != nil {
		return nil, err
	}
	if aligned := uintptr(unsafe.Pointer(unsafe.SliceData(raw)))%uintptr(max(size, 1)) == 0; !aligned || !littleEndian || len(raw) == 0 {
		t := New(dtype, shape...)
		copy(t.memory(), raw)
		t.fix()
		return t, nil
	}
	t := &Tensor{dtype: dtype, shape: slices.Clone(shape)}
	switch dtype {
	case Float32:
		t.data = over[float32](raw)
	case Float64:
		t.data = over[float64](raw)
	case Float16:
		t.data = over[uint16](raw)
	case Int64:
		t.data = over[int64](raw)
	case Bool:
		t.data = over[bool](raw)
	case Int8:
		t.data = over[int8](raw)
	case Uint8:
		t.data = over[uint8](raw)
	case Int32:
		t.data = over[int32](raw)
	case BFloat16:
		t.data = over[BFloat16Bits](raw)
	default:
		panic(fmt.Sprintf("tensor: cannot make a tensor of %v", dtype))
	}
	return t, nil
}

// checkBools refuses bytes that are no bool, before they are taken for one.
func checkBools(dtype DType, raw []byte) error {
	if dtype != Bool {
		return nil
	}
	if i := slices.IndexFunc(raw, func(b byte) bool { return b > 1 }); i >= 0 {
		return fmt.Errorf("element %d is %d, which is no bool", i, raw[i])
	}
	return nil
}

// fix makes numbers of the bytes of a file that were copied to the tensor's memory.
func (t *Tensor) fix() {
	if !littleEndian {
		swap(t.memory(), t.dtype.Size())
	}
}

// swap reverses the bytes of each element.
func swap(raw []byte, size int) {
	for at := 0; at < len(raw); at += size {
		slices.Reverse(raw[at : at+size])
	}
}

// memory is the bytes of the elements where they lie.
func (t *Tensor) memory() []byte {
	switch d := t.data.(type) {
	case []float32:
		return bytesOf(d)
	case []float64:
		return bytesOf(d)
	case []uint16:
		return bytesOf(d)
	case []int64:
		return bytesOf(d)
	case []bool:
		return bytesOf(d)
	case []int8:
		return bytesOf(d)
	case []int32:
		return bytesOf(d)
	case []BFloat16Bits:
		return bytesOf(d)
	default:
		return t.data.([]uint8)
	}
}

func bytesOf[T Element](d []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(d))), len(d)*int(unsafe.Sizeof(*new(T))))
}

// over is elements that lie in aligned memory.
func over[T Element](raw []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)/int(unsafe.Sizeof(*new(T))))
}
