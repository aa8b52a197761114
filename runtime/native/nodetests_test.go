package native

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/runtime/engine"
)

// refusedNodeTests are those of the archive that the engine does not run, and why.
var refusedNodeTests = map[string]string{
	"test_slice_neg_steps": "supported are steps forward",
}

// TestNodeTests runs the ONNX project's tests of operators, which scripts/node_cases.py has put together.
func TestNodeTests(t *testing.T) {
	files := nodeTests(t)
	ran := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		test, isModel := strings.CutSuffix(name, "/model.onnx")
		if !isModel {
			continue
		}
		t.Run(strings.TrimPrefix(test, "test_"), func(t *testing.T) {
			var m onnxpb.ModelProto
			unmarshal(t, files[name], &m)
			ran[m.Graph.Node[0].OpType] = true
			err := runNodeTest(t, &m, files, test)
			if why := refusedNodeTests[test]; why != "" {
				if err == nil || !strings.Contains(err.Error(), why) {
					t.Errorf("%v, want %q", err, why)
				}
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	for _, op := range strings.Fields("Constant ConstantOfShape Identity Less LessOrEqual IsNaN Flatten Slice Split Tile Trilu " +
		"Gemm LayerNormalization ReduceMean") {
		if !ran[op] {
			t.Errorf("the archive has no test of %s", op)
		}
	}
}

func nodeTests(t *testing.T) map[string][]byte {
	t.Helper()
	f, err := os.Open("testdata/onnx-node-tests.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err == nil {
			files[h.Name], err = io.ReadAll(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func unmarshal(t *testing.T, data []byte, m any) {
	t.Helper()
	if err := onnxpb.Unmarshal(data, m, false); err != nil {
		t.Fatal(err)
	}
}

// runNodeTest runs a node whose float32 inputs are fed. The other ones are shapes, axes and the like, which must be
// known. Outputs of other types than float32 are cast to it, since the engine gives that.
func runNodeTest(t *testing.T, m *onnxpb.ModelProto, files map[string][]byte, test string) error {
	var feed []engine.Value
	declared := m.Graph.Input
	m.Graph.Input = nil
	for i, v := range declared {
		p := stored(t, files[test+"/input_"+string(rune('0'+i))+".pb"])
		p.Name = v.Name
		if p.DataType != 1 {
			m.Graph.Initializer = append(m.Graph.Initializer, p)
			continue
		}
		m.Graph.Input = append(m.Graph.Input, v)
		feed = append(feed, newMemoryValue(floatsOfProto(t, p)))
	}
	var want []*tensor.Tensor
	var give []engine.Value
	to := int64(1)
	for i, v := range m.Graph.Output {
		w := floatsOfProto(t, stored(t, files[test+"/output_"+string(rune('0'+i))+".pb"]))
		want, give = append(want, w), append(give, newMemoryValue(tensor.New(tensor.Float32, w.Shape()...)))
		if v.Type.TensorType.ElemType != 1 {
			m.Graph.Node = append(m.Graph.Node, &onnxpb.NodeProto{Name: "cast", OpType: "Cast", Input: []string{v.Name}, Output: []string{"cast"},
				Attribute: []*onnxpb.AttributeProto{{Name: "to", Type: onnxpb.AttributeInt, I: &to}}})
			v.Name, v.Type.TensorType.ElemType = "cast", 1
		}
	}
	data, err := onnxpb.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := safety.Check(data, safety.Options{})
	if err != nil {
		return err
	}
	model, err := open(engine.File{Parsed: parsed, Inputs: parsed.Inputs, Outputs: parsed.Outputs}, engine.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer model.Close()
	call, err := model.Begin(t.Context())
	if err == nil {
		err = call.Run(feed, give)
	}
	if err != nil {
		return err
	}
	for i, w := range want {
		for k, v := range tensor.Data[float32](w) {
			got := give[i].(*memoryValue).f[k]
			if !(math.Abs(float64(got-v)) <= 1e-5+1e-4*math.Abs(float64(v)) || math.IsNaN(float64(got)) && math.IsNaN(float64(v))) {
				t.Errorf("output %d: element %d is %v, want %v", i, k, got, v)
				break
			}
		}
	}
	return nil
}

func stored(t *testing.T, data []byte) *onnxpb.TensorProto {
	var p onnxpb.TensorProto
	unmarshal(t, data, &p)
	return &p
}

// floatsOfProto reads a stored tensor of float32, int64 or bool as float32.
func floatsOfProto(t *testing.T, p *onnxpb.TensorProto) *tensor.Tensor {
	shape := make([]int, len(p.Dims))
	for i, d := range p.Dims {
		shape[i] = int(d)
	}
	x, err := tensor.FromRaw(tensor.FromONNX(p.DataType), onnxpb.RawData(p), shape...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, 0, x.Len())
	switch x.DType() {
	case tensor.Int64:
		for _, v := range tensor.Data[int64](x) {
			values = append(values, float32(v))
		}
	case tensor.Bool:
		for _, v := range tensor.Data[bool](x) {
			one := float32(0)
			if v {
				one = 1
			}
			values = append(values, one)
		}
	default:
		values = tensor.Data[float32](x)
	}
	return tensor.Of(values, shape...)
}
