package tensor_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph/tensor"
)

func everyDType() map[string]*tensor.Tensor {
	return map[string]*tensor.Tensor{
		"b":           tensor.Of([]float32{1.5, float32(math.NaN()), float32(math.Inf(-1))}, 3),
		"a":           tensor.Of([]float32{1, 2, 3, 4}, 2, 2),
		"half":        tensor.Of([]uint16{0x3c00, 0xc000, 1}, 1, 3),
		"brain":       tensor.Of([]tensor.BFloat16Bits{0x3f80, 0xc000, 1}, 3),
		"flags":       tensor.Of([]bool{true, false, true}, 3),
		"ids":         tensor.Of([]int64{math.MinInt64, 7}, 2),
		"double":      tensor.Of([]float64{math.Pi}),
		"empty":       tensor.New(tensor.Float32, 2, 0, 3),
		"\"odd\" é\n": tensor.Of([]int64{1}),
		"":            tensor.Of([]bool{true}),
	}
}

func written(t *testing.T, tensors map[string]*tensor.Tensor, metadata map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := tensor.WriteSafetensors(&buf, tensors, metadata); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func read(data []byte) (map[string]*tensor.Tensor, map[string]string, error) {
	return tensor.ReadSafetensors(bytes.NewReader(data), int64(len(data)))
}

func TestSafetensorsRoundTrip(t *testing.T) {
	big := tensor.New(tensor.Float32, 70_000) // more than one chunk
	for i := range tensor.Data[float32](big) {
		tensor.Data[float32](big)[i] = float32(i)
	}
	for name, tc := range map[string]struct {
		tensors  map[string]*tensor.Tensor
		metadata map[string]string
	}{
		"every dtype": {everyDType(), map[string]string{"format": "zoo", "z": "", "a": "\x01<>"}},
		"nothing":     {map[string]*tensor.Tensor{}, nil},
		"chunks":      {map[string]*tensor.Tensor{"big": big}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			data := written(t, tc.tensors, tc.metadata)
			tensors, metadata, err := read(data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.tensors, tensors, cmp.Comparer(tensor.Equal)); diff != "" {
				t.Errorf("tensors (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.metadata, metadata); diff != "" {
				t.Errorf("metadata (-want +got):\n%s", diff)
			}
			if again := written(t, tensors, metadata); !bytes.Equal(data, again) {
				t.Error("writing the same again gives other bytes")
			}
		})
	}
}

// TestSafetensorsBytes holds the exact file: other programs read it.
func TestSafetensorsBytes(t *testing.T) {
	got := written(t, map[string]*tensor.Tensor{
		"w.b": tensor.Of([]float32{1}, 1),
		"w.a": tensor.Of([]float32{-2}, 1, 1),
		"ids": tensor.Of([]int64{3}, 1),
	}, map[string]string{"k": "v"})
	header := `{"__metadata__":{"k":"v"},"ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},` +
		`"w.a":{"dtype":"F32","shape":[1,1],"data_offsets":[8,12]},"w.b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}}`
	header += strings.Repeat(" ", -len(header)&7)
	want := binary.LittleEndian.AppendUint64(nil, uint64(len(header))) // 8 bytes of length
	want = append(want, header...)
	want = append(want, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0x80, 0x3f)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// file puts a header and data together.
func file(header string, data ...byte) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), data...)
}

func TestReadSafetensorsBFloat16(t *testing.T) {
	got, _, err := read(file(`{"x":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]}}`, 0x80, 0x3f, 0x00, 0xc0, 0x80,
		0x7f))
	if err != nil {
		t.Fatal(err)
	}
	if want := tensor.Of([]tensor.BFloat16Bits{0x3f80, 0xc000, 0x7f80}, 3); !tensor.Equal(got["x"], want) {
		t.Errorf("got %v", got["x"])
	}
}

func TestReadSafetensorsErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		data []byte
		want string
	}{
		"empty":       {nil, "0 bytes are too few"},
		"long header": {binary.LittleEndian.AppendUint64(nil, 1<<63), "does not fit"},
		"header past end": {append(binary.LittleEndian.AppendUint64(nil, 3), "{}"...),
			"a header of 3 bytes does not fit"},
		"no object":     {file(`[]`), "not a JSON object"},
		"no header":     {file(``), "not a JSON object"},
		"bad JSON":      {file(`{"x":}`), `header: "x"`},
		"cut JSON":      {file(`{"x":{"dtype":"F32","shape":[],"data_offsets":[0,0]}`), "header"},
		"rest":          {file(`{} {}`), "3 bytes follow the JSON object"},
		"unknown field": {file(`{"x":{"dtyp":"F32"}}`), "dtyp"},
		"unknown dtype": {file(`{"x":{"dtype":"F8","shape":[],"data_offsets":[0,1]}}`, 0),
			`dtype "F8" is not known`},
		"metadata not text": {file(`{"__metadata__":{"a":1}}`), `"__metadata__"`},
		"metadata twice":    {file(`{"__metadata__":{},"__metadata__":{}}`), "occurs twice"},
		"name twice": {file(`{"x":{"dtype":"BOOL","shape":[0],"data_offsets":[0,0]},"x":{"dtype":"BOOL","shape":[0],"data_offsets":[0,0]}}`),
			`"x" occurs twice`},
		"no shape":      {file(`{"x":{"dtype":"F32","data_offsets":[0,4]}}`, 0, 0, 0, 0), "has no shape"},
		"negative axis": {file(`{"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 0, 0, 0, 0), "negative axis"},
		"huge axis": {file(`{"x":{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,4]}}`, 0, 0, 0, 0),
			`"x"`},
		"overflow": {file(`{"x":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`),
			"too large"},
		"hidden overflow": {file(`{"x":{"dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0]}}`),
			"too large"},
		"past the end":    {file(`{"x":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}}`, 0), "outside the 1 bytes"},
		"backwards":       {file(`{"x":{"dtype":"BOOL","shape":[1],"data_offsets":[1,0]}}`, 0), "outside"},
		"negative offset": {file(`{"x":{"dtype":"BOOL","shape":[1],"data_offsets":[-1,0]}}`, 0), `"x"`},
		"wrong span": {file(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,2]}}`, 0, 0),
			"needs 4 bytes, offsets [0 2] span 2"},
		"overlap": {file(`{"x":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]},"y":{"dtype":"BOOL","shape":[2],"data_offsets":[1,3]}}`, 0, 0, 0),
			`"y": starts at byte 1 where 2 is due`},
		"gap": {file(`{"x":{"dtype":"BOOL","shape":[1],"data_offsets":[1,2]}}`, 0, 0),
			"starts at byte 1 where 0 is due"},
		"leftover": {file(`{"x":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}}`, 0, 0),
			"1 bytes follow the last tensor"},
		"no bool": {file(`{"x":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}}`, 2),
			"element 0 is 2, which is no bool"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := read(tc.data)
			if err == nil || !strings.Contains(err.Error(), tc.want) ||
				!strings.HasPrefix(err.Error(), "safetensors: ") {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestReadSafetensorsShortReader(t *testing.T) {
	data := written(t, everyDType(), nil)
	for _, n := range []int{4, 100, len(data) - 1} {
		_, _, err := tensor.ReadSafetensors(bytes.NewReader(data[:n]), int64(len(data)))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("reading %d of %d bytes: got %v, want an unexpected EOF", n, len(data), err)
		}
	}
}

func TestWriteSafetensorsBadNames(t *testing.T) {
	for _, name := range []string{"__metadata__", "\xff"} {
		named := map[string]*tensor.Tensor{name: tensor.Of([]bool{true})}
		if err := tensor.WriteSafetensors(io.Discard, named, nil); err == nil {
			t.Errorf("a tensor named %q was written", name)
		}
	}
	if err := tensor.WriteSafetensors(io.Discard, nil, map[string]string{"k": "\xff"}); err == nil {
		t.Error("metadata that is not UTF-8 was written")
	}
}

func FuzzReadSafetensors(f *testing.F) {
	var buf bytes.Buffer
	if err := tensor.WriteSafetensors(&buf, everyDType(), map[string]string{"a": "b"}); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Add(file(`{"x":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}`, 0x80, 0x3f))
	f.Add(file(`{"x":{"dtype":"BOOL","shape":[0,99999999],"data_offsets":[0,0]}} `))
	f.Fuzz(func(t *testing.T, data []byte) {
		tensors, metadata, err := read(data)
		if err != nil {
			return
		}
		again, metadata2, err := read(written(t, tensors, metadata))
		if err != nil {
			t.Fatal(err)
		}
		if len(metadata)+len(metadata2) > 0 && !cmp.Equal(metadata, metadata2) ||
			!cmp.Equal(tensors, again, cmp.Comparer(tensor.Equal)) {
			t.Error("what was read does not survive writing")
		}
	})
}
