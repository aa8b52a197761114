package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// TestInitializerBytes: weights count in every form in which a file stores them.
func TestInitializerBytes(t *testing.T) {
	for _, tc := range []struct {
		of   *onnxpb.TensorProto
		want int64
	}{
		{&onnxpb.TensorProto{RawData: make([]byte, 5)}, 5},
		{&onnxpb.TensorProto{FloatData: make([]float32, 3)}, 12},
		{&onnxpb.TensorProto{Int32Data: make([]int32, 3)}, 12},
		{&onnxpb.TensorProto{Int64Data: make([]int64, 3)}, 24},
		{&onnxpb.TensorProto{DoubleData: make([]float64, 3)}, 24},
		{&onnxpb.TensorProto{Uint64Data: make([]uint64, 3)}, 24},
	} {
		m := &onnxpb.ModelProto{Graph: &onnxpb.GraphProto{Initializer: []*onnxpb.TensorProto{tc.of, {RawData: make([]byte, 100)}}}}
		var info Report
		if info.describe(m); info.InitializerBytes != 100+tc.want || info.Initializers != 2 {
			t.Errorf("%v: %d bytes in %d, want 100 more than %d", tc.of, info.InitializerBytes, info.Initializers, tc.want)
		}
	}
}

// vector stores so many integers.
func vector(name string, n int) *onnxpb.TensorProto {
	return &onnxpb.TensorProto{Name: name, DataType: 7, Dims: []int64{int64(n)}, RawData: make([]byte, 8*n)}
}

// TestLengths: the elements of int64 numbers and vectors count, stored as bytes or as values; elements of other types
// and of matrices do not.
func TestLengths(t *testing.T) {
	for _, tc := range []struct {
		of   *onnxpb.TensorProto
		want int
	}{
		{vector("", 3), 3}, {vector("", 0), 0},
		{&onnxpb.TensorProto{DataType: 7, Dims: []int64{2}, Int64Data: []int64{1, 2}}, 2},
		{&onnxpb.TensorProto{DataType: 7, Int64Data: []int64{1}}, 1},
		{&onnxpb.TensorProto{DataType: 7, Dims: []int64{2, 1}, Int64Data: []int64{1, 2}}, 0},
		{&onnxpb.TensorProto{DataType: 1, Dims: []int64{2}, RawData: make([]byte, 8)}, 0},
		{&onnxpb.TensorProto{DataType: 99, Dims: []int64{2}, RawData: make([]byte, 8)}, 0},
	} {
		if got := lengths(tc.of); got != tc.want {
			t.Errorf("%v: %d, want %d", tc.of, got, tc.want)
		}
	}
	for _, n := range []int{maxLengths, maxLengths + 1} {
		g := negated()
		g.Graph.Initializer = []*onnxpb.TensorProto{vector("a", 5), vector("b", n-5)}
		err := checkGraph(g.Graph, 18)
		if fits := n == maxLengths; fits != (err == nil) || !fits && !strings.Contains(err.Error(), `"b": the int64 vectors have 262145 elements so far; supported are 262144`) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// negated is x[seq] → Neg → y.
func negated() *onnxpb.ModelProto {
	return &onnxpb.ModelProto{IrVersion: 8, OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: 18}}, Graph: &onnxpb.GraphProto{
		Input:  []*onnxpb.ValueInfoProto{onnxpb.NewValueInfo("x", 1, "seq")},
		Output: []*onnxpb.ValueInfoProto{onnxpb.NewValueInfo("y", 1, "seq")},
		Node:   []*onnxpb.NodeProto{{OpType: "Neg", Input: []string{"x"}, Output: []string{"y"}}},
	}}
}

