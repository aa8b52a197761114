package safety_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

type (
	modelProto = onnxpb.ModelProto
	graphProto = onnxpb.GraphProto
	nodeProto  = onnxpb.NodeProto
)

// valueInfo declares an input or output; axes are int or string.
func valueInfo(name string, code int32, axes ...any) *onnxpb.ValueInfoProto {
	shape := &onnxpb.TensorShapeProto{}
	for _, a := range axes {
		d := &onnxpb.Dimension{}
		switch a := a.(type) {
		case int:
			d.DimValue = new(int64(a))
		case string:
			d.DimParam = new(a)
		}
		shape.Dim = append(shape.Dim, d)
	}
	t := &onnxpb.TypeProto{TensorType: &onnxpb.TensorType{ElemType: code, Shape: shape}}
	return &onnxpb.ValueInfoProto{Name: name, Type: t}
}

func node(op string, in, out []string, attributes ...*onnxpb.AttributeProto) *nodeProto {
	return &nodeProto{OpType: op, Input: in, Output: out, Attribute: attributes}
}

func list(names ...string) []string { return names }

func graphAttr(name string, g *graphProto) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeGraph, G: g}
}

func scalar(name string, code int32, v int64) *onnxpb.TensorProto {
	if code == 9 {
		return &onnxpb.TensorProto{Name: name, DataType: code, Int32Data: []int32{int32(v)}}
	}
	return &onnxpb.TensorProto{Name: name, DataType: code, Int64Data: []int64{v}}
}

// plain is x[seq] → Mul(Neg x, w) = y, with w[1] stored.
func plain() *modelProto {
	return &modelProto{
		IrVersion:   8,
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: 18}},
		Graph: &graphProto{
			Input:       []*onnxpb.ValueInfoProto{valueInfo("x", 1, "seq")},
			Output:      []*onnxpb.ValueInfoProto{valueInfo("y", 1, "seq")},
			Initializer: []*onnxpb.TensorProto{{Name: "w", DataType: 1, Dims: []int64{1}, FloatData: []float32{2}}},
			Node:        []*nodeProto{node("Neg", list("x"), list("n")), node("Mul", list("n", "w"), list("y"))},
		},
	}
}

// loop takes so many turns through inner nodes, which make b from a.
func loop(
	id string, turns *onnxpb.TensorProto, in, out string, inner ...*nodeProto,
) (*nodeProto, []*onnxpb.TensorProto) {
	if inner == nil {
		inner = []*nodeProto{node("Tanh", list("a"+id), list("b"+id))}
	}
	body := &graphProto{
		Input:  []*onnxpb.ValueInfoProto{{Name: "i" + id}, {Name: "c" + id}, {Name: "a" + id}},
		Node:   append(inner, node("Identity", list("c"+id), list("d"+id))),
		Output: []*onnxpb.ValueInfoProto{valueInfo("d"+id, 9), valueInfo("b"+id, 1, "seq")},
	}
	n := node("Loop", list(turns.Name, "go"+id, in), list(out), graphAttr("body", body))
	return n, []*onnxpb.TensorProto{turns, scalar("go"+id, 9, 1)}
}

func looping(turns int64) *modelProto {
	m := plain()
	n, constants := loop("", scalar("m", 7, turns), "x", "y")
	m.Graph.Node, m.Graph.Initializer = []*nodeProto{n}, constants
	return m
}

// branching is an If with two branches.
func branching() (m *modelProto, then *graphProto) {
	branch := func(op string) *graphProto {
		return &graphProto{Node: []*nodeProto{node(op, list("x"), list("out"))},
			Output: []*onnxpb.ValueInfoProto{valueInfo("out", 1, "seq")}}
	}
	m, then = plain(), branch("Neg")
	m.Graph.Initializer = []*onnxpb.TensorProto{scalar("cond", 9, 1)}
	m.Graph.Node = []*nodeProto{node("If", list("cond"), list("y"), graphAttr("then_branch", then),
		graphAttr("else_branch", branch("Tanh")))}
	return m, then
}

