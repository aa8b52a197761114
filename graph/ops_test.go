package graph_test

import (
	"testing"

	"github.com/nopezoo/zoo/graph"
)

// TestOpset has the operators of which one form came later than another. That the
// numbers are ONNX's is checked in package export, with ONNX Runtime.
func TestOpset(t *testing.T) {
	with := func(names ...string) (attrs []graph.Attr) {
		for _, name := range names {
			attrs = append(attrs, graph.Attr{Name: name, Value: int64(1)})
		}
		return attrs
	}
	for _, tc := range []struct {
		op     string
		inputs int
		attrs  []graph.Attr
		want   int
	}{
		{"Add", 2, nil, 7},
		{"Reshape", 2, nil, 5},
		{"Reshape", 2, with("allowzero"), 14},
		{"Shape", 1, nil, 1},
		{"Shape", 1, with("start"), 15},
		{"Shape", 1, with("end", "start"), 15},
		{"ReduceSum", 1, with("keepdims"), 1},
		{"ReduceSum", 2, with("keepdims"), 13},
		{"ReduceMean", 1, nil, 1},
		{"ReduceMean", 2, nil, 18},
		{"ReduceMax", 2, nil, 18},
		{"QuantizeLinear", 3, with("axis"), 13},
		{"Attention", 3, nil, 23},
		{"Attention", 4, with("scale"), 23},
		{"Conv", 2, nil, 0},
		{graph.OpInput, 0, nil, 0},
	} {
		if got := graph.Opset(tc.op, tc.inputs, tc.attrs); got != tc.want {
			t.Errorf("%s of %d inputs with %v: %d, want %d", tc.op, tc.inputs, tc.attrs, got, tc.want)
		}
	}
	for _, op := range graph.Ops() {
		if graph.Opset(op, 0, nil) == 0 {
			t.Errorf("%s has no opset", op)
		}
	}
}