// TestLeftOut: an input that is left out is refused wherever it stands, and so are nodes of another form.
func TestLeftOut(t *testing.T) {
	attribute := func(kind onnxpb.AttributeType) []*onnxpb.AttributeProto {
		return []*onnxpb.AttributeProto{{Name: "a", Type: kind}}
	}
	for _, tc := range []struct {
		n    *onnxpb.NodeProto
		want string // "" passes
	}{
		{&onnxpb.NodeProto{OpType: "Add", Input: []string{"x", "x"}, Output: []string{"y"}}, ""},
		{&onnxpb.NodeProto{OpType: opIdentity, Input: []string{"x"}, Output: []string{"y"}}, ""},
		{&onnxpb.NodeProto{OpType: "Add", Input: []string{"", "x"}, Output: []string{"y"}}, "input 0 is left out"},
		{&onnxpb.NodeProto{OpType: "Add", Input: []string{"x", "", "x"}, Output: []string{"y"}}, "input 1 is left out"},
		{&onnxpb.NodeProto{OpType: "Split", Input: []string{"x", ""}, Output: []string{"y", "z"}}, ""},
		{&onnxpb.NodeProto{OpType: "Split", Input: []string{"", "x"}, Output: []string{"y", "z"}}, "input 0 is left out"},
		{&onnxpb.NodeProto{OpType: "Tile", Input: []string{"x", "x", "x"}, Output: []string{"y"}}, "it has 3 inputs and 1 outputs; supported are 2, and 1"},
		{&onnxpb.NodeProto{OpType: "Tile", Input: []string{"x", "x"}, Output: []string{"y"}, Attribute: attribute(onnxpb.AttributeInt)}, `the unknown attribute "a"`},
		{&onnxpb.NodeProto{OpType: "Add", Output: []string{"y"}}, "it has 0 inputs and 1 outputs; supported are 1 or more, and 1"},
		{&onnxpb.NodeProto{OpType: "Add", Input: []string{"x"}}, "it has 1 inputs and 0 outputs"},
		{&onnxpb.NodeProto{OpType: "Add", Input: []string{"x"}, Output: []string{""}}, "it has 1 inputs and 1 outputs"},
		{&onnxpb.NodeProto{OpType: "Add", Input: []string{"x"}, Output: []string{"y", "z"}}, "it has 1 inputs and 2 outputs"},
		{&onnxpb.NodeProto{OpType: "Attention", Input: []string{"x", "x", "x"}, Output: []string{"y"}}, "it needs opset 23, and the file is opset 18"},
		{&onnxpb.NodeProto{OpType: "ReduceMean", Input: []string{"x", "x"}, Output: []string{"y"}}, ""}, // since 18
		{&onnxpb.NodeProto{OpType: "Add", Input: []string{"x"}, Output: []string{"y"}, Attribute: attribute(onnxpb.AttributeInt)}, ""},
		{&onnxpb.NodeProto{OpType: "Add", Input: []string{"x"}, Output: []string{"y"}, Attribute: attribute(onnxpb.AttributeFloats)},
			`attribute "a" is of kind FLOATS; supported are INT, INTS, FLOAT and STRING`},
	} {
		err := checkNode(tc.n, 18)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%v: %v, want %q", tc.n, err, tc.want)
		}
	}
}

