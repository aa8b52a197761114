package safety

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// typed has of each element type, as ONNX's TensorProto.DataType numbers them, the bits of an element, the list that
// holds single values, and how many of them three elements take.
var typed = []struct {
	name   string
	bits   int
	list   string
	values int
}{
	0: {"undefined", 0, "", 0},
	1: {"float", 32, "float", 3}, 2: {"uint8", 8, "int32", 3}, 3: {"int8", 8, "int32", 3}, 4: {"uint16", 16, "int32", 3},
	5: {"int16", 16, "int32", 3}, 6: {"int32", 32, "int32", 3}, 7: {"int64", 64, "int64", 3}, 8: {"string", 0, "string", 3},
	9: {"bool", 8, "int32", 3}, 10: {"float16", 16, "int32", 3}, 11: {"double", 64, "double", 3}, 12: {"uint32", 32, "uint64", 3},
	13: {"uint64", 64, "uint64", 3}, 14: {"complex64", 64, "float", 6}, 15: {"complex128", 128, "double", 6},
	16: {"bfloat16", 16, "int32", 3}, 17: {"float8e4m3fn", 8, "int32", 3}, 18: {"float8e4m3fnuz", 8, "int32", 3},
	19: {"float8e5m2", 8, "int32", 3}, 20: {"float8e5m2fnuz", 8, "int32", 3}, 21: {"uint4", 4, "int32", 2}, 22: {"int4", 4, "int32", 2},
	23: {"float4e2m1", 4, "int32", 2}, 24: {"float8e8m0", 8, "int32", 3}, 25: {"uint2", 2, "int32", 1}, 26: {"int2", 2, "int32", 1},
	27: {"none yet", 0, "", 0},
}

// with stores so many values of a list.
func with(t *onnxpb.TensorProto, list string, n int) *onnxpb.TensorProto {
	switch list {
	case "float":
		t.FloatData = make([]float32, n)
	case "double":
		t.DoubleData = make([]float64, n)
	case "int32":
		t.Int32Data = make([]int32, n)
	case "int64":
		t.Int64Data = make([]int64, n)
	case "uint64":
		t.Uint64Data = make([]uint64, n)
	case "string":
		t.StringData = make([][]byte, n)
	case "raw":
		t.RawData = make([]byte, n)
	}
	return t
}

// TestStoredTypes: a tensor of each type has the values that its shape takes, in the list of its type or as bytes, and
// passes with no more, no less and in no other list.
func TestStoredTypes(t *testing.T) {
	three := func(code int) *onnxpb.TensorProto {
		return &onnxpb.TensorProto{DataType: int32(code), Dims: []int64{3}}
	}
	for code, of := range typed {
		if got := onnxpb.Bits(int32(code)); got != of.bits {
			t.Errorf("%s: %d bits, want %d", of.name, got, of.bits)
		}
		if of.list == "" {
			if err := checkTensor(three(code)); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("its element type is %d,", code)) {
				t.Errorf("%s: %v", of.name, err)
			}
			continue
		}
		check := func(list string, n int, passes bool) {
			if err := checkTensor(with(three(code), list, n)); passes != (err == nil) {
				t.Errorf("%s: %d values of %s: %v", of.name, n, list, err)
			}
		}
		for _, list := range []string{"float", "double", "int32", "int64", "uint64", "string"} {
			for n := 1; n <= 7; n++ {
				check(list, n, list == of.list && n == of.values)
			}
		}
		bytes := (3*of.bits + 7) / 8
		for n := range 50 {
			check("raw", n, of.bits > 0 && n == bytes)
		}
		for _, second := range []string{"float", "double", "int32", "int64", "uint64", "string", "raw"} {
			if second == of.list {
				continue
			}
			if err := checkTensor(with(with(three(code), of.list, of.values), second, 1)); err == nil || !strings.Contains(err.Error(), "data of several kinds") {
				t.Errorf("%s, with %s too: %v", of.name, second, err)
			}
		}
		none := three(code)
		none.Dims[0] = 0
		if err := checkTensor(none); err != nil {
			t.Errorf("%s: without elements: %v", of.name, err)
		}
	}
	for _, code := range []int32{-1, 1 << 30} {
		if onnxpb.Bits(code) != 0 {
			t.Errorf("type %d has bits", code)
		}
	}
	raw := with(three(8), "raw", 3) // strings are no bytes
	if err := checkTensor(raw); err == nil || !strings.Contains(err.Error(), "data of several kinds") {
		t.Errorf("raw strings: %v", err)
	}
}

