package export_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// foreignRow is nodes as other exporters write them, over x float32[batch, past + seq, 6], data int64[3] and stored
// lists of integers, and the type of y that they make, or a part of the error.
type foreignRow struct {
	name, bad string
	code      int32 // of y
	axes      []any
	nodes     []*onnxpb.NodeProto
}

var lists = map[string][]int64{"zero": {0}, "one": {1}, "two": {2}, "minus": {-1}, "end": {1<<63 - 1}, "steps": {1, 2}, "starts": {1, 0}, "ends": {-1, 6},
	"axes": {1, 2}, "sizes": {2, 4}, "short": {2, 3}, "repeats": {1, 1, 2}, "pair": {1, 2}, "many": {1 << 40}, "less": {-2, 8}, "large": {1 << 15}}

func with(n *onnxpb.NodeProto, attrs ...*onnxpb.AttributeProto) *onnxpb.NodeProto {
	n.Attribute = attrs
	return n
}

func tensorAttr(name string, t *onnxpb.TensorProto) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeTensor, T: t}
}

func split(outputs int, in ...string) *onnxpb.NodeProto {
	n := node("Split", "y", in...)
	for i := range outputs - 1 {
		n.Output = append(n.Output, string(rune('p'+i)))
	}
	return n
}

func foreignRows() []foreignRow {
	nodes := func(n ...*onnxpb.NodeProto) []*onnxpb.NodeProto { return n }
	all := []any{"batch", "past + seq", 6}
	return []foreignRow{
		{name: "Constant", code: 1, axes: []any{2}, nodes: nodes(with(node("Constant", "y"),
			&onnxpb.AttributeProto{Name: "value_floats", Type: onnxpb.AttributeFloats, Floats: []float32{1, 2}}))},
		{name: "Constant of two", bad: "it has 2 attributes, want 1", nodes: nodes(with(node("Constant", "y"), intAttr("value_int", 1), intAttr("value", 1)))},
		{name: "Constant of none", bad: "it has 0 attributes, want 1", nodes: nodes(node("Constant", "y"))},
		{name: "Constant of another kind", bad: `the unknown attribute "value_string"`, nodes: nodes(with(node("Constant", "y"),
			&onnxpb.AttributeProto{Name: "value_string", Type: onnxpb.AttributeString, S: []byte("s")}))},
		{name: "Constant of doubles", bad: "its element type is float64 (11)", nodes: nodes(with(node("Constant", "y"),
			tensorAttr("value", &onnxpb.TensorProto{DataType: 11, DoubleData: []float64{1}})))},
		{name: "ConstantOfShape", code: 9, axes: all, nodes: nodes(node("Shape", "s", "x"), with(node("ConstantOfShape", "y", "s"),
			tensorAttr("value", &onnxpb.TensorProto{DataType: 9, Dims: []int64{1}, RawData: []byte{1}})))},
		{name: "ConstantOfShape of two", bad: "its value has 2 elements", nodes: nodes(node("Shape", "s", "x"), with(node("ConstantOfShape", "y", "s"),
			tensorAttr("value", int64s("", 1, 2))))},
		{name: "ConstantOfShape of data", bad: "needs a shape of known contents", nodes: nodes(node("ConstantOfShape", "y", "data"))},
		{name: "ConstantOfShape, huge", bad: "the file needs 1099511627776 elements in memory", nodes: nodes(node("ConstantOfShape", "y", "many"))},
		{name: "ConstantOfShape of a product, huge", bad: "its value is float32[1073741824,1]", nodes: nodes(node("Mul", "much", "large", "large"),
			node("Concat", "s", "much", "one"), node("ConstantOfShape", "y", "s"))},
		{name: "Tile of a product, huge", bad: "its value is int64[1073741824,2]", nodes: nodes(node("Mul", "much", "large", "large"), node("Tile", "y", "pair", "much"))},
		{name: "Flatten", code: 1, axes: []any{"batch*past+batch*seq", 6}, nodes: nodes(with(node("Flatten", "y", "x"), intAttr("axis", 2)))},
		{name: "Flatten beyond", bad: "axis 4 is out of range for rank 3", nodes: nodes(with(node("Flatten", "y", "x"), intAttr("axis", 4)))},
		{name: "Slice of two axes in steps", code: 1, axes: []any{"batch", "past + seq + -2", 3}, nodes: nodes(node("Slice", "y", "x", "starts", "ends", "axes", "steps"))},
		{name: "Slice without axes", code: 1, axes: []any{"batch+-1", "past + seq", 6}, nodes: nodes(node("Slice", "y", "x", "one", "end"))},
		{name: "Slice of too many", bad: "it has 2 starts, 1 axes and 2 steps", nodes: nodes(node("Slice", "y", "x", "starts", "ends", "one", "steps"))},
		{name: "Slice of unequal lists", bad: "it has 1 starts and 2 ends", nodes: nodes(node("Slice", "y", "x", "one", "ends"))},
		{name: "Slice along data", bad: "its axes are not known", nodes: nodes(node("Slice", "y", "x", "data", "data", "data"))},
		{name: "Slice in steps of names", bad: "supported are steps forward", nodes: nodes(node("Slice", "y", "x", "zero", "end", "one", "two"))},
		{name: "Slice backwards", bad: "it takes steps of -1", nodes: nodes(node("Slice", "y", "x", "zero", "end", "two", "minus"))},
		{name: "Split", code: 1, axes: []any{"batch", "past + seq", 2}, nodes: nodes(with(split(2, "x", "sizes"), intAttr("axis", -1)))},
		{name: "Split into equal parts", code: 1, axes: []any{"batch", "past + seq", 2}, nodes: nodes(with(split(4, "x"), intAttr("axis", 2), intAttr("num_outputs", 4)))},
		{name: "Split too short", bad: "its parts of [2 3] do not fit the axis 6", nodes: nodes(with(split(2, "x", "short"), intAttr("axis", -1)))},
		{name: "Split below 0", bad: "its parts of [-2 8] do not fit the axis 6", nodes: nodes(with(split(2, "x", "less"), intAttr("axis", -1)))},
		{name: "Split into other numbers", bad: "it has 3 outputs and 2 sizes", nodes: nodes(with(split(3, "x", "sizes"), intAttr("axis", -1)))},
		{name: "Split of names", bad: "sizes of its parts along the axis batch are not known", nodes: nodes(split(2, "x"))},
		{name: "Split by a word", bad: "attribute axis is of another kind", nodes: nodes(with(split(2, "x"),
			&onnxpb.AttributeProto{Name: "axis", Type: onnxpb.AttributeString, S: []byte("s")}))},
		{name: "Tile", code: 1, axes: []any{"batch", "past + seq", 12}, nodes: nodes(node("Tile", "y", "x", "repeats"))},
		{name: "Tile of other axes", bad: "its repeats are int64[2]", nodes: nodes(node("Tile", "y", "x", "pair"))},
		{name: "Tile by data", bad: "needs a shape of known contents", nodes: nodes(node("Tile", "y", "x", "data"))},
		{name: "Trilu", code: 1, axes: all, nodes: nodes(node("Trilu", "y", "x", "one"))},
		{name: "Trilu of a list", bad: "it takes a part of a value of 1 axes", nodes: nodes(node("Trilu", "y", "data"))},
		{name: "LayerNormalization in doubles", bad: "another precision than float32", nodes: nodes(with(node("LayerNormalization", "y", "x", "w"), intAttr("stash_type", 11)))},
		{name: "LayerNormalization without a gain", bad: "input 1 is left out", nodes: nodes(node("LayerNormalization", "y", "x", "", "w"))},
		{name: "ReduceMean over an attribute", code: 1, axes: []any{"batch", "past + seq", 1}, nodes: nodes(with(node("ReduceMean", "y", "x"),
			&onnxpb.AttributeProto{Name: "axes", Type: onnxpb.AttributeInts, Ints: []int64{-1}}))},
		{name: "a shape with −1", code: 1, axes: []any{"batch", "past + seq", 6}, nodes: nodes( // as torch.onnx writes expand(b, -1, -1)
			node("Shape", "s", "x"), node("Gather", "b", "s", "zero"), node("Concat", "wish", "b", "minus", "minus"),
			node("Shape", "n", "wish"), with(node("ConstantOfShape", "ones", "n"), tensorAttr("value", int64s("", 1))),
			node("Mul", "not", "ones", "minus"), node("Equal", "open", "wish", "not"), node("Where", "shape", "open", "ones", "wish"),
			node("Slice", "row", "x", "zero", "one", "zero"), node("Expand", "y", "row", "shape"))},
	}
}

