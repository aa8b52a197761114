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
	swap(raw, t.dtype.described().size)
	return raw
}

// FromRaw returns the tensor of which raw is Raw, and takes raw for its memory where it can. It fails when raw has not as
// many bytes as the tensor, and on a bool that is neither 0 nor 1.
func FromRaw(dtype DType, raw []byte, shape ...int) (*Tensor, error) {
	size := dtype.described().size
	if n := dtype.Bytes(Numel(shape)); n != len(raw) {
		return nil, fmt.Errorf("%d bytes for a tensor %v%v of %d", len(raw), dtype, shape, n)
	}
	if err := checkBools(dtype, raw); err != nil {
		return nil, err
	}
	if aligned := uintptr(unsafe.Pointer(unsafe.SliceData(raw)))%uintptr(max(size, 1)) == 0; !aligned || !littleEndian || len(raw) == 0 {
		t := New(dtype, shape...)
		copy(t.memory(), raw)
		if !littleEndian {
			swap(t.memory(), size)
		}
		return t, nil
	}
	return &Tensor{dtype, slices.Clone(shape), dtype.described().over(raw)}, nil
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

// swap reverses the bytes of each element.
func swap(raw []byte, size int) {
	for at := 0; at < len(raw); at += size {
		slices.Reverse(raw[at : at+size])
	}
}

// memory is the bytes of the elements where they lie.
func (t *Tensor) memory() []byte { return t.dtype.described().memory(t.data) }
