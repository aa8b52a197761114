package interp_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
)

// conformance is the archive of the ONNX project's own node tests, which is not
// part of this repository.
const conformance = "../../../shared/conformance/onnx-node-tests.tar.gz"

// mustRun are the node tests that this package's operators cover in full. Other
// tests in the archive use operators, dtypes or attributes that graph refuses.
var mustRun = []string{
	"test_attention_4d_attn_mask_3d", "test_attention_4d_attn_mask_4d", "test_attention_4d_attn_mask_bool_4d",
	"test_attention_4d_diff_heads_sizes", "test_attention_4d_diff_heads_sizes_scaled", "test_attention_4d_scaled",
	"test_gather_0", "test_gather_elements_1", "test_gather_elements_negative_indices",
	"test_gather_negative_indices",
	"test_matmul_3d",
	"test_rms_normalization_2d_axis1", "test_rms_normalization_2d_axis_negative_1",
	"test_rms_normalization_3d_axis_negative_1_epsilon",
	"test_rms_normalization_4d_axis3", "test_rms_normalization_default_axis",
	"test_rotary_embedding_no_position_ids_interleaved", "test_rotary_embedding_no_position_ids_rotary_dim",
	"test_scatter_elements_with_duplicate_indices",
	"test_softmax_axis_0", "test_softmax_axis_2", "test_softmax_large_number",
	"test_softmax_negative_axis",
	"test_where_long_example",
}

func TestONNXNodeTests(t *testing.T) {
	files, err := readArchive(conformance)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the ONNX node tests are not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	for name := range files {
		test, isModel := strings.CutSuffix(name, "/model.onnx")
		if !isModel {
			continue
		}
		data := test + "/test_data_set_0/"
		got, err := runModel(files, name, data)
		if errors.Is(err, errRefused) {
			if slices.Contains(mustRun, test) {
				t.Errorf("%s: %v", test, err)
			}
			continue
		}
		ran = append(ran, test)
		if err == nil {
			var want *tensor.Tensor
			if want, err = parseTensor(files[data+"output_0.pb"]); err == nil {
				err = near(got, want)
			}
		}
		if err != nil {
			t.Errorf("%s: %v", test, err)
		}
	}
	slices.Sort(ran)
	t.Logf("ran %d: %v", len(ran), ran)
	for _, test := range mustRun {
		if _, there := files[test+"/model.onnx"]; !there {
			t.Errorf("%s is not in the archive", test)
		}
	}
}

// errRefused marks what zoo's graphs do not hold.
var errRefused = errors.New("refused")

func readArchive(name string) (map[string][]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if files[path.Clean(h.Name)], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
}

// near compares with the tolerances of the ONNX project's own runner.
func near(got, want *tensor.Tensor) error {
	if got.DType() != want.DType() || !slices.Equal(got.Shape(), want.Shape()) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	if want.DType() != tensor.Float32 {
		if !tensor.Equal(got, want) {
			return fmt.Errorf("values differ")
		}
		return nil
	}
	for i, w := range tensor.Data[float32](want) {
		g := tensor.Data[float32](got)[i]
		if !(math.Abs(float64(g-w)) <= 1e-7+1e-3*math.Abs(float64(w))) {
			return fmt.Errorf("element %d is %v, want %v", i, g, w)
		}
	}
	return nil
}

// runModel computes the first output of a model from the inputs next to it.
func runModel(files map[string][]byte, model, data string) (*tensor.Tensor, error) {
	var proto []byte
	fields(files[model], func(f field) {
		if f.number == 7 {
			proto = f.bytes
		}
	})
	b := graph.NewBuilder()
	values := map[string]*graph.Node{}
	inputs, output := 0, ""
	var err error
	fields(proto, func(f field) {
		switch f.number {
		case 11: // an input
			file := fmt.Sprintf("%sinput_%d.pb", data, inputs)
			inputs++
			v, e := parseTensor(files[file])
			if e != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", file, e))
				return
			}
			values[f.text(1)] = b.Const(v)
		case 12:
			if output == "" {
				output = f.text(1)
			}
		}
	})
	fields(proto, func(f field) {
		if f.number == 1 && err == nil {
			err = addNode(b, values, f)
		}
	})
	if err != nil {
		return nil, err
	}
	g, err := b.Build(graph.Output{Name: "y", Node: values[output]})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	}
	got, err := interp.New(g, tensor.Float32).Run(context.Background(), nil, nil)
	return got["y"], err
}