func marshal(t testing.TB, m *modelProto) []byte {
	t.Helper()
	data, err := onnxpb.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCheck(t *testing.T) {
	got, err := safety.Check(marshal(t, plain()), safety.Options{})
	if err != nil || len(got.Inputs) != 1 || got.Inputs[0].Name != "x" ||
		!slices.Equal(got.Inputs[0].Shape, list("seq")) || len(got.Outputs) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	// What graphs of ours have not, and files of others do.
	foreign := plain()
	foreign.OpsetImport = append(foreign.OpsetImport,
		&onnxpb.OperatorSetIdProto{Domain: "com.microsoft", Version: 1}) // no node is from there
	foreign.Graph.Input = append(foreign.Graph.Input, valueInfo("w", 1, 1), valueInfo("h", 10, "batch", nil))
	foreign.Graph.Initializer = append(foreign.Graph.Initializer,
		&onnxpb.TensorProto{Name: "half", DataType: 10, Dims: []int64{3}, RawData: make([]byte, 6)},
		&onnxpb.TensorProto{Name: "nibbles", DataType: 22, Dims: []int64{3}, RawData: make([]byte, 2)},
		&onnxpb.TensorProto{Name: "names", DataType: 8, Dims: []int64{1}, StringData: [][]byte{{0xff}}},
		&onnxpb.TensorProto{Name: "complex", DataType: 14, Dims: []int64{1}, FloatData: []float32{1, 2}},
		&onnxpb.TensorProto{Name: "none", DataType: 11, Dims: []int64{0, 5}})
	foreign.Graph.Node = append(foreign.Graph.Node,
		node("Split", list("x", ""), list("", "s2")),
		node("Constant", nil, list("k"),
			&onnxpb.AttributeProto{Name: "value", Type: onnxpb.AttributeTensor, T: scalar("", 7, 3)}))
	if got, err := safety.Check(marshal(t, foreign), safety.Options{}); err != nil || len(got.Inputs) != 2 ||
		got.Inputs[1].Shape[1] != "?" {
		t.Errorf("a foreign file: %+v, %v", got, err)
	}
}

// Every attack is refused with its reason, and nothing but Unvalidated lets the
// worst pass.
func TestRefuses(t *testing.T) {
	first := func(x *modelProto) *onnxpb.TensorProto { return x.Graph.Initializer[0] }
	for _, tc := range []struct {
		name, want string
		change     func(x *modelProto)
	}{
		{"future ir", "ir_version 99", func(x *modelProto) { x.IrVersion = 99 }},
		{"opset", "opset 6; supported is one opset from 7 to 26", func(x *modelProto) { x.OpsetImport[0].Version = 6 }},
		{"functions", "functions or training_info", func(x *modelProto) { x.Functions = [][]byte{{}} }},
		{"sparse", "sparse initializers", func(x *modelProto) { x.Graph.SparseInitializer = [][]byte{{}} }},
		{"metadata twice", `key "k" twice`, func(x *modelProto) {
			x.MetadataProps = []*onnxpb.StringStringEntryProto{{Key: "k"}, {Key: "k"}}
		}},
		{"cycle", `input 0, "y", is made by a later node or by itself`,
			func(x *modelProto) { x.Graph.Node[0].Input[0] = "y" }},
		{"undefined", `input 0, "nix", is not defined`, func(x *modelProto) { x.Graph.Node[0].Input[0] = "nix" }},
		{"twice defined", `output "n": its name is taken`, func(x *modelProto) { x.Graph.Node[1].Output[0] = "n" }},
		{"inputs twice", `input "x": its name is taken`,
			func(x *modelProto) { x.Graph.Input = append(x.Graph.Input, x.Graph.Input[0]) }},
		{"initializers twice", `initializer "w": its name is taken`,
			func(x *modelProto) { x.Graph.Initializer = append(x.Graph.Initializer, first(x)) }},
		{"long name", "its name has 5000 bytes",
			func(x *modelProto) { x.Graph.Node[0].Output[0] = strings.Repeat("n", 5000) }},
		{"negative axis of a weight", "axis 0 has the length -1", func(x *modelProto) { first(x).Dims[0] = -1 }},
		{"negative axis of an input", "axis 0 has the length -3",
			func(x *modelProto) { x.Graph.Input[0] = valueInfo("x", 1, -3) }},
		{"negative axis of a value", `value "n": axis 0 has the length -3`, func(x *modelProto) {
			x.Graph.ValueInfo = append(x.Graph.ValueInfo, valueInfo("n", 1, -3))
		}},
		{"2⁵¹ elements", "axis 0 has the length 2251799813685248", func(x *modelProto) { first(x).Dims[0] = 1 << 51 }},
		{"2⁵¹ elements over axes", "declares more data than a file can hold",
			func(x *modelProto) { first(x).Dims = []int64{1 << 20, 1 << 20, 1 << 11} }},
		{"overflowing axes", "declares more data than a file can hold",
			func(x *modelProto) { first(x).Dims = []int64{1 << 30, 1 << 30, 1 << 30, 0} }},
		{"2⁵¹ elements of an input", "more than 2147483647 elements",
			func(x *modelProto) { x.Graph.Input[0] = valueInfo("x", 1, 1<<20, "n", 1<<20, 1<<11) }},
		{"more claimed than stored", "which takes 4000000 bytes, but 0 bytes and 1 single values",
			func(x *modelProto) { first(x).Dims[0] = 1000000 }},
		{"strings claimed", "but 0 bytes and 0 single values",
			func(x *modelProto) { *first(x) = onnxpb.TensorProto{Name: "w", DataType: 8, Dims: []int64{3}} }},
		{"an attribute's tensor", `attribute "value" holds a tensor: axis 0 has the length -1`, func(x *modelProto) {
			bad := &onnxpb.TensorProto{DataType: 1, Dims: []int64{-1}}
			x.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{
				{Name: "value", Type: onnxpb.AttributeTensor, T: bad},
			}
		}},
		{"element type", "its element type is 99", func(x *modelProto) { first(x).DataType = 99 }},
		{"several kinds", "data of several kinds", func(x *modelProto) { first(x).RawData = make([]byte, 4) }},
		{"external data", "its data is in another file", func(x *modelProto) { first(x).DataLocation = 1 }},
		{"a hidden graph", `is of kind INT and holds a GRAPH`, func(x *modelProto) {
			x.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{
				{Name: "a", Type: onnxpb.AttributeInt, I: new(int64), G: &graphProto{}},
			}
		}},
		{"custom domain", `operator domain "evil.example"`,
			func(x *modelProto) { x.Graph.Node[0].Domain = "evil.example" }},
		{"a function's overload", "it calls a function", func(x *modelProto) { x.Graph.Node[0].Overload = "o" }},
		{"a million nodes", "more than 524288 nodes", func(x *modelProto) { x.Graph.Node = make([]*nodeProto, 1e6) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			x := plain()
			tc.change(x)
			_, err := safety.Check(marshal(t, x), safety.Options{ControlFlow: true, Domains: list("com.microsoft")})
			if err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 1000 {
				t.Errorf("error %v, want %q in it", err, tc.want)
			}
		})
	}
}

func TestDomains(t *testing.T) {
	x := plain()
	x.Graph.Node[0].Domain = "com.microsoft"
	_, err := safety.Check(marshal(t, x), safety.Options{Domains: list("a.b")})
	if !errors.Is(err, safety.ErrNotAllowed) {
		t.Errorf("error %v, want %v", err, safety.ErrNotAllowed)
	}
	for _, opt := range []safety.Options{{Domains: list("com.microsoft")}, {Unvalidated: true}} {
		if _, err := safety.Check(marshal(t, x), opt); err != nil {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

func TestControlFlow(t *testing.T) {
	allowed := safety.Options{ControlFlow: true}
	branches := func(change func(then *graphProto)) *modelProto {
		m, then := branching()
		change(then)
		return m
	}
	// nested puts a Loop within a Loop.
	nested := func(outer, inner int64) *modelProto {
		m := plain()
		in, constants := loop("2", scalar("m2", 7, inner), "a", "b")
		out, more := loop("", scalar("m", 7, outer), "x", "y", in)
		m.Graph.Node, m.Graph.Initializer = []*nodeProto{out}, append(more, constants...)
		return m
	}
	several := plain()
	for i := range 3 {
		n, constants := loop(fmt.Sprint(i), scalar(fmt.Sprint("m", i), 7, 1<<19), "x", fmt.Sprint("y", i))
		several.Graph.Node = append(several.Graph.Node, n)
		several.Graph.Initializer = append(several.Graph.Initializer, constants...)
	}
	endless := looping(1)
	endless.Graph.Node[0].Input[0] = ""
	fed := looping(1)
	fed.Graph.Input = append(fed.Graph.Input, valueInfo("m", 7))
	computed := looping(1)
	computed.Graph.Node = slices.Insert(computed.Graph.Node, 0, node("Mul", list("m", "m"), list("mm")))
	computed.Graph.Node[1].Input[0] = "mm"
	// least is a Loop whose turns are the Min of what the file is fed and, if any, a constant.
	least := func(most ...int64) *modelProto {
		m, names := looping(1), list("fed")
		m.Graph.Input = append(m.Graph.Input, valueInfo("fed", 7))
		for i, n := range most {
			names = append(names, fmt.Sprint("most", i))
			m.Graph.Initializer = append(m.Graph.Initializer, scalar(fmt.Sprint("most", i), 7, n))
		}
		m.Graph.Node = slices.Insert(m.Graph.Node, 0, node("Min", names, list("turns")))
		m.Graph.Node[1].Input[0] = "turns"
		return m
	}
	greatest := least(5)
	greatest.Graph.Node[0].OpType = "Max"
	foreign := least(5)
	foreign.Graph.Node[0].Domain = "other"
	replaced := least(5) // the constant is but a default of an input
	replaced.Graph.Input = append(replaced.Graph.Input, valueInfo("most0", 7))
	constant := looping(1)
	five := &onnxpb.AttributeProto{Name: "value_int", Type: onnxpb.AttributeInt, I: new(int64(5))}
	constant.Graph.Node = slices.Insert(constant.Graph.Node, 0, node("Constant", nil, list("k"), five))
	constant.Graph.Node[1].Input[0] = "k"
	extra := looping(1)
	extra.Graph.Node[0].Attribute = append(extra.Graph.Node[0].Attribute,
		graphAttr("more", extra.Graph.Node[0].Attribute[0].G))
	other := looping(1)
	other.Graph.Node[0].OpType = "SequenceMap"

	if _, err := safety.Check(marshal(t, foreign), safety.Options{ControlFlow: true, Domains: list("other")}); err == nil ||
		!strings.Contains(err.Error(), "the number of its turns is no constant") {
		t.Errorf("the Min of another domain: error %v", err)
	}

	for _, tc := range []struct {
		name, want string // "" passes
		model      *modelProto
	}{
		{"If", "", branches(func(*graphProto) {})},
		{"Loop", "", looping(safety.MaxTurns)},
		{"Loop by a Constant", "", constant},
		{"Loop as it is fed, up to a constant", "", least(1<<50, safety.MaxTurns)},
		{"Loop as it is fed, up to too much", "it takes 1048577 turns", least(safety.MaxTurns + 1)},
		{"Loop by the Min of what it is fed", "the number of its turns is no constant", least()},
		{"Loop by the Max", "the number of its turns is no constant", greatest},
		{"Loop by a Min that may be replaced", "the number of its turns is no constant", replaced},
		{"Loop within a Loop", "", nested(1<<10, 1<<9)},
		{"Loop of 2⁶² turns", "it takes 4611686018427387904 turns", looping(1 << 62)},
		{"Loop of negative turns", "it takes -1 turns", looping(-1)},
		{"Loop within a Loop, too many", "in 1024 turns of Loops around it", nested(1<<10, 1<<11)},
		{"Loop after Loop, too many", "and after 1048576 others", several},
		{"Loop while", "the number of its turns is no constant", endless},
		{"Loop as it is fed", "the number of its turns is no constant", fed},
		{"Loop as it computes", "the number of its turns is no constant", computed},
		{"subgraph that a Loop has not", "no subgraph of that name", extra},
		{"subgraph of another operator", "which only If, Loop and Scan have", other},
		{"If with an undefined name", `subgraph "then_branch": node 0 "" ("Neg"): input 0, "nix", is not defined`,
			branches(func(g *graphProto) { g.Node[0].Input[0] = "nix" })},
		{"If with a name from outside", `"x": its name is taken`,
			branches(func(g *graphProto) { g.Node[0].Output[0] = "x" })},
		{"If with huge claims", `initializer "big": axis 0 has the length`, branches(func(g *graphProto) {
			g.Initializer = []*onnxpb.TensorProto{{Name: "big", DataType: 1, Dims: []int64{1 << 51}}}
		})},
		{"If with external data", "its data is in another file", branches(func(g *graphProto) {
			g.Initializer = []*onnxpb.TensorProto{{Name: "e", DataType: 1, DataLocation: 1}}
		})},
		{"If with a custom domain", `operator domain "evil"`,
			branches(func(g *graphProto) { g.Node[0].Domain = "evil" })},
		{"If with a cycle", "made by a later node or by itself",
			branches(func(g *graphProto) { g.Node[0].Input[0] = "out" })},
		{"If with inputs", "has 1 inputs and 1 outputs; the node wants 0 and 1",
			branches(func(g *graphProto) { g.Input = []*onnxpb.ValueInfoProto{{Name: "q"}} })},
		{"If with a Loop of 2⁶² turns", "it takes 4611686018427387904 turns", branches(func(g *graphProto) {
			n, constants := loop("", scalar("m", 7, 1<<62), "x", "out")
			g.Node, g.Initializer = []*nodeProto{n}, constants
		})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			data := marshal(t, tc.model)
			_, err := safety.Check(data, allowed)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %v, want %q in it", err, tc.want)
			}
			if _, err := safety.Check(data, safety.Options{}); !errors.Is(err, safety.ErrNotAllowed) {
				t.Errorf("without the option: %v, want %v", err, safety.ErrNotAllowed)
			}
			if _, err := safety.Check(data, safety.Options{Unvalidated: true}); err != nil {
				t.Errorf("unvalidated: %v", err)
			}
		})
	}
}

// Graphs within graphs end before the stack does.
func TestDeep(t *testing.T) {
	field := func(num protowire.Number, content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), content)
	}
	g := []byte{}
	for range 2000 {
		g = field(1, field(5, field(6, g))) // graph.node.attribute.g
	}
	for name, data := range map[string][]byte{
		"graphs": append([]byte{8, 8}, field(7, g)...),
		"groups": bytes.Repeat([]byte{0x0b}, 1<<16),
	} {
		if _, err := safety.Check(data, safety.Options{Unvalidated: true}); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: error %.1000v", name, err)
		}
	}
}

// FuzzCheck feeds damaged files: Check must return.
func FuzzCheck(f *testing.F) {
	branches, _ := branching()
	for _, m := range []*modelProto{plain(), looping(5), branches} {
		f.Add(marshal(f, m))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := safety.Check(data, safety.Options{ControlFlow: true})
		if err == nil && len(m.Outputs) == 0 {
			t.Error("a model without outputs passed")
		}
	})
}
