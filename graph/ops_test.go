package graph_test

import (
	"fmt"
	"slices"
	"strings"
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
		{"DequantizeLinear", 2, with("block_size"), 21},
		{"Attention", 3, nil, 23},
		{"Attention", 4, with("scale"), 23},
		{"Conv", 2, nil, 0},
		{graph.OpInput, 0, nil, 0},
	} {
		if got := graph.Opset(tc.op, tc.inputs, tc.attrs); got != tc.want {
			t.Errorf("%s of %d inputs with %v: %d, want %d", tc.op, tc.inputs, tc.attrs, got, tc.want)
		}
	}
}

// TestOperatorTable gives each operator one input less than its rows in TestKernels have, and one more.
func TestOperatorTable(t *testing.T) {
	least, most := map[string]int{}, map[string]int{}
	for _, row := range kernelRows {
		m := newMaker()
		for _, n := range build(t, m.Builder, row.build(m)).Nodes {
			if count := len(n.Inputs); n.Op == row.op {
				if old, seen := least[n.Op]; !seen || count < old {
					least[n.Op] = count
				}
				most[n.Op] = max(most[n.Op], count)
			}
		}
	}
	for op, count := range least {
		want, counts := fmt.Sprint(count), []int{count - 1, most[op] + 1}
		switch {
		case op == "Concat":
			want, counts = "at least 1", []int{0}
		case most[op] > count:
			want = fmt.Sprintf("%d to %d", count, most[op])
		}
		for _, count := range counts {
			m := newMaker()
			m.Op(op, slices.Repeat([]*graph.Node{in(m, "x", "2")}, count))
			want := fmt.Sprintf("has %d inputs, want %s", count, want)
			if err := m.Err(); err == nil || !strings.HasSuffix(strings.Split(err.Error(), " (built")[0], want) {
				t.Errorf("%s: got %v, want %q", op, err, want)
			}
		}
	}
}