// TestInspectProblems: a file that is not safe is described without an error, and one whose weights are damaged with
// one and all that it says.
func TestInspectProblems(t *testing.T) {
	marshal := func(m *onnxpb.ModelProto) []byte {
		data, err := onnxpb.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	r, err := Inspect(marshal(negated()), nil)
	if err != nil || r.SafetyProblem != "" || r.ReadProblem != "" || !strings.Contains(r.CardProblem, "no model card") || r.Bytes == 0 {
		t.Errorf("a good file: %+v, %v", r, err)
	}
	unsafe := negated()
	unsafe.Graph.Node[0].Domain = "a.b"
	if r, err = Inspect(marshal(unsafe), nil); err != nil || !strings.Contains(r.SafetyProblem, "not allowed") || r.ReadProblem == "" || r.Nodes != 1 {
		t.Errorf("a file that is not safe: %+v, %v", r, err)
	}
	damaged := negated()
	damaged.MetadataProps = []*onnxpb.StringStringEntryProto{{Key: card.WeightsKey, Value: "other"}}
	r, err = Inspect(marshal(damaged), nil)
	if !errors.Is(err, safety.ErrDamaged) || r.Nodes != 1 || !strings.Contains(r.SafetyProblem, "damaged") || !strings.Contains(r.ReadProblem, "damaged") {
		t.Errorf("a damaged file: %+v, %v", r, err)
	}
	if _, err := Inspect(nil, nil); err == nil {
		t.Error("an empty file is described")
	}
}

// TestCosts: what is estimated of the shape arithmetic of each operator.
func TestCosts(t *testing.T) {
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.Sym("batch"), graph.Sym("seq").Add(graph.Sym("past")).Add(graph.N(1)), graph.N(64))
	n := b.Input("many", tensor.Int64, graph.N(1)) // an axis by its name
	ids := b.Input("ids", tensor.Int64, graph.N(2))
	wide := b.Input("wide", tensor.Int64, graph.N(1), graph.N(1))
	real := b.Input("real", tensor.Float32, graph.N(1))
	k, one := b.Ints(1, 2, 3), b.Const(tensor.Of([]int64{7}))
	matrix := b.Const(tensor.New(tensor.Int64, 2, 2))
	halves := b.Const(tensor.New(tensor.Float32, 3))
	c := costs{known: map[*graph.Node]contents{}}
	for _, of := range []*graph.Node{k, one, matrix, halves} {
		c.constant(of)
	}
	shape := contents{count: 3, bytes: len("batch") + len("past+seq+1") + len("64"), terms: 3, longest: len("past+seq+1")}
	if got := ofShape(x.Shape); got != shape {
		t.Errorf("the shape: %+v, want %+v", got, shape)
	}
	many, three, seven := contents{1, 4, 1, 4}, contents{3, 60, 1, 20}, contents{1, 20, 1, 20}
	for _, tc := range []struct {
		op   string
		in   []*graph.Node
		want contents
	}{
		{"Shape", []*graph.Node{x}, shape},
		{"Reshape", []*graph.Node{n, k}, many}, {"Squeeze", []*graph.Node{k, one}, three},
		{"Neg", []*graph.Node{n}, contents{1, 7, 1, 7}}, {"Neg", []*graph.Node{k}, contents{3, 69, 1, 23}}, {"Neg", []*graph.Node{x}, contents{}},
		{"Concat", []*graph.Node{n}, many}, {"Concat", []*graph.Node{n, k, one}, contents{5, 84, 1, 20}}, {"Concat", []*graph.Node{k, ids}, contents{3, 60, 0, 20}},
		{"Add", []*graph.Node{n, one}, contents{1, 4 + 4 + 20 + 3, 2, 31}}, {"Sub", []*graph.Node{one, n}, contents{1, 20 + 4 + 4 + 3, 2, 31}},
		{"Mul", []*graph.Node{n, one}, contents{1, 5 * 21, 1, 105}}, {"Mul", []*graph.Node{n, k}, contents{3, 3 * 105, 1, 105}}, {"Mul", []*graph.Node{n, ids}, contents{}}, {"Add", []*graph.Node{k, n}, contents{}},
		{"Div", []*graph.Node{n, n}, contents{1, 4 + 4 + 4 + 3, 2, 15}}, {"Cast", []*graph.Node{k}, three}, {"Slice", []*graph.Node{k, one, one, one, one}, three},
		{"Gather", []*graph.Node{k, one}, contents{3, 60, 1, 20}}, {"Gather", []*graph.Node{k, ids}, three}, {"Expand", []*graph.Node{one, k}, contents{16, 320, 1, 20}},
		{"Where", []*graph.Node{x, n, k}, contents{3, 60, 1, 20}}, {"Where", []*graph.Node{x, x, k}, contents{}}, {"Exp", nil, contents{}}, {"Concat", nil, contents{}},
		{"Neg", []*graph.Node{matrix}, contents{}}, {"Neg", []*graph.Node{halves}, contents{}}, {"Neg", []*graph.Node{ids}, contents{}},
		{"Neg", []*graph.Node{wide}, contents{}}, {"Neg", []*graph.Node{real}, contents{}}, {"Concat", []*graph.Node{one}, seven},
	} {
		if got := c.contents(tc.op, tc.in); got != tc.want {
			t.Errorf("%s of %d: %+v, want %+v", tc.op, len(tc.in), got, tc.want)
		}
	}
	sum := costs{known: map[*graph.Node]contents{k: {1, 1, 5, 1}, one: {1, 1, 7, 1}}}
	for op, want := range map[string]contents{"Mul": {1, 4, 35, 4}, "Add": {1, 1 + 4 + 1 + 3*7, 12, 27}, "Concat": {2, 2, 35, 1}, "Neg": {1, 1 + 3*5, 5, 16}} {
		if got := sum.contents(op, []*graph.Node{k, one}); got != want {
			t.Errorf("%s of sums: %+v, want %+v", op, got, want)
		}
	}
	for _, tc := range [][3]int{{0, 9, 0}, {9, 0, 0}, {3, 5, 15}, {1, maxWork, maxWork}, {maxWork, 1, maxWork}, {2, maxWork / 2, maxWork},
		{2, maxWork/2 + 1, maxWork + 1}, {maxWork, maxWork, maxWork + 1}} {
		if got := product(tc[0], tc[1]); got != tc[2] {
			t.Errorf("%d·%d is %d, want %d", tc[0], tc[1], got, tc[2])
		}
	}
}

