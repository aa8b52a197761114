package tensor_test

import (
	"slices"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
)

// Two numbers are in a byte, the first in the lower four bits (ONNX, TensorProto.DataType INT4).
func TestInt4(t *testing.T) {
	for _, values := range [][]int8{{}, {-8}, {7, -8, -1}, {0, 1, 2, 3, -4, -5}} {
		packed := tensor.Of(values, len(values)).As(tensor.Int4)
		if got := tensor.Data[int8](packed.As(tensor.Int8)); !slices.Equal(got, values) {
			t.Errorf("%v became %v", values, got)
		}
		raw := packed.Raw()
		if len(raw) != (len(values)+1)/2 || len(raw) != tensor.Int4.Bytes(len(values)) {
			t.Errorf("%v has %d bytes", values, len(raw))
		}
		back, err := tensor.FromRaw(tensor.Int4, raw, len(values))
		if err != nil || !tensor.Equal(back, packed) || !tensor.Equal(packed.Clone(), packed) {
			t.Errorf("%v: %v read again, %v", values, back, err)
		}
	}
	if raw := tensor.Of([]int8{7, -8, -1}, 3).As(tensor.Int4).Raw(); !slices.Equal(raw, []byte{0x87, 0x0f}) {
		t.Errorf("bytes %x", raw)
	}
	if _, err := tensor.FromRaw(tensor.Int4, []byte{1}, 3); err == nil {
		t.Error("three numbers in one byte")
	}
	if v := tensor.Data[int8](tensor.Of([]int8{-128, 5}, 2).As(tensor.Int8)); !slices.Equal(v, []int8{-128, 5}) {
		t.Errorf("int8 %v", v)
	}
}
