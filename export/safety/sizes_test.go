package safety

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// ints stores a list of integers under a name, and a number without axes where alone is set.
func ints(name string, alone bool, v ...int64) *onnxpb.TensorProto {
	t := &onnxpb.TensorProto{Name: name, DataType: typeInt64, Int64Data: v}
	if !alone {
		t.Dims = []int64{int64(len(v))}
	}
	return t
}

func shapedInput(name string, dims ...int64) *onnxpb.ValueInfoProto {
	shape := &onnxpb.TensorShapeProto{}
	for _, d := range dims {
		axis := &onnxpb.Dimension{DimValue: new(d)}
		if d < 0 {
			*axis = onnxpb.Dimension{DimParam: new("some")}
		}
		shape.Dim = append(shape.Dim, axis)
	}
	return &onnxpb.ValueInfoProto{Name: name, Type: &onnxpb.TypeProto{TensorType: &onnxpb.TensorType{ElemType: 1, Shape: shape}}}
}

func intAttr(name string, v int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeInt, I: &v}
}

func intsAttr(name string, v ...int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeInts, Ints: v}
}

// TestSizeRules: the size of the value of each operator, of a [3,1,some], b [5], c [3,4], e [2,3,4], z [0,7], an input
// u without a shape, and integers that the file stores.
func TestSizeRules(t *testing.T) {
	no := []int64(nil)
	type at = []*onnxpb.AttributeProto
	for _, tc := range []struct {
		op    string
		in    string
		attrs at
		dims  []int64 // nil where they are not known
		count int64
	}{
		{"Identity", "a", nil, []int64{3, 1, 1}, 3},
		{"Identity", "z", nil, []int64{0, 7}, 0},
		{"Identity", "u", nil, no, 1},
		{"DequantizeLinear", "e b", nil, []int64{2, 3, 4}, 24},
		{"Add", "a b", nil, []int64{3, 1, 5}, 15},
		{"Add", "b a", nil, []int64{3, 1, 5}, 15},
		{"Add", "b u", nil, no, 5},
		{"Add", "u e", nil, no, 24},
		{"Where", "b a b", nil, []int64{3, 1, 5}, 15},
		{"Max", "b b b a", nil, []int64{3, 1, 5}, 15},
		{"Concat", "c c", nil, []int64{6, 4}, 24},
		{"Concat", "c c", at{intAttr("axis", 0)}, []int64{6, 4}, 24},
		{"Concat", "c c c", at{intAttr("axis", 1)}, []int64{3, 12}, 36},
		{"Concat", "c c", at{intAttr("axis", -1)}, []int64{3, 8}, 24},
		{"Concat", "c c", at{intAttr("axis", -2)}, []int64{6, 4}, 24},
		{"Concat", "c c", at{intAttr("axis", -3)}, no, 24},
		{"Concat", "c c", at{intAttr("axis", 2)}, no, 24},
		{"Concat", "u c", at{intAttr("axis", 0)}, no, 13},
		{"Concat", "c u", at{intAttr("axis", 0)}, no, 13},
		{"Concat", "a e", at{intAttr("axis", 1)}, []int64{3, 4, 4}, 48},
		{"Expand", "b n34_1", nil, []int64{3, 4, 5}, 60},
		{"Expand", "e n1", nil, []int64{2, 3, 4}, 24},
		{"Expand", "b u", nil, no, 5},
		{"Expand", "u n34_1", nil, no, 12},
		{"Tile", "c n7_2", nil, []int64{21, 8}, 168},
		{"Tile", "u n7_2", nil, no, 14},
		{"Tile", "c u", nil, no, 12},
		{"ConstantOfShape", "n34_1", nil, []int64{3, 4, 1}, 12},
		{"ConstantOfShape", "u", nil, no, 1},
		{"RandomNormal", "", at{intsAttr("shape", 6, 7)}, []int64{6, 7}, 42},
		{"Constant", "", at{{Name: "value", Type: onnxpb.AttributeTensor, T: ints("", false, 1, 2, 3)}}, []int64{3}, 3},
		{"Constant", "", at{intsAttr("value_ints", 1, 2)}, []int64{2}, 2},
		{"Constant", "", at{intAttr("value_int", 9)}, []int64{}, 1},
		{"Constant", "", at{intAttr("other", 9)}, no, 1},
		{"Constant", "", at{intsAttr("other", 1, 2)}, no, 1},
		{"Constant", "", at{{Name: "value_float", Type: onnxpb.AttributeFloat, F: new(float32)}}, no, 1},
		{"Range", "s2 s9 s3", nil, []int64{3}, 3},
		{"Range", "s2 s3 s1", nil, []int64{1}, 1},
		{"Range", "s2 s2 s1", nil, no, 1},
		{"Range", "s9 s2 m2", nil, []int64{4}, 4},
		{"Range", "s2 s9 s1", nil, []int64{7}, 7},
		{"Range", "s9 s2 s1", nil, no, 1},
		{"Range", "s2 s9 s0", nil, []int64{1 << 62}, 1 << 62},
		{"Range", "s2 s2 s0", nil, no, 1},
		{"Range", "s2 s9", nil, no, 1},
		{"Range", "s2 n7_2 s1", nil, no, 1},
		{"Pad", "c pads", nil, []int64{3 + 1 + 5, 4 - 2 + 3}, 45},
		{"Pad", "c cut", nil, []int64{0, 4}, 0},
		{"Pad", "b n7_2", nil, []int64{14}, 14},
		{"Pad", "e pads", nil, no, 1},
		{"Pad", "c u", nil, no, 1},
		{"OneHot", "c s9", nil, no, 108},
		{"OneHot", "c m2", nil, no, 1},
		{"OneHot", "c s0", nil, no, 0},
		{"OneHot", "c n7_2", nil, no, 1},
		{"OneHot", "c u", nil, no, 1},
		{"Gather", "e c", nil, []int64{3, 4, 3, 4}, 144},
		{"Gather", "e b", at{intAttr("axis", 1)}, []int64{2, 5, 4}, 40},
		{"Gather", "e b", at{intAttr("axis", -1)}, []int64{2, 3, 5}, 30},
		{"Gather", "e b", at{intAttr("axis", 3)}, no, 1},
		{"Gather", "e u", nil, no, 1},
		{"MatMul", "e", nil, no, 1},
		{"Expand", "e", nil, no, 24},
		{"Gather", "e", nil, no, 1},
		{"MatMul", "e b", nil, no, 1},
		{"MatMul", "b e", nil, no, 1},
		{"MatMul", "e c", nil, []int64{2, 3, 4}, 24},
		{"MatMul", "c e", nil, []int64{2, 3, 4}, 24},
		{"MatMul", "col row", nil, []int64{6, 8}, 48},
		{"Gemm", "col row", nil, []int64{6, 8}, 48},
		{"Gemm", "row col", at{intAttr("transA", 1), intAttr("transB", 1)}, []int64{8, 6}, 48},
		{"Gemm", "row c", at{intAttr("transA", 1)}, []int64{8, 4}, 32},
		{"Gemm", "c col", at{intAttr("transB", 1)}, []int64{3, 6}, 18},
		{"Gemm", "e c", nil, no, 1},
		{"Gemm", "c e", nil, no, 1},
		{"Transpose", "e", nil, []int64{4, 3, 2}, 24},
		{"Transpose", "e", at{intsAttr("perm", 1, 2, 0)}, []int64{3, 4, 2}, 24},
		{"Transpose", "e", at{intsAttr("perm", 1, 0)}, no, 24},
		{"Transpose", "e", at{intsAttr("perm", 0, 1, 3)}, no, 24},
		{"Transpose", "e", at{intsAttr("perm", 0, 1, -1)}, no, 24},
		{"Reshape", "c n34_1", nil, []int64{3, 4, 1}, 12},
		{"Reshape", "e n34_1", nil, no, 24},
		{"Reshape", "c u", nil, no, 12},
		{"Unsqueeze", "c s1", nil, []int64{3, 1, 4}, 12},
		{"Unsqueeze", "c n0_3", nil, []int64{1, 3, 4, 1}, 12},
		{"Unsqueeze", "c", at{intsAttr("axes", 0, -1)}, []int64{1, 3, 4, 1}, 12},
		{"Unsqueeze", "c", at{intsAttr("axes", 3)}, no, 12},
		{"Unsqueeze", "c u", nil, no, 12},
		{"Unsqueeze", "u s1", nil, no, 1},
		{"Unsqueeze", "c", at{intsAttr("axes", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)},
			[]int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 4}, 12},
		{"Unsqueeze", "c", at{intsAttr("axes", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)}, no, 12},
		{"Squeeze", "e", nil, no, 24},
		{"Flatten", "e", nil, no, 24},
		{"Unheard", "e", nil, no, 1},
	} {
		g := &onnxpb.GraphProto{
			Input: []*onnxpb.ValueInfoProto{shapedInput("a", 3, 1, -1), shapedInput("b", 5), shapedInput("c", 3, 4),
				shapedInput("e", 2, 3, 4), shapedInput("z", 0, 7), shapedInput("col", 6, 1), shapedInput("row", 1, 8), {Name: "u",
					Type: &onnxpb.TypeProto{TensorType: &onnxpb.TensorType{ElemType: 1}}}},
			Initializer: []*onnxpb.TensorProto{ints("n34_1", false, 3, 4, 1), ints("n1", false, 1), ints("n7_2", false, 7, 2),
				ints("n0_3", false, 0, 3), ints("s0", true, 0), ints("s1", true, 1), ints("s2", true, 2), ints("s3", true, 3),
				ints("s9", true, 9), ints("m2", true, -2), ints("pads", false, 1, -2, 5, 3), ints("cut", false, -4, 0, 0, 0)},
		}
		n := &onnxpb.NodeProto{OpType: tc.op, Input: strings.Fields(tc.in), Output: []string{"y", "second"}, Attribute: tc.attrs}
		if tc.op == "Constant" {
			n.Output = n.Output[:1]
		}
		g.Node = []*onnxpb.NodeProto{n}
		s, err := newScope(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := validator{most: math.MaxInt64, live: 100}
		if err := v.node(n, s); err != nil {
			t.Fatal(err)
		}
		if err := v.measure(n, 0, s); err != nil {
			t.Fatal(err)
		}
		got := s.sizes["y"]
		if got.count != tc.count || (got.dims == nil) != (tc.dims == nil) || !slices.Equal(got.dims, tc.dims) {
			t.Errorf("%s of %s: size %v, want %v of %d", tc.op, tc.in, got, tc.dims, tc.count)
		}
		if second := s.sizes["second"]; len(n.Output) == 2 && (second.count != 1 || second.dims != nil) {
			t.Errorf("%s: its second value has the size %v", tc.op, second)
		}
		if v.live != 100 {
			t.Errorf("%s: %d elements remain of values that nothing needs", tc.op, v.live-100)
		}
	}
	n := &onnxpb.NodeProto{OpType: "Identity", Domain: "a.b", Input: []string{"a"}, Output: []string{"y"}}
	s := &scope{sizes: map[string]size{"a": shaped([]int64{9})}}
	if err := (&validator{most: 1}).measure(n, 0, s); err != nil || s.sizes["y"].count != 1 {
		t.Errorf("an operator of another domain: %v, %v", s.sizes["y"], err)
	}
}