// TestCostLimits: of each limit of the shape arithmetic, what is just within passes, and what is just beyond does not.
func TestCostLimits(t *testing.T) {
	b := graph.NewBuilder()
	x, y := b.Input("x", tensor.Float32, graph.Sym("seq")), b.Input("y", tensor.Float32, graph.N(3))
	known := func(a, b contents) *costs { return &costs{known: map[*graph.Node]contents{x: a, y: b}} }
	both := []*graph.Node{x, y}
	long := func(n int) *graph.Node {
		return b.Input("long"+fmt.Sprint(n), tensor.Float32, graph.Sym(strings.Repeat("n", n)))
	}
	wide := long(1 << 10)
	for _, tc := range []struct {
		name, want string // "" passes
		c          *costs
		op         string
		in         []*graph.Node
	}{
		{"an expression", "", known(contents{1, maxExpr, 1, maxExpr}, contents{}), "Squeeze", both},
		{"a longer expression", "the axis expression it computes is too large", known(contents{1, maxExpr + 1, 1, maxExpr + 1}, contents{}), "Squeeze", both},
		{"two expressions", "", known(contents{2, maxExpr + 1, 1, maxExpr}, contents{}), "Squeeze", both},
		{"held", "", &costs{held: maxKnown - 2, known: map[*graph.Node]contents{x: {2, 1, 1, 1}}}, "Squeeze", both},
		{"one more held", "shape arithmetic is too large", &costs{held: maxKnown - 1, known: map[*graph.Node]contents{x: {2, 1, 1, 1}}}, "Squeeze", both},
		{"work", "", &costs{work: maxWork - 6, known: map[*graph.Node]contents{x: {2, 3, 2, 2}}}, "Squeeze", both},
		{"one more work", "shape arithmetic is too large", &costs{work: maxWork - 5, known: map[*graph.Node]contents{x: {2, 3, 2, 2}}}, "Squeeze", both},
		// Both shapes are multiplied out: here one term of 3 bytes, and 2 of 5.
		{"work of a shape", "", &costs{work: maxWork - 3 - 10, known: map[*graph.Node]contents{y: {2, 5, 2, 3}}}, "Reshape", both},
		{"one more of a shape", "shape arithmetic is too large", &costs{work: maxWork - 3 - 9, known: map[*graph.Node]contents{y: {2, 5, 2, 3}}}, "Reshape", both},
		{"axes", "", known(contents{}, contents{count: maxRank}), "Reshape", both},
		{"one more axis", "it names 17 axes; supported are 16", known(contents{}, contents{count: maxRank + 1}), "Reshape", both},
		{"axes of Expand", "it names 17 axes", known(contents{}, contents{count: maxRank + 1}), "Expand", both},
		{"axes of ReduceMax", "it names 17 axes", known(contents{}, contents{count: maxRank + 1}), "ReduceMax", both},
		{"axes of none", "", known(contents{}, contents{count: maxRank + 1}), "ReduceSum", both[:1]},
		{"other operators", "", known(contents{}, contents{count: maxRank + 1}), "MatMul", both},
		{"text", "", known(contents{}, contents{}), "MatMul", slices.Repeat([]*graph.Node{wide}, maxText>>10)},
		{"more text", "the shapes of its inputs take 1048579 bytes; supported are 1048576", known(contents{}, contents{}), "MatMul",
			append(slices.Repeat([]*graph.Node{wide}, maxText>>10), x)},
		{"a joined axis", "", known(contents{}, contents{}), "Concat", slices.Repeat([]*graph.Node{wide}, maxExpr>>10)},
		{"a longer joined axis", "the joined axis is a sum of 4099 bytes; supported are 4096", known(contents{}, contents{}), "Concat",
			append(slices.Repeat([]*graph.Node{wide}, maxExpr>>10), x)},
		{"joined lengths", "", known(contents{}, contents{}), "Concat", append(slices.Repeat([]*graph.Node{wide}, maxExpr>>10), y, y)},
	} {
		err := tc.c.before(tc.op, tc.in, nil)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
	matrix := b.Input("matrix", tensor.Float32, graph.N(2), graph.Sym(strings.Repeat("m", maxExpr)))
	for axis, want := range map[int64]bool{0: false, 1: true, -1: true, -2: false, maxRank: false, -maxRank - 1: false} {
		err := checkConcat([]*graph.Node{matrix, matrix}, []graph.Attr{{Name: "other", Value: int64(1)}, {Name: "axis", Value: axis}})
		if want != (err != nil) {
			t.Errorf("joined along axis %d: %v", axis, err)
		}
	}
	shapes := func(d ...graph.Dim) []graph.Dim { return d }
	for _, tc := range []struct {
		shape []graph.Dim
		want  string
	}{
		{shapes(graph.N(0), graph.N(maxFile)), ""}, {shapes(graph.N(1), graph.N(-1)), "axis 1 has the length -1"},
		{shapes(graph.N(maxFile + 1)), "axis 0 has the length 2147483648"},
		{shapes(graph.Sym(strings.Repeat("n", maxExpr))), ""},
		{shapes(graph.Sym(strings.Repeat("n", maxExpr+1))), "axis 0 is an expression of 4097 bytes; supported are 4096"},
		{slices.Repeat(shapes(graph.N(1)), maxRank), ""}, {slices.Repeat(shapes(graph.N(1)), maxRank+1), "a value has 17 axes; supported are 16"},
	} {
		if err := checkShape(tc.shape); tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%d axes: %v, want %q", len(tc.shape), err, tc.want)
		}
	}
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
}
