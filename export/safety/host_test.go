package safety

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// typedInput declares an input of an element type; lengths below 0 have a name.
func typedInput(name string, code int32, dims ...int64) *onnxpb.ValueInfoProto {
	v := shapedInput(name, dims...)
	v.Type.TensorType.ElemType = code
	return v
}

// graphOf has nodes written as "out = Op in in", each named as its output; "_ = …" has no name and the output "_".
func graphOf(t *testing.T, nodes ...string) []byte {
	t.Helper()
	g := &onnxpb.GraphProto{
		Input: []*onnxpb.ValueInfoProto{typedInput("x", 1, -1), typedInput("ids", 7, -1), typedInput("keep", 7, 1), typedInput("half", 10, -1)},
		Initializer: []*onnxpb.TensorProto{{Name: "vector", DataType: 7, Dims: []int64{3}, RawData: make([]byte, 24)},
			{Name: "number", DataType: 1, RawData: make([]byte, 4)}, {Name: "one", DataType: 1, Dims: []int64{1}, RawData: make([]byte, 4)},
			{Name: "two", DataType: 1, Dims: []int64{2}, RawData: make([]byte, 8)}, {Name: "square", DataType: 1, Dims: []int64{1, 1}, RawData: make([]byte, 4)}},
	}
	for _, text := range nodes {
		out, rest, _ := strings.Cut(text, " = ")
		words := strings.Fields(rest)
		n := &onnxpb.NodeProto{Name: out, OpType: words[0], Input: words[1:], Output: []string{out}}
		if domain, op, ok := strings.Cut(words[0], ":"); ok {
			n.Domain, n.OpType = domain, op
		}
		if out == "_" {
			n.Name = ""
		}
		for i, in := range n.Input {
			if in == "-" {
				n.Input[i] = ""
			}
		}
		g.Node = append(g.Node, n)
	}
	data, err := proto.Marshal(&onnxpb.ModelProto{IrVersion: 8, Graph: g})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestHostShapes: which nodes compute with sizes alone.
func TestHostShapes(t *testing.T) {
	for _, tc := range []struct {
		nodes []string
		want  string
	}{
		{[]string{"a = Shape ids", "b = Size ids"}, "a b"},
		{[]string{"a = Shape x", "b = Size x", "c = Add a b"}, "c"}, // that of float32 the device has
		{[]string{"a = Shape half", "b = Mul a keep"}, "a b"},
		{[]string{"a = Mul vector keep"}, "a"},
		{[]string{"a = Mul number keep", "b = Mul one keep"}, "a b"},
		{[]string{"a = Mul two keep"}, ""},
		{[]string{"a = Mul square keep"}, ""},
		{[]string{"a = Mul keep ids"}, ""},
		{[]string{"a = Slice vector - keep"}, "a"},
		{[]string{"a = Shape ids", "b = Range a a a", "c = Mul b keep"}, "a"},
		{[]string{"_ = Shape ids", "b = Mul _ keep"}, "b"},
		{[]string{"a = Constant", "b = Mul a keep"}, "b"},
		{[]string{"a = Shape ids", "b = other:Mul a keep", "c = Mul b keep"}, "a"},
		{[]string{"a = ai.onnx:Shape ids"}, "a"},
		{[]string{"a = other:Shape ids"}, ""},
	} {
		p, err := FindHostPart(graphOf(t, tc.nodes...))
		if got := strings.Join(p.Shapes, " "); err != nil || got != tc.want {
			t.Errorf("%q: %q, %v, want %q", tc.nodes, got, err, tc.want)
		}
	}
}

// TestHostAngles: which nodes compute sines and cosines of positions, and what leads to them.
func TestHostAngles(t *testing.T) {
	for _, tc := range []struct {
		nodes []string
		want  string
	}{
		{[]string{"a = Cast ids", "b = Sin a"}, "a b"},
		{[]string{"a = Cast ids", "b = Cos a", "c = Neg a"}, "a b c"},
		{[]string{"a = Cast ids", "b = Tanh a"}, ""},
		{[]string{"b = Sin x"}, ""},
		{[]string{"a = Mul x x", "b = Sin a", "c = Cos ids"}, "c"},
		{[]string{"a = Cast ids", "b = other:Sin a"}, ""},
		{[]string{"a = Cast ids", "b = ai.onnx:Cos a"}, "a b"},
		{[]string{"a = Mul ids two", "b = Sin a", "c = Mul b two", "d = Mul b one", "e = Mul b x"}, "a b d"},
		{[]string{"s = Shape x", "a = Range s s s", "b = Sin a"}, "a b"},
		{[]string{"s = Size x", "a = Range s s s", "b = Sin a"}, "a b"},
		{[]string{"a = Shape half", "z = Cast a", "b = Sin z"}, "b z"},
		{[]string{"_ = Cast ids", "b = Sin _"}, "b"},
		{[]string{"a = Range number - ids", "b = Sin a"}, "a b"},
		{[]string{"a = Cast ids", "b = Sin a", "c = Mul b x", "d = Mul c one"}, "a b"},
	} {
		p, err := FindHostPart(graphOf(t, tc.nodes...))
		slices.Sort(p.Angles)
		if got := strings.Join(p.Angles, " "); err != nil || got != tc.want {
			t.Errorf("%q: %q, %v, want %q", tc.nodes, got, err, tc.want)
		}
	}
}

// TestHostInputs: an input is the host's where no other nodes read it.
func TestHostInputs(t *testing.T) {
	p, err := FindHostPart(graphOf(t, "a = Shape ids", "b = Cast keep", "c = Add b x", "_ = Neg half"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		lists [][]string
		want  string
	}{
		{nil, ""}, {[][]string{{"a"}}, "ids"}, {[][]string{{"a"}, {"b"}}, "ids keep"}, {[][]string{{"c", "a"}}, "x ids"}, {[][]string{{""}}, "half"},
	} {
		if got := strings.Join(p.InputsOf(tc.lists...), " "); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.lists, got, tc.want)
		}
	}
}
