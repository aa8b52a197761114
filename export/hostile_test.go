package export_test

import (
	"bytes"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/internal/onnxpb"
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

func node(op, out string, in ...string) *onnxpb.NodeProto {
	return &onnxpb.NodeProto{OpType: op, Input: in, Output: []string{out}}
}

func intAttr(name string, v int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeInt, I: &v}
}

func int64s(name string, v ...int64) *onnxpb.TensorProto {
	return &onnxpb.TensorProto{Name: name, DataType: 7, Dims: []int64{int64(len(v))}, Int64Data: v}
}

// valid is x[seq] → Mul(Neg x, w) = y, with w[1] stored.
func valid() *onnxpb.ModelProto {
	return &onnxpb.ModelProto{
		IrVersion:   8,
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: 18}},
		Graph: &onnxpb.GraphProto{
			Input:       []*onnxpb.ValueInfoProto{valueInfo("x", 1, "seq")},
			Output:      []*onnxpb.ValueInfoProto{valueInfo("y", 1, "seq")},
			Initializer: []*onnxpb.TensorProto{{Name: "w", DataType: 1, Dims: []int64{1}, FloatData: []float32{2}}},
			Node:        []*onnxpb.NodeProto{node("Neg", "n", "x"), node("Mul", "y", "n", "w")},
		},
	}
}

