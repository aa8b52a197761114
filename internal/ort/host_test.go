package ort

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// typedInput declares an input of an element type; lengths below 0 have a name.
func typedInput(name string, code int32, dims ...int64) *onnxpb.ValueInfoProto {
	axes := make([]string, len(dims))
	for i, n := range dims {
		if axes[i] = "some"; n >= 0 {
			axes[i] = strconv.FormatInt(n, 10)
		}
	}
	return onnxpb.NewValueInfo(name, code, axes...)
}

// graphOf has nodes written as "out = Op in in", each named as its output; "_ = …" has no name and the output "_".
func graphOf(nodes ...string) *onnxpb.GraphProto {
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
	return g
}

// TestHostShapes: which nodes compute with sizes alone.
func TestHostShapes(t *testing.T) {
	for _, tc := range []struct {
		nodes []string
		want  string
	}{
		{[]string{"a = Shape ids", "b = Size ids"}, "a b"},
		{[]string{"a = Shape x", "b = Size x", "c = Add a b"}, "c"}, // the device has the float32 one
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
		p := hostPartOf(graphOf(tc.nodes...))
		if got := strings.Join(p.shapes, " "); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.nodes, got, tc.want)
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
		{[]string{"b = Sin x"}, "b"},
		{[]string{"a = Mul x x", "b = Sin a", "c = Cos ids"}, "b c"},
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
		p := hostPartOf(graphOf(tc.nodes...))
		slices.Sort(p.angles)
		if got := strings.Join(p.angles, " "); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.nodes, got, tc.want)
		}
	}
}

// TestHostInputs: an input is the host's where no other nodes read it.
func TestHostInputs(t *testing.T) {
	p := hostPartOf(graphOf("a = Shape ids", "b = Cast keep", "c = Add b x", "_ = Neg half"))
	for _, tc := range []struct {
		lists [][]string
		want  string
	}{
		{nil, ""}, {[][]string{{"a"}}, "ids"}, {[][]string{{"a"}, {"b"}}, "ids keep"}, {[][]string{{"c", "a"}}, "x ids"}, {[][]string{{""}}, "half"},
	} {
		if got := strings.Join(p.inputsOf(tc.lists...), " "); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.lists, got, tc.want)
		}
	}
}

// TestCounts: integers of a small, fixed number are counts.
func TestCounts(t *testing.T) {
	for _, tc := range []struct {
		dtype int32
		dims  []int64
		want  bool
	}{
		{7, nil, true}, {7, []int64{1}, true}, {7, []int64{8}, true}, {7, []int64{9}, false}, {7, []int64{2, 4}, true}, {7, []int64{3, 3}, false},
		{7, []int64{0}, true}, {7, []int64{-1}, false}, {6, []int64{1}, false}, {8, []int64{1}, false}, {7, []int64{8, 2}, false},
	} {
		v := onnxpb.Value{Type: tc.dtype, Shaped: true, Dims: tc.dims}
		if got := isCount(v); got != tc.want {
			t.Errorf("type %d, %v: %v", tc.dtype, tc.dims, got)
		}
		if v.Shaped = false; isCount(v) {
			t.Errorf("type %d, without a shape, is a count", tc.dtype)
		}
	}
}

// TestHostPart: sizes, and what is computed of them, are the host's; what is as long as
// they say is not, nor is the shape of a float input, which lies on the device. Angles are the
// host's back to the integers that they are of, and what is computed of these and sizes alone.
func TestHostPart(t *testing.T) {
	nodes := []string{"shape = Shape ids", "seq = Gather shape one", "count = Mul seq keep", "places = Range one count one",
		"floats = Cast places", "sine = Sin floats", "twice = Add places places", "power = Mul x x",
		"cosine = Cos power", // of what the device has computed: alone
		"scaled = Mul sine one", "product = Mul scaled two", "past = Shape x", "later = Add ids keep"}
	p := hostPartOf(graphOf(nodes...))
	slices.Sort(p.angles)
	for name, tc := range map[string][2][]string{
		"shapes":             {p.shapes, {"shape", "seq", "count"}},
		"angles":             {p.angles, {"cosine", "count", "floats", "places", "scaled", "seq", "sine", "twice"}},
		"inputs of the host": {p.inputsOf(p.shapes, p.angles), {"half"}}, // nothing reads it
	} {
		if !slices.Equal(tc[0], tc[1]) {
			t.Errorf("%s: %v, want %v", name, tc[0], tc[1])
		}
	}
	p = hostPartOf(graphOf(nodes[:len(nodes)-1]...))
	if got := p.inputsOf(p.shapes, p.angles); !slices.Equal(got, []string{"ids", "keep", "half"}) {
		t.Errorf("inputs of the host: %v, want ids, keep and half", got)
	}
	if _, _, err := HostNodes([]byte("no model")); err == nil {
		t.Error("what is no model has nodes for the host")
	}
}
