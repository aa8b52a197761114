package tensor_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph/tensor"
)

func TestRaw(t *testing.T) {
	for _, tc := range []struct {
		t    *tensor.Tensor
		want []byte
	}{
		{tensor.Of([]float32{1, float32(math.Inf(-1))}, 2), []byte{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xff}},
		{tensor.Of([]float64{-2}), []byte{0, 0, 0, 0, 0, 0, 0, 0xc0}},
		{tensor.Of([]uint16{0x1234}, 1, 1), []byte{0x34, 0x12}},
		{tensor.Of([]int64{-2}, 1), []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		{tensor.Of([]bool{true, false, true}, 3), []byte{1, 0, 1}},
		{tensor.Of([]int8{-2, 127}, 2), []byte{0xfe, 0x7f}},
		{tensor.Of([]uint8{254}, 1), []byte{0xfe}},
		{tensor.Of([]int32{-2}, 1), []byte{0xfe, 0xff, 0xff, 0xff}},
		{tensor.Of([]tensor.BFloat16Bits{0x1234}, 1), []byte{0x34, 0x12}},
		{tensor.New(tensor.Float32, 0, 3), []byte{}},
	} {
		raw := tc.t.Raw()
		if diff := cmp.Diff(tc.want, raw); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tc.t, diff)
		}
		for shift := range 8 { // a tensor's memory is aligned, and a file's bytes may not be
			bytes := append(make([]byte, shift, 64), raw...)[shift:]
			again, err := tensor.FromRaw(tc.t.DType(), bytes, tc.t.Shape()...)
			if err != nil || !tensor.Equal(again, tc.t) {
				t.Errorf("%v became %v, %v", tc.t, again, err)
			}
		}
		if _, err := tensor.FromRaw(tc.t.DType(), append(raw, 0), tc.t.Shape()...); err == nil {
			t.Errorf("%v took a byte too many", tc.t)
		}
	}
	if _, err := tensor.FromRaw(tensor.Bool, []byte{2}, 1); err == nil {
		t.Error("2 was taken for a bool")
	}
}

func TestONNX(t *testing.T) {
	for d, code := range map[tensor.DType]int32{
		tensor.Invalid: 0, tensor.Float32: 1, tensor.Uint8: 2, tensor.Int8: 3, tensor.Int32: 6, tensor.Int64: 7,
		tensor.Bool: 9, tensor.Float16: 10, tensor.Float64: 11, tensor.BFloat16: 16,
	} {
		if d.ONNX() != code || tensor.FromONNX(code) != d {
			t.Errorf("%v is %d, and %d is %v", d, d.ONNX(), code, tensor.FromONNX(code))
		}
	}
	if d := tensor.FromONNX(8); d != tensor.Invalid {
		t.Errorf("a string is %v", d)
	}
}
