package export_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

func write(t testing.TB, g *graph.Graph, weights map[string]*tensor.Tensor, opt export.Options) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := export.Write(&buf, g, weights, opt); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// model is a graph with its weights.
type model struct {
	Graph   *graph.Graph
	Weights map[string]*tensor.Tensor
}

func read(t testing.TB, data []byte) *model {
	t.Helper()
	m, err := readBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// readBytes reads a file that nothing has validated yet, except its form.
func readBytes(data []byte) (*model, error) {
	f, err := safety.Check(data, safety.Options{Unvalidated: true})
	if err != nil {
		return nil, err
	}
	g, weights, err := export.Read(f)
	return &model{g, weights}, err
}

func nodeNames(g *graph.Graph) (names []string) {
	for _, n := range g.Nodes {
		if n.Op != graph.OpConstant {
			names = append(names, n.Name)
		}
	}
	return names
}

// sorted because inputs and parameters lead in a graph that was read.
func sortedNames(g *graph.Graph) []string { return slices.Sorted(slices.Values(nodeNames(g))) }

var sameTensor = cmp.Comparer(tensor.Equal)

func TestRoundTrip(t *testing.T) {
	for _, tc := range graphs(t) {
		t.Run(tc.name, func(t *testing.T) {
			opt := export.Options{Metadata: map[string]string{"b": "2", "a": "1"}, Doc: "a test", Version: "v1"}
			data := write(t, tc.graph, tc.weights, opt)
			inspected, err := export.Inspect(data, nil)
			if err != nil {
				t.Fatal(err)
			}
			m := read(t, data)
			if diff := cmp.Diff(tc.graph.String(), m.Graph.String()); diff != "" {
				t.Errorf("graph (-written +read):\n%s", diff)
			}
			if diff := cmp.Diff(tc.weights, m.Weights, sameTensor); diff != "" {
				t.Errorf("weights (-written +read):\n%s", diff)
			}
			if diff := cmp.Diff(sortedNames(tc.graph), sortedNames(m.Graph)); diff != "" {
				t.Errorf("names (-written +read):\n%s", diff)
			}
			if diff := cmp.Diff(opt.Metadata, inspected.Metadata); diff != "" {
				t.Errorf("metadata (-written +read):\n%s", diff)
			}
			if again := write(t, m.Graph, m.Weights, opt); !bytes.Equal(data, again) {
				t.Error("the file that was read and written again differs")
			}
		})
	}
}

func TestRoundTripParamsAsInputs(t *testing.T) {
	for _, tc := range graphs(t) {
		t.Run(tc.name, func(t *testing.T) {
			data := write(t, tc.graph, nil, export.Options{ParamsAsInputs: true})
			inspected, err := export.Inspect(data, nil)
			if err != nil {
				t.Fatal(err)
			}
			m := read(t, data)
			if diff := cmp.Diff(tc.graph.String(), m.Graph.String()); diff != "" {
				t.Errorf("graph (-written +read):\n%s", diff)
			}
			if len(m.Weights) > 0 || len(inspected.ParamInputs) != len(tc.graph.Params) {
				t.Errorf("%d weights, %d parameters as inputs; want 0 and %d",
					len(m.Weights), len(inspected.ParamInputs), len(tc.graph.Params))
			}
		})
	}
}

func TestWriteIsDeterministic(t *testing.T) {
	for _, tc := range graphs(t) {
		opt := export.Options{Metadata: map[string]string{"z": "1", "y": "2", "x": "3", "w": "4"}}
		first := write(t, tc.graph, tc.weights, opt)
		for range 3 {
			if !bytes.Equal(first, write(t, tc.graph, tc.weights, opt)) {
				t.Errorf("%s: the bytes differ between two writes", tc.name)
			}
		}
	}
}

func TestOpset(t *testing.T) {
	portable, fused := build(t, "", elementwise), build(t, "", fusedOps)
	for _, tc := range []struct {
		name       string
		g          built
		want       int
		opset, ir  int
		wantErr    string
		isPortable bool
	}{
		{"automatic portable", portable, 0, 18, 8, "", true},
		{"automatic fused", fused, 0, 23, 11, "", false},
		{"portable at 23", portable, 23, 23, 11, "", true},
		{"fused at 18", fused, 18, 0, 0, "node /RMSNormalization: RMSNormalization needs opset 23, not 18", false},
		{"other", portable, 20, 0, 0, "opset 20: choose 18 or 23", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var buf bytes.Buffer
			err := export.Write(&buf, tc.g.graph, tc.g.weights, export.Options{Opset: tc.want})
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) || buf.Len() > 0 {
					t.Fatalf("got %v and %d bytes, want the error %q", err, buf.Len(), tc.wantErr)
				}
				return
			}
			info, err := export.Inspect(buf.Bytes(), nil)
			if err != nil || info.Opset != tc.opset || info.IRVersion != tc.ir {
				t.Errorf("got opset %d, IR %d, %v; want %d and %d", info.Opset, info.IRVersion, err, tc.opset, tc.ir)
			}
			err = export.Write(&buf, tc.g.graph, tc.g.weights, export.Options{Opset: export.OpsetPortable})
			if (err == nil) != tc.isPortable {
				t.Errorf("in the portable profile: %v", err)
			}
		})
	}
}

func TestPortable(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		f          func(b *graph.Builder, x *graph.Node) *graph.Node
	}{
		{"fine", "", func(b *graph.Builder, x *graph.Node) *graph.Node { return b.Neg(x) }},
		{"bool value", "", func(b *graph.Builder, x *graph.Node) *graph.Node { return b.Greater(x, b.Float(0)) }},
		{"bool initializer", "a bool initializer", func(b *graph.Builder, x *graph.Node) *graph.Node {
			return b.Where(b.Const(tensor.Of([]bool{true})), x, x)
		}},
		{"empty constant", "an empty initializer", func(b *graph.Builder, x *graph.Node) *graph.Node {
			return b.Concat(0, x, b.Const(tensor.New(tensor.Float32, 0)))
		}},
		{"empty parameter", "an empty initializer", func(b *graph.Builder, x *graph.Node) *graph.Node {
			return b.Concat(0, x, b.Param("w", tensor.Float32, 0))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := build(t, tc.name, func(b *graph.Builder) []graph.Output {
				return []graph.Output{{Name: "y", Node: tc.f(b, b.Input("x", tensor.Float32, seq))}}
			})
			err := export.Write(io.Discard, g.graph, g.weights, export.Options{Opset: export.OpsetPortable})
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