// TestStoredElsewhere: data that is not in the tensor itself is refused, however it is said to be elsewhere.
func TestStoredElsewhere(t *testing.T) {
	for name, of := range map[string]struct {
		change func(t *onnxpb.TensorProto)
		want   string
	}{
		"location": {func(t *onnxpb.TensorProto) { t.DataLocation = 1 }, "its data is in another file"},
		"unknown":  {func(t *onnxpb.TensorProto) { t.DataLocation = 2 }, "its data is in another file"},
		"file":     {func(t *onnxpb.TensorProto) { t.ExternalData = []*onnxpb.StringStringEntryProto{{Key: "location"}} }, "its data is in another file"},
		"segment":  {func(t *onnxpb.TensorProto) { t.Segment = []byte{0} }, "it is one segment of a tensor"},
	} {
		x := &onnxpb.TensorProto{DataType: 1, Dims: []int64{1}, FloatData: []float32{2}}
		if err := checkTensor(x); err != nil {
			t.Fatal(err)
		}
		if of.change(x); x.Segment != nil && len(x.Segment) == 0 {
			t.Fatal(name)
		}
		if err := checkTensor(x); err == nil || !strings.Contains(err.Error(), of.want) {
			t.Errorf("%s: %v, want %q", name, err, of.want)
		}
	}
}

// TestElements: the most axes, lengths and elements that a tensor may claim, and one more.
func TestElements(t *testing.T) {
	ones := make([]int64, MaxRank+1)
	for i := range ones {
		ones[i] = 1
	}
	for _, tc := range []struct {
		dims  []int64
		bits  int
		count int64
		want  string // "" passes
	}{
		{nil, 32, 1, ""},
		{ones[:MaxRank], 32, 1, ""},
		{ones, 32, 0, "it has 17 axes; supported are 16"},
		{[]int64{2, 3, 4}, 8, 24, ""},
		{[]int64{MaxFile}, 8, MaxFile, ""},
		{[]int64{MaxFile}, 4, MaxFile, ""},
		{[]int64{MaxFile + 1}, 2, 0, "axis 0 has the length 2147483648"},
		{[]int64{1, -1}, 8, 0, "axis 1 has the length -1"},
		{[]int64{0, MaxFile, MaxFile}, 8, 0, ""},
		{[]int64{MaxFile, 0}, 8, 0, ""},
		{[]int64{MaxFile, 2}, 4, 2 * MaxFile, ""},
		{[]int64{MaxFile, 2}, 8, 0, "declares more data"},
		{[]int64{MaxFile / 4}, 32, MaxFile / 4, ""},
		{[]int64{MaxFile/4 + 1}, 32, 0, "its shape [536870912] declares more data than a file can hold"},
		{[]int64{MaxFile / 16}, 128, MaxFile / 16, ""},
		{[]int64{MaxFile/16 + 1}, 128, 0, "declares more data"},
	} {
		n, err := elementsOf(&onnxpb.TensorProto{Dims: tc.dims}, tc.bits)
		if tc.want == "" && (err != nil || n != tc.count) || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%v of %d bits: %d, %v, want %d, %q", tc.dims, tc.bits, n, err, tc.count, tc.want)
		}
	}
	// A string and an element of four bits are counted as a byte, so that no more of them are claimed than a file has.
	for _, code := range []int32{8, 22} {
		err := checkTensor(&onnxpb.TensorProto{DataType: code, Dims: []int64{MaxFile, 2}})
		if err == nil || !strings.Contains(err.Error(), "declares more data") {
			t.Errorf("type %d: %v", code, err)
		}
		err = checkTensor(&onnxpb.TensorProto{DataType: code, Dims: []int64{MaxFile}})
		if err == nil || !strings.Contains(err.Error(), "which takes ") {
			t.Errorf("type %d: %v", code, err)
		}
	}
}

// TestBools: a bool is 0 or 1, as a byte or as a value.
func TestBools(t *testing.T) {
	for v := range 4 {
		for _, code := range []int32{typeBool, 2} {
			raw := &onnxpb.TensorProto{DataType: code, Dims: []int64{2}, RawData: []byte{1, byte(v)}}
			single := &onnxpb.TensorProto{DataType: code, Dims: []int64{2}, Int32Data: []int32{0, int32(v)}}
			for _, x := range []*onnxpb.TensorProto{raw, single} {
				err := checkTensor(x)
				if good := v < 2 || code != typeBool; good != (err == nil) || !good && !strings.Contains(err.Error(), fmt.Sprintf("element 1 of a bool tensor is %d", v)) {
					t.Errorf("type %d, value %d: %v", code, v, err)
				}
			}
		}
	}
	if err := checkTensor(&onnxpb.TensorProto{DataType: typeBool, Dims: []int64{1}, Int32Data: []int32{-1}}); err == nil {
		t.Error("a bool of -1 passes")
	}
}

// TestPacked: values of less than a byte share one, and complex numbers take two.
func TestPacked(t *testing.T) {
	for _, tc := range []struct {
		code     int32
		elements int64
		values   int64
	}{{21, 9, 5}, {22, 8, 4}, {25, 9, 3}, {26, 8, 2}, {22, 33, 17}, {14, 3, 6}, {15, 3, 6}, {1, 9, 9}, {3, 9, 9}, {8, 9, 9}} {
		if got := valuesFor(tc.code, tc.elements); got != tc.values {
			t.Errorf("%d elements of type %d take %d values, want %d", tc.elements, tc.code, got, tc.values)
		}
	}
}