func (r foreignRow) file() *onnxpb.ModelProto {
	m := &onnxpb.ModelProto{IrVersion: 8, OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: 18}}, Graph: &onnxpb.GraphProto{
		Input:       []*onnxpb.ValueInfoProto{valueInfo("x", 1, "batch", "past + seq", 6), valueInfo("data", 7, 3)},
		Output:      []*onnxpb.ValueInfoProto{valueInfo("y", r.code, r.axes...)},
		Initializer: []*onnxpb.TensorProto{{Name: "w", DataType: 1, Dims: []int64{6}, FloatData: make([]float32, 6)}}, Node: r.nodes}}
	if r.bad != "" {
		m.Graph.Output[0].Type.TensorType.ElemType = 1
	}
	for name, list := range lists {
		m.Graph.Initializer = append(m.Graph.Initializer, int64s(name, list...))
	}
	for _, n := range m.Graph.Node {
		switch n.OpType {
		case "Gather", "Concat":
			n.Attribute = []*onnxpb.AttributeProto{intAttr("axis", 0)}
		}
	}
	return m
}

// TestForeignOperators has types and refusals of operators that are composed of those of graphs. What they compute is
// held by TestNodeTests of package native.
func TestForeignOperators(t *testing.T) {
	for _, r := range foreignRows() {
		_, err := readBytes(marshal(t, r.file()))
		if r.bad == "" && err != nil || r.bad != "" && (err == nil || !strings.Contains(err.Error(), r.bad)) {
			t.Errorf("%s: %v, want %q", r.name, err, r.bad)
		}
	}
}

// TestForeignNames: what torch.onnx calls its initializers are no names of graphs; no two become the same.
func TestForeignNames(t *testing.T) {
	m := valid()
	names := []string{"onnx::w_1", "onnx__w_1", "1", "é"}
	for i, name := range names {
		m.Graph.Initializer = append(m.Graph.Initializer, &onnxpb.TensorProto{Name: name, DataType: 1, Dims: []int64{1}, FloatData: []float32{float32(i)}})
		m.Graph.Node = append(m.Graph.Node, node("Mul", "z"+name, "n", name))
		m.Graph.Output = append(m.Graph.Output, valueInfo("z"+name, 1, "seq"))
	}
	got, err := readBytes(marshal(t, m))
	if err != nil || len(got.Graph.Params) != len(names)+1 || len(got.Weights) != len(names)+1 {
		t.Errorf("%v, %v", got, err)
	}
}