// TestSizesAtOnce counts the elements that nodes have made and others still need.
func TestSizesAtOnce(t *testing.T) {
	double := func(from, to string) *onnxpb.NodeProto {
		return &onnxpb.NodeProto{OpType: "Concat", Input: []string{from, from}, Output: []string{to}, Attribute: []*onnxpb.AttributeProto{intAttr("axis", 0)}}
	}
	doubled := func(turns int, outputs ...string) *onnxpb.GraphProto {
		g := &onnxpb.GraphProto{Input: []*onnxpb.ValueInfoProto{shapedInput("t0", -1)}}
		for i := range turns {
			g.Node = append(g.Node, double(fmt.Sprint("t", i), fmt.Sprint("t", i+1)))
		}
		for _, o := range outputs {
			g.Output = append(g.Output, shapedInput(o, -1))
		}
		return g
	}
	inner := func(g *onnxpb.GraphProto, then *onnxpb.GraphProto) *onnxpb.GraphProto {
		then.Input = nil
		other := &onnxpb.GraphProto{Node: []*onnxpb.NodeProto{{OpType: "Neg", Input: []string{"t0"}, Output: []string{"other"}}},
			Output: []*onnxpb.ValueInfoProto{shapedInput("other", -1)}}
		g.Input = append(g.Input, &onnxpb.ValueInfoProto{Name: "which", Type: &onnxpb.TypeProto{TensorType: &onnxpb.TensorType{ElemType: typeBool}}})
		g.Node = append(g.Node, &onnxpb.NodeProto{OpType: "If", Input: []string{"which"}, Output: []string{"chosen"}, Attribute: []*onnxpb.AttributeProto{
			{Name: "then_branch", Type: onnxpb.AttributeGraph, G: then}, {Name: "else_branch", Type: onnxpb.AttributeGraph, G: other}}})
		return g
	}
	named := func(g *onnxpb.GraphProto, prefix string) *onnxpb.GraphProto { // with values of its own, from t0 on
		for _, n := range g.Node {
			for _, names := range [][]string{n.Input, n.Output} {
				for i, name := range names {
					if name != "t0" {
						names[i] = prefix + name
					}
				}
			}
		}
		for _, o := range g.Output {
			o.Name = prefix + o.Name
		}
		return g
	}
	for _, tc := range []struct {
		name string
		g    *onnxpb.GraphProto
		most int64 // elements at once
	}{
		{"the last two", doubled(5, "t5"), 16 + 32},
		{"what is returned stays", doubled(5, "t5", "t3", "t4"), 8 + 16 + 32},
		{"nothing needed", doubled(5, "t1"), 2 + 16 + 32},
		{"in a branch", inner(doubled(2, "chosen"), named(doubled(5, "t5"), "x")), 16 + 32}, // t2 is not needed
		{"in a branch, beside what is needed", inner(doubled(2, "chosen", "t2"), named(doubled(5, "t5"), "x")), 4 + 16 + 32},
		{"needed by a branch", func() *onnxpb.GraphProto {
			then := named(doubled(5, "t5"), "x")
			then.Node[0].Input[0] = "t2"
			then.Output = append(then.Output[:0], shapedInput("t2", -1))
			return inner(doubled(2, "chosen"), then)
		}(), 4 + 40 + 80},
		{"returned by a branch", func() *onnxpb.GraphProto {
			return inner(doubled(2, "chosen"), &onnxpb.GraphProto{Node: []*onnxpb.NodeProto{{OpType: "Neg", Input: []string{"t0"}, Output: []string{"n"}}},
				Output: []*onnxpb.ValueInfoProto{shapedInput("t2", -1)}})
		}(), 2 + 4},
	} {
		for _, room := range []int64{tc.most - 1, tc.most} {
			v := validator{opt: Options{ControlFlow: true}, turns: 1, most: room}
			err := v.graph(copied(t, tc.g), nil)
			if enough := room == tc.most; enough != (err == nil) || !enough && !strings.Contains(err.Error(), fmt.Sprintf("supported are %d,", room)) {
				t.Errorf("%s, with room for %d: %v", tc.name, room, err)
			}
		}
	}
}