func addNode(b *graph.Builder, values map[string]*graph.Node, node field) error {
	var in []*graph.Node
	var attrs []graph.Attr
	var constant *tensor.Tensor
	var err error
	op, outputs := node.text(4), 0
	fields(node.bytes, func(f field) {
		switch f.number {
		case 1:
			v, ok := values[string(f.bytes)]
			if !ok {
				err = fmt.Errorf("%w: %s has an optional input left out", errRefused, op)
			}
			in = append(in, v)
		case 2:
			outputs++
		case 5:
			a, t, e := parseAttr(f)
			if err = errors.Join(err, e); t != nil {
				constant = t
			}
			attrs = append(attrs, a)
		}
	})
	switch {
	case err != nil:
		return err
	case outputs != 1:
		return fmt.Errorf("%w: %s has %d outputs", errRefused, op, outputs)
	case op == "Constant" && constant != nil:
		values[node.text(2)] = b.Const(constant)
	case op == "Identity":
		values[node.text(2)] = in[0]
	default:
		values[node.text(2)] = b.Op(op, in, attrs...)
		if b.Err() != nil {
			return fmt.Errorf("%w: %w", errRefused, b.Err())
		}
	}
	return nil
}

func parseAttr(f field) (graph.Attr, *tensor.Tensor, error) {
	a := graph.Attr{Name: f.text(1)}
	var t *tensor.Tensor
	var err error
	fields(f.bytes, func(f field) {
		switch f.number {
		case 2:
			a.Value = math.Float32frombits(uint32(f.value))
		case 3:
			a.Value = int64(f.value)
		case 4:
			a.Value = string(f.bytes)
		case 5:
			t, err = parseTensor(f.bytes)
		case 8:
			list, _ := a.Value.([]int64)
			a.Value = append(list, f.ints()...)
		}
	})
	return a, t, err
}

// parseTensor reads a TensorProto.
func parseTensor(proto []byte) (*tensor.Tensor, error) {
	var shape []int
	var raw []byte
	dtype := uint64(0)
	fields(proto, func(f field) {
		switch f.number {
		case 1:
			for _, d := range f.ints() {
				shape = append(shape, int(d))
			}
		case 2:
			dtype = f.value
		case 4, 9:
			raw = f.bytes
		case 7:
			for _, v := range f.ints() {
				raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
			}
		}
	})
	n := tensor.Numel(shape)
	switch {
	case dtype == 1 && len(raw) == 4*n:
		v := make([]float32, n)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return tensor.Of(v, shape...), nil
	case dtype == 7 && len(raw) == 8*n:
		v := make([]int64, n)
		for i := range v {
			v[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
		}
		return tensor.Of(v, shape...), nil
	case dtype == 9 && len(raw) == n:
		v := make([]bool, n)
		for i := range v {
			v[i] = raw[i] != 0
		}
		return tensor.Of(v, shape...), nil
	}
	return nil, fmt.Errorf("%w: a tensor of ONNX type %d with %d bytes for shape %v",
		errRefused, dtype, len(raw), shape)
}

// field is one field of a protocol buffer message.
type field struct {
	number int
	value  uint64
	bytes  []byte
}

// fields calls f for each field of a message, which must be well formed.
func fields(message []byte, f func(field)) {
	varint := func() uint64 {
		v, n := binary.Uvarint(message)
		message = message[n:]
		return v
	}
	for len(message) > 0 {
		key := varint()
		next := field{number: int(key >> 3)}
		switch key & 7 {
		case 0:
			next.value = varint()
		case 1:
			next.value, message = binary.LittleEndian.Uint64(message), message[8:]
		case 2:
			n := varint()
			next.bytes, message = message[:n], message[n:]
		case 5:
			next.value, message = uint64(binary.LittleEndian.Uint32(message)), message[4:]
		}
		f(next)
	}
}

// text returns the first string field of the given number.
func (f field) text(number int) string {
	s, found := "", false
	fields(f.bytes, func(f field) {
		if f.number == number && !found {
			s, found = string(f.bytes), true
		}
	})
	return s
}

// ints reads a repeated integer field, packed or not.
func (f field) ints() []int64 {
	if f.bytes == nil {
		return []int64{int64(f.value)}
	}
	var out []int64
	for b := f.bytes; len(b) > 0; {
		v, n := binary.Uvarint(b)
		out, b = append(out, int64(v)), b[n:]
	}
	return out
}