func marshal(t testing.TB, m *onnxpb.ModelProto) []byte {
	t.Helper()
	data, err := onnxpb.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReadForeign(t *testing.T) {
	m := read(t, marshal(t, valid()))
	want := "input x : float32[seq]\nparam w : float32[1]\n" +
		"%0 = Neg(x) : float32[seq]\n%1 = Mul(%0, w) : float32[seq]\noutput y = %1 : float32[seq]\n"
	if m.Graph.String() != want {
		t.Errorf("got\n%s\nwant\n%s", m.Graph, want)
	}
}

// squarings computes seq^(2^n) as a length, and uses it.
func squarings(g *onnxpb.GraphProto, n int) {
	g.Node = []*onnxpb.NodeProto{node("Shape", "s0", "x")}
	for i := range n {
		s := fmt.Sprint("s", i)
		g.Node = append(g.Node, node("Mul", fmt.Sprint("s", i+1), s, s))
	}
	g.Node = append(g.Node, node("Expand", "y", "w", fmt.Sprint("s", n)))
}

func TestReadRefuses(t *testing.T) {
	type m = onnxpb.ModelProto
	first := func(x *m) *onnxpb.TensorProto { return x.Graph.Initializer[0] }
	for _, tc := range []struct {
		name, want string
		change     func(x *m)
	}{
		{"no graph", "no graph or no ir_version", func(x *m) { x.Graph = nil }},
		{"future ir", "ir_version 99; supported are 3 to 13", func(x *m) { x.IrVersion = 99 }},
		{"no opset", "no opset", func(x *m) { x.OpsetImport = nil }},
		{"old opset", "opset 12; supported is one opset from 13 to 23", func(x *m) { x.OpsetImport[0].Version = 12 }},
		{"new opset", "opset 24", func(x *m) { x.OpsetImport[0].Version = 24 }},
		{"two opsets", "supported is one opset",
			func(x *m) { x.OpsetImport = append(x.OpsetImport, x.OpsetImport[0]) }},
		{"domain", `domain "com.microsoft"`, func(x *m) { x.OpsetImport[0].Domain = "com.microsoft" }},
		{"node domain", `node 0 "" ("Neg"): it is from the operator domain "a.b"`,
			func(x *m) { x.Graph.Node[0].Domain = "a.b" }},
		{"functions", "the model has functions or training_info", func(x *m) { x.Functions = [][]byte{{}} }},
		{"sparse", "sparse initializers", func(x *m) { x.Graph.SparseInitializer = [][]byte{{}} }},
		{"no nodes", "no nodes", func(x *m) { x.Graph.Node = nil; x.Graph.Output[0] = x.Graph.Input[0] }},
		{"no outputs", "no outputs", func(x *m) { x.Graph.Output = nil }},
		{"unknown operator", `node 1 "" ("Conv"): the operator is not supported; the supported ones are Abs, Add`,
			func(x *m) { x.Graph.Node[1].OpType = "Conv" }},
		{"fused at 18", "it needs opset 23, and the file is opset 18",
			func(x *m) { x.Graph.Node[1].OpType = "RMSNormalization" }},
		{"keepdims", "has keepdims 7, want 0 or 1", func(x *m) {
			x.Graph.Node[0].OpType, x.Graph.Node[0].Attribute = "ReduceSum", []*onnxpb.AttributeProto{intAttr("keepdims", 7)}
		}},
		{"transB", "has transB 1099511627776, want 0 or 1", func(x *m) {
			x.Graph.Node[1].OpType, x.Graph.Node[1].Attribute = "Gemm", []*onnxpb.AttributeProto{intAttr("transB", 1<<40)}
		}},
		{"no axis", "lacks the attribute axis", func(x *m) { x.Graph.Node[1].OpType = "Concat" }},
		{"no type", "lacks the attribute to", func(x *m) { x.Graph.Node[0].OpType = "Cast" }},
		{"no inputs", "it has 0 inputs", func(x *m) { x.Graph.Node[0].Input = nil }},
		{"million inputs", "it has 1000000 inputs and 1 outputs; supported are 4096",
			func(x *m) { x.Graph.Node[0].Input = make([]string, 1e6) }},
		{"two outputs", "it has 1 inputs and 2 outputs", func(x *m) { x.Graph.Node[0].Output = []string{"n", "m"} }},
		{"undefined", `input 0, "nix", is not defined`, func(x *m) { x.Graph.Node[0].Input[0] = "nix" }},
		{"left out", "input 0 is left out", func(x *m) { x.Graph.Node[1].Input[0] = "" }},
		{"cycle", `input 0, "y", is made by a later node or by itself`, func(x *m) { x.Graph.Node[0].Input[0] = "y" }},
		{"own input", `is made by a later node or by itself`, func(x *m) { x.Graph.Node[1].Input[0] = "y" }},
		{"twice defined", `output "n": its name is taken`, func(x *m) { x.Graph.Node[1].Output[0] = "n" }},
		{"duplicate initializer", `initializer "w": its name is taken`,
			func(x *m) { x.Graph.Initializer = append(x.Graph.Initializer, first(x)) }},
		{"initializer is input", `initializer "x": its name is taken`,
			func(x *m) { first(x).Name = "x"; x.Graph.Node[1].Input[1] = "x" }},
		{"unnamed initializer", "it has no name", func(x *m) { first(x).Name = "" }},
		{"no such output", `output "z": no node makes it`, func(x *m) { x.Graph.Output[0].Name = "z" }},
		{"duplicate output", `output name "y" is empty or taken`,
			func(x *m) { x.Graph.Output = append(x.Graph.Output, x.Graph.Output[0]) }},
		{"wrong output", `declared as y float32[2], but is float32[seq]`,
			func(x *m) { x.Graph.Output[0] = valueInfo("y", 1, 2) }},
		{"output without type", "not declared as a tensor", func(x *m) { x.Graph.Output[0].Type = nil }},
		{"input type", "element type is float64 (11)", func(x *m) { x.Graph.Input[0].Type.TensorType.ElemType = 11 }},
		{"input axis", "axis 0 has neither a length nor a name",
			func(x *m) { x.Graph.Input[0] = valueInfo("x", 1, nil) }},
		{"input axis name", `"se q" is neither an integer nor a name`,
			func(x *m) { x.Graph.Input[0] = valueInfo("x", 1, "se q") }},
		{"negative axis", "axis 0 has the length -3", func(x *m) { x.Graph.Input[0] = valueInfo("x", 1, -3) }},
		{"negative axis expression", "axis 0 has the length -3",
			func(x *m) { x.Graph.Input[0] = valueInfo("x", 1, "-3") }},
		{"name of a length", `axis "a|b"`,
			func(x *m) { x.Graph.Input = append(x.Graph.Input, valueInfo("a|b", 7, 1)) }},
		{"name of an input", `Input: "é" is not a name`,
			func(x *m) { x.Graph.Input[0].Name = "é"; x.Graph.Node[0].Input[0] = "é" }},
		{"long name", "its name has 5000 bytes", func(x *m) { x.Graph.Input[0].Name = strings.Repeat("x", 5000) }},
		{"external data", "its data is in another file", func(x *m) { first(x).DataLocation = 1 }},
		{"segment", "one segment", func(x *m) { first(x).Segment = []byte{8, 1} }},
		{"weight type", "element type is string (8)",
			func(x *m) { first(x).DataType, first(x).FloatData, first(x).StringData = 8, nil, [][]byte{{1}} }},
		{"huge axes", "declares more data than a file can hold",
			func(x *m) { first(x).Dims = []int64{1 << 30, 1 << 30, 1 << 30} }},
		{"huge axis", "axis 0 has the length", func(x *m) { first(x).Dims = []int64{1 << 40} }},
		{"declared too much", "takes 4000000 bytes, but 0 bytes and 1 single values",
			func(x *m) { first(x).Dims = []int64{1000000} }},
		{"negative weight axis", "axis 0 has the length -1", func(x *m) { first(x).Dims = []int64{-1} }},
		{"many weight axes", "it has 40 axes", func(x *m) { first(x).Dims = bytesToInts(make([]byte, 40)) }},
		{"two kinds of data", "data of several kinds", func(x *m) { first(x).RawData = []byte{0, 0, 0, 0} }},
		{"wrong kind of data", "data of several kinds", func(x *m) { first(x).Int64Data = []int64{1} }},
		{"odd raw data", "takes 4 bytes, but 3 bytes",
			func(x *m) { first(x).FloatData, first(x).RawData = nil, []byte{1, 2, 3} }},
		{"bool of 2", "element 0 of a bool tensor is 2",
			func(x *m) { *first(x) = onnxpb.TensorProto{Name: "w", DataType: 9, RawData: []byte{2}} }},
		{"attribute kind", "kind GRAPH", func(x *m) {
			x.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{{Name: "body", Type: onnxpb.AttributeGraph}}
		}},
		{"attribute without kind", "kind UNDEFINED",
			func(x *m) { x.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{{Name: "a"}} }},
		{"attribute twice", "empty, too long or taken",
			func(x *m) { x.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{intAttr("a", 1), intAttr("a", 1)} }},
		{"attribute of a function", "refers to a function's attribute", func(x *m) {
			x.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{{Name: "a", RefAttrName: "b"}}
		}},
		{"unknown attribute", "has the unknown attribute a",
			func(x *m) { x.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{intAttr("a", 1)} }},
		{"shape rule", `node 1 "" ("Mul"): graph: /: Mul(float32[seq], float32[2]) cannot broadcast`, func(x *m) {
			first(x).Dims, first(x).FloatData = []int64{2}, []float32{1, 2}
		}},
		{"reshape to negative axes", "has the negative axis -2", func(x *m) {
			x.Graph.Initializer = append(x.Graph.Initializer, int64s("shape", -2, -2),
				&onnxpb.TensorProto{Name: "four", DataType: 1, Dims: []int64{4}, FloatData: make([]float32, 4)})
			x.Graph.Node = []*onnxpb.NodeProto{node("Reshape", "y", "four", "shape")}
		}},
		{"squared lengths", "axis expression it computes is too large", func(x *m) { squarings(x.Graph, 60) }},
		{"doubled lengths", "shape arithmetic is too large", func(x *m) {
			x.Graph.Node = []*onnxpb.NodeProto{node("Shape", "s0", "x")}
			for i := range 22 {
				s := fmt.Sprint("s", i)
				x.Graph.Node = append(x.Graph.Node, node("Concat", fmt.Sprint("s", i+1), s, s))
				x.Graph.Node[i+1].Attribute = []*onnxpb.AttributeProto{intAttr("axis", 0)}
			}
			x.Graph.Node = append(x.Graph.Node, node("Expand", "y", "w", "s22"))
		}},
		{"product of sums", "shape arithmetic is too large", func(x *m) {
			var axes []any
			for i := range 16 {
				axes = append(axes, fmt.Sprintf("a%d+b%d+c%d+d%d", i, i, i, i))
			}
			x.Graph.Input = append(x.Graph.Input, valueInfo("big", 1, axes...))
			x.Graph.Initializer = append(x.Graph.Initializer, int64s("shape", -1))
			x.Graph.Node = []*onnxpb.NodeProto{node("Reshape", "y", "big", "shape")}
		}},
		{"joined sums", "the joined axis is a sum of", func(x *m) {
			join := node("Concat", "y")
			join.Attribute = []*onnxpb.AttributeProto{intAttr("axis", -1)}
			for i := range 4000 {
				x.Graph.Input = append(x.Graph.Input, valueInfo(fmt.Sprint("x", i), 1, fmt.Sprint("a", i)))
				join.Input = append(join.Input, fmt.Sprint("x", i))
			}
			x.Graph.Node = []*onnxpb.NodeProto{join}
		}},
		{"very many axes", "it names 200000 axes", func(x *m) {
			x.Graph.Initializer = append(x.Graph.Initializer, int64s("axes", make([]int64, 2e5)...))
			x.Graph.Node = []*onnxpb.NodeProto{node("Unsqueeze", "y", "x", "axes")}
		}},
		{"a long int64 vector", "int64 vectors have 2000000 elements so far", func(x *m) {
			x.Graph.Initializer = append(x.Graph.Initializer, int64s("v", make([]int64, 2e6)...))
		}},
		{"a million nodes", "more than 524288 nodes", func(x *m) {
			for range 1000000 {
				x.Graph.Node = append(x.Graph.Node, &onnxpb.NodeProto{})
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			x := valid()
			tc.change(x)
			refuses(t, marshal(t, x), tc.want)
		})
	}
}

func bytesToInts(b []byte) []int64 {
	out := make([]int64, len(b))
	for i, x := range b {
		out[i] = int64(x)
	}
	return out
}

// refuses expects one short error, at a bounded cost in memory.
func refuses(t *testing.T, data []byte, want string) {
	t.Helper()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	m, err := readBytes(data)
	goruntime.ReadMemStats(&after)
	if err == nil {
		t.Fatalf("no error; the graph is\n%s", m.Graph)
	}
	text := err.Error()
	if !strings.Contains(text, want) || len(text) > 1000 {
		t.Errorf("got  %.1000s\nwant … %s …", text, want)
	}
	if spent := after.TotalAlloc - before.TotalAlloc; spent > uint64(64<<20+20*len(data)) {
		t.Errorf("allocated %d bytes for a file of %d", spent, len(data))
	}
}

func TestReadDamaged(t *testing.T) {
	good := marshal(t, valid())
	deep := bytes.Repeat([]byte{0x0b}, 1<<16) // groups within groups
	for _, tc := range []struct {
		name, want string
		data       []byte
	}{
		{"empty", "the file is empty", nil},
		{"text", "not an ONNX file", []byte("<!DOCTYPE html>\n<html>not found</html>\n")},
		{"zeros", "not an ONNX file, or damaged: no field at byte 0 of 64", make([]byte, 64)},
		{"truncated", "not an ONNX file, or truncated: field", good[:len(good)/2]},
		{"nested groups", "not an ONNX file, or truncated", deep},
		{"no model", "no graph or no ir_version", []byte{0x08, 0x08}},
		{"bad string", "invalid UTF-8", append([]byte{0x12, 1, 0xff}, good...)},
	} {
		t.Run(tc.name, func(t *testing.T) { refuses(t, tc.data, tc.want) })
	}
	for n := range good {
		if r, err := export.Inspect(good[:n], nil); err == nil && r.Nodes != 2 {
			t.Errorf("the first %d of %d bytes were read as a model of %d nodes", n, len(good), r.Nodes)
		}
	}
}

func TestInspect(t *testing.T) {
	g := build(t, "", scalars)
	got, err := export.Inspect(write(t, g.graph, g.weights,
		export.Options{Doc: "d", Version: "v", Metadata: map[string]string{"k": "v"}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	got.File = nil
	want := export.Report{Bytes: got.Bytes,
		Producer: "zoo v", Doc: "d", IRVersion: 8, Opset: 18, Domains: map[string]int{},
		Inputs:  []card.Port{{Name: "x", DType: "float32"}},
		Outputs: []card.Port{{Name: "w", DType: "float32", Shape: []string{"1", "1"}}},
		Nodes:   6, Ops: map[string]int{"Add": 2, "Mul": 1, "Cast": 1, "Where": 2},
		Initializers: 6, InitializerBytes: 4 + 4 + 1 + 8 + 4 + 1, Metadata: map[string]string{"k": "v"},
		CardProblem: "card: no model card: metadata has no zoo.schema: the file was not written by zoo",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
	foreign := valid()
	foreign.OpsetImport = append(foreign.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: "com.microsoft", Version: 1})
	foreign.Graph.Node[0].OpType = "Gelu"
	foreign.Graph.Input[0].Type.TensorType.ElemType = 10
	info, err := export.Inspect(marshal(t, foreign), nil)
	if err != nil || info.Domains["com.microsoft"] != 1 || info.Ops["Gelu"] != 1 ||
		info.Inputs[0].String() != "x float16[seq]" || info.InitializerBytes != 4 {
		t.Errorf("got %+v, %v", info, err)
	}
}

// TestLongChain reads a graph that is deep, not wide.
func TestLongChain(t *testing.T) {
	x := valid()
	x.Graph.Node = nil
	last := "x"
	for i := range 20000 {
		out := fmt.Sprint("v", i)
		x.Graph.Node = append(x.Graph.Node, node("Neg", out, last))
		last = out
	}
	x.Graph.Node = append(x.Graph.Node, node("Neg", "y", last))
	if m := read(t, marshal(t, x)); len(m.Graph.Nodes) != 20002 {
		t.Errorf("%d nodes", len(m.Graph.Nodes))
	}
}