// TestSizesBounded: a file is refused from where it needs more than is supported, which is so many elements and
// sixteen for each that it stores.
func TestSizesBounded(t *testing.T) {
	of := func(n int64, more ...*onnxpb.NodeProto) error {
		m := &onnxpb.ModelProto{IrVersion: 8, OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: 18}}, Graph: &onnxpb.GraphProto{
			Output:      []*onnxpb.ValueInfoProto{shapedInput("y", -1)},
			Initializer: []*onnxpb.TensorProto{ints("n", false, n), ints("other", false, 1, 2, 3, 4)},
			Node:        append(more, &onnxpb.NodeProto{OpType: "ConstantOfShape", Input: []string{"n"}, Output: []string{"y"}}),
		}}
		return validate(m, Options{})
	}
	most := int64(1<<28 + 16*5)
	if err := of(most); err != nil {
		t.Error(err)
	}
	if err := of(most + 1); err == nil || !strings.Contains(err.Error(), "needs 268435537 elements in memory at once") {
		t.Errorf("one more: %v", err)
	}
	if err := of(math.MaxInt64); err == nil || !strings.Contains(err.Error(), "elements in memory at once") {
		t.Errorf("the most: %v", err)
	}
	constant := &onnxpb.NodeProto{OpType: "Constant", Output: []string{"k"}, Attribute: []*onnxpb.AttributeProto{
		{Name: "value", Type: onnxpb.AttributeTensor, T: ints("", false, 1, 2, 3)}}}
	if err := of(most+16*3, constant); err != nil {
		t.Errorf("beside a constant of three: %v", err)
	}
	if err := of(most+16*3+1, constant); err == nil {
		t.Error("beside a constant of three, one more passes")
	}
}

func TestSaturation(t *testing.T) {
	const most = math.MaxInt64
	for _, tc := range []struct{ a, b, product, sum int64 }{
		{0, most, 0, most}, {most, 0, 0, most}, {1, most, most, most}, {most, 1, most, most}, {most / 2, 2, most - 1, most/2 + 2},
		{most/2 + 1, 2, most, most/2 + 3}, {1 << 32, 1 << 32, most, 1 << 33}, {3, 5, 15, 8}, {most - 4, 4, most, most}, {most - 4, 5, most, most},
		{most - 4, 3, most, most - 1},
	} {
		if p, s := times(tc.a, tc.b), plus(tc.a, tc.b); p != tc.product || s != tc.sum {
			t.Errorf("of %d and %d: product %d, sum %d, want %d and %d", tc.a, tc.b, p, s, tc.product, tc.sum)
		}
	}
}
