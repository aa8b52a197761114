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

// operatorRow is what TestOperatorTable wants of an operator: how many inputs it takes, and
// the opset that has it with the fewest.
type operatorRow struct {
	op              string
	min, max, since int
}

var operatorRows = []operatorRow{
	{"Abs", 1, 1, 6}, {"Add", 2, 2, 7}, {"And", 2, 2, 7}, {"Attention", 3, 4, 23}, {"Cast", 1, 1, 6},
	{"Concat", 1, unbounded, 4}, {"Cos", 1, 1, 7}, {"CumSum", 2, 2, 11}, {"Div", 2, 2, 7}, {"Equal", 2, 2, 7},
	{"Exp", 1, 1, 6}, {"Expand", 2, 2, 8}, {"Floor", 1, 1, 6}, {"Gather", 2, 2, 11}, {"GatherElements", 2, 2, 11},
	{"Gemm", 2, 2, 11}, {"Greater", 2, 2, 9}, {"GreaterOrEqual", 2, 2, 12}, {"Log", 1, 1, 6},
	{"LogSoftmax", 1, 1, 13}, {"MatMul", 2, 2, 1}, {"MatMulInteger", 3, 3, 10}, {"Max", 2, 2, 12},
	{"Min", 2, 2, 12}, {"Mul", 2, 2, 7}, {"Neg", 1, 1, 6}, {"Pow", 2, 2, 7}, {"QuantizeLinear", 3, 3, 10},
	{"RMSNormalization", 2, 2, 23}, {"Range", 3, 3, 11}, {"Reciprocal", 1, 1, 6}, {"ReduceMax", 1, 2, 1},
	{"ReduceMean", 1, 2, 1}, {"ReduceSum", 1, 2, 1}, {"Relu", 1, 1, 6}, {"Reshape", 2, 2, 5},
	{"RotaryEmbedding", 3, 3, 23}, {"ScatterElements", 3, 3, 16}, {"ScatterND", 3, 3, 11}, {"Shape", 1, 1, 1},
	{"Sigmoid", 1, 1, 6}, {"Sin", 1, 1, 7}, {"Slice", 5, 5, 10}, {"Softmax", 1, 1, 13}, {"Softplus", 1, 1, 1},
	{"Sqrt", 1, 1, 6}, {"Squeeze", 2, 2, 13}, {"Sub", 2, 2, 7}, {"Tanh", 1, 1, 6}, {"Transpose", 1, 1, 1},
	{"Unsqueeze", 2, 2, 13}, {"Where", 3, 3, 9},
}

// unbounded is the most inputs of an operator that takes any number.
const unbounded = 1000

// TestOperatorTable gives each operator one input too few and one too many.
func TestOperatorTable(t *testing.T) {
	everyOp(t, operatorRows, func(r operatorRow) string { return r.op }, always)
	for _, row := range operatorRows {
		if got := graph.Opset(row.op, row.min, nil); got != row.since {
			t.Errorf("%s is of opset %d, want %d", row.op, got, row.since)
		}
		want, counts := fmt.Sprint(row.min), []int{row.min - 1, row.max + 1}
		switch {
		case row.max == unbounded:
			want, counts = fmt.Sprintf("at least %d", row.min), counts[:1]
		case row.max > row.min:
			want = fmt.Sprintf("%d to %d", row.min, row.max)
		}
		for _, count := range counts {
			m := newMaker()
			m.Op(row.op, slices.Repeat([]*graph.Node{in(m, "x", "2")}, count))
			want := fmt.Sprintf("has %d inputs, want %s", count, want)
			if err := m.Err(); err == nil || !strings.HasSuffix(strings.Split(err.Error(), " (built")[0], want) {
				t.Errorf("%s: got %v, want %q", row.op, err, want)
			}
		}
	}
}
