package ort

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nopezoo/zoo/graph/tensor"
)

func sub(field protowire.Number, content ...byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), content)
}

func join(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func varint(field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), v)
}

func TestReadHeader(t *testing.T) {
	input := join(sub(1, []byte("x")...), sub(2, sub(1, join(varint(1, 7), sub(2, join(
		sub(1, varint(1, 3)...), sub(1, sub(2, []byte("batch")...)...), sub(1))...))...)...))
	weight := join(sub(1, []byte("w")...), sub(2, sub(1, varint(1, 1)...)...))
	model := join(
		varint(1, 8),
		sub(7, join(
			sub(11, input...),
			sub(11, weight...), // declared as an input, but it has an initializer
			sub(5, sub(8, []byte("w")...)...),
			sub(12, weight...),
			protowire.AppendFixed32(protowire.AppendTag(nil, 99, protowire.Fixed32Type), 1),
			protowire.AppendFixed64(protowire.AppendTag(nil, 98, protowire.Fixed64Type), 1))...),
		sub(14, join(sub(1, 'k'), sub(2, 'v'))...))
	got, err := readHeader(model)
	if err != nil {
		t.Fatal(err)
	}
	want := header{
		inputs:   []IO{{Name: "x", DType: tensor.Int64, Dims: []int64{3, -1, -1}, Axes: []string{"", "batch", ""}}},
		outputs:  []IO{{Name: "w", DType: tensor.Float32}},
		metadata: map[string]string{"k": "v"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(header{})); diff != "" {
		t.Error(diff)
	}
	if got, want := got.inputs[0].String()+" "+got.outputs[0].String(), "x[int64 3,batch,?] w[float32 of any shape]"; got != want {
		t.Errorf("described as %s, want %s", got, want)
	}
	for n := range len(model) {
		if _, err := readHeader(model[:n]); err == nil && n < len(model)-len(sub(14, join(sub(1, 'k'), sub(2, 'v'))...)) {
			t.Errorf("a model cut to %d bytes was accepted", n)
		}
	}
}

func TestReadHeaderErrors(t *testing.T) {
	sequence := join(sub(1, []byte("s")...), sub(2, sub(4)...))
	for _, tt := range []struct {
		name  string
		model []byte
		want  string
	}{
		{"sequence", sub(7, sub(11, sequence...)...), `value "s" is not a tensor`},
		{"string", sub(7, sub(12, join(sub(1, 's'), sub(2, sub(1, varint(1, 8)...)...))...)...), `value "s" has ONNX element type 8`},
		{"untyped", sub(7, sub(11, join(sub(1, 's'), sub(2, sub(1)...))...)...), `value "s" has no element type`},
		{"no graph", varint(1, 8), "it has no graph"},
		{"group", protowire.AppendTag(nil, 7, protowire.StartGroupType), "not an ONNX model"},
		{"long length", []byte{0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, "not an ONNX model"},
	} {
		if _, err := readHeader(tt.model); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v, want it to contain %q", tt.name, err, tt.want)
		}
	}
}

func FuzzReadHeader(f *testing.F) {
	f.Add(sub(7, join(sub(11, join(sub(1, 'x'), sub(2, sub(1, join(varint(1, 1), sub(2, sub(1, varint(1, 3)...)...))...)...))...), sub(5, sub(8, 'w')...))...))
	f.Add(sub(14, sub(1, 'k')...))
	f.Fuzz(func(t *testing.T, model []byte) {
		h, err := readHeader(model)
		if err != nil {
			return
		}
		for _, io := range append(h.inputs, h.outputs...) {
			if len(io.Dims) != len(io.Axes) || io.DType == tensor.Invalid || io.String() == "" {
				t.Errorf("inconsistent %+v", io)
			}
		}
	})
}
