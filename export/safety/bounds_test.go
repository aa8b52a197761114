package safety

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// neg is x → Neg → y.
func neg() *onnxpb.ModelProto {
	return &onnxpb.ModelProto{
		IrVersion:   8,
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: 18}},
		Graph: &onnxpb.GraphProto{
			Input:  []*onnxpb.ValueInfoProto{shapedInput("x", -1)},
			Output: []*onnxpb.ValueInfoProto{shapedInput("y", -1)},
			Node:   []*onnxpb.NodeProto{{OpType: "Neg", Input: []string{"x"}, Output: []string{"y"}}},
		},
	}
}

// TestBounds: of each bound, what is just within it passes, and what is just beyond is refused with the reason.
func TestBounds(t *testing.T) {
	type model = onnxpb.ModelProto
	long := func(n int) string { return strings.Repeat("n", n) }
	node := func(x *model) *onnxpb.NodeProto { return x.Graph.Node[0] }
	dims := func(d ...int64) func(x *model) {
		return func(x *model) { x.Graph.Input = append(x.Graph.Input, shapedInput("w", d...)) }
	}
	value := func(d ...int64) func(x *model) {
		return func(x *model) { x.Graph.ValueInfo = []*onnxpb.ValueInfoProto{shapedInput("y", d...)} }
	}
	renamed := func(n int) func(x *model) {
		return func(x *model) { x.Graph.Input[0].Name, node(x).Input[0] = long(n), long(n) }
	}
	axisNamed := func(n int) func(x *model) {
		return func(x *model) {
			x.Graph.Input[0].Type.TensorType.Shape.Dim[0] = &onnxpb.Dimension{DimParam: new(long(n))}
		}
	}
	ports := func(inputs, outputs int) func(x *model) {
		return func(x *model) {
			for i := len(x.Graph.Input); i < inputs; i++ {
				x.Graph.Input = append(x.Graph.Input, shapedInput(fmt.Sprint("x", i)))
			}
			for i := len(x.Graph.Output); i < outputs; i++ {
				x.Graph.Output = append(x.Graph.Output, shapedInput("y"))
			}
		}
	}
	values := func(inputs, outputs int) func(x *model) {
		return func(x *model) {
			node(x).Input = slices.Repeat([]string{"x"}, inputs)
			for i := len(node(x).Output); i < outputs; i++ {
				node(x).Output = append(node(x).Output, fmt.Sprint("o", i))
			}
		}
	}
	attrs := func(names ...string) func(x *model) {
		return func(x *model) {
			for _, name := range names {
				node(x).Attribute = append(node(x).Attribute, intAttr(name, 1))
			}
		}
	}
	opsets := func(versions ...any) func(x *model) {
		return func(x *model) {
			x.OpsetImport = nil
			for i := 0; i < len(versions); i += 2 {
				x.OpsetImport = append(x.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: versions[i].(string), Version: int64(versions[i+1].(int))})
			}
		}
	}
	ones := slices.Repeat([]int64{1}, MaxRank+1)
	for _, tc := range []struct {
		name, want string // "" passes
		change     func(x *model)
	}{
		{"ir 2", "ir_version 2; supported are 3 to 13", func(x *model) { x.IrVersion = 2 }},
		{"ir 3", "", func(x *model) { x.IrVersion = 3 }},
		{"ir 13", "", func(x *model) { x.IrVersion = 13 }},
		{"ir 14", "ir_version 14", func(x *model) { x.IrVersion = 14 }},
		{"opset 6", "opset 6; supported is one opset from 7 to 26", opsets("", 6)},
		{"opset 7", "", opsets("", 7)},
		{"opset 26", "", opsets("ai.onnx", 26)},
		{"opset 27", "opset 27", opsets("", 27)},
		{"two opsets", "opset 18; supported is one", opsets("", 18, "ai.onnx", 18)},
		{"no opset", "the model names no opset of the default domain", opsets("com.microsoft", 1)},
		{"another opset too", "", opsets("com.microsoft", 1, "", 18, "a.b", 99)},
		{"functions", "functions or training_info", func(x *model) { x.Functions = [][]byte{{}} }},
		{"training", "functions or training_info", func(x *model) { x.TrainingInfo = [][]byte{{}} }},
		{"sparse", "sparse initializers or quantization", func(x *model) { x.Graph.SparseInitializer = [][]byte{{}} }},
		{"quantization", "sparse initializers or quantization", func(x *model) { x.Graph.QuantizationAnnotation = [][]byte{{}} }},
		{"two keys", "", func(x *model) { x.MetadataProps = []*onnxpb.StringStringEntryProto{{Key: "a"}, {Key: "b"}} }},
		{"no outputs", "the graph has no outputs", func(x *model) { x.Graph.Output = nil }},
		{"inputs", "", ports(1<<14, 1)},
		{"an input more", "the graph has 16385 inputs and 1 outputs; supported are 16384", ports(1<<14+1, 1)},
		{"outputs", "", ports(1, 1<<14)},
		{"an output more", "the graph has 1 inputs and 16385 outputs", ports(1, 1<<14+1)},
		{"node inputs", "", values(1<<12, 1)},
		{"a node input more", "it has 4097 inputs and 1 outputs; supported are 4096", values(1<<12+1, 1)},
		{"node outputs", "", values(1, 1<<12)},
		{"a node output more", "it has 1 inputs and 4097 outputs", values(1, 1<<12+1)},
		{"input name", "", renamed(1 << 10)},
		{"a longer input name", "its name has 1025 bytes; supported are 1024", renamed(1<<10 + 1)},
		{"no input name", `input "": it has no name`, func(x *model) { x.Graph.Input[0].Name = "" }},
		{"node name", "", func(x *model) { node(x).Name = long(1 << 10) }},
		{"a longer node name", "its name has 1025 bytes", func(x *model) { node(x).Name = long(1<<10 + 1) }},
		{"attribute name", "", attrs(long(1 << 10))},
		{"a longer attribute name", "its name is empty, too long or taken", attrs(long(1<<10 + 1))},
		{"no attribute name", "its name is empty, too long or taken", attrs("")},
		{"attribute twice", `attribute "a": its name is empty, too long or taken`, attrs("a", "b", "a")},
		{"axis name", "", axisNamed(1 << 10)},
		{"a longer axis name", "the name of axis 0 has 1025 bytes; supported are 1024", axisNamed(1<<10 + 1)},
		{"rank", "", dims(ones[:MaxRank]...)},
		{"a rank more", "it has 17 axes; supported are 16", dims(ones...)},
		{"rank of a value", "", value(ones[:MaxRank]...)},
		{"a rank more of a value", `value "y": it has 17 axes`, value(ones...)},
		{"length", "", dims(MaxFile)},
		{"a longer length", "axis 1 has the length 2147483648", dims(1, MaxFile+1)},
		{"elements", "", dims(-1, 0, 1<<30, 0, 1)},
		{"two elements more", "it declares more than 2147483647 elements", dims(1<<30, 2)},
		{"no length", "", dims(-1, -1)},
		{"no tensor", `input "x": it is not declared as a tensor`, func(x *model) { x.Graph.Input[0].Type = nil }},
		{"no tensor out", `output "y": it is not declared as a tensor`, func(x *model) { x.Graph.Output[0].Type = nil }},
		{"axes out", `output "y": axis 0 has the length -2`, func(x *model) {
			x.Graph.Output[0].Type.TensorType.Shape.Dim[0] = &onnxpb.Dimension{DimValue: new(int64(-2))}
		}},
		{"output that is not made", `output "z": no node makes it`, func(x *model) { x.Graph.Output[0].Name = "z" }},
		{"an input as output", "", func(x *model) { x.Graph.Output[0].Name = "x" }},
	} {
		x := neg()
		tc.change(x)
		err := validate(x, Options{})
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

// TestHeldAttributes: an attribute holds what its kind says, and nothing else.
func TestHeldAttributes(t *testing.T) {
	type kind = onnxpb.AttributeType
	good := &onnxpb.TensorProto{DataType: 1, Dims: []int64{1}, FloatData: []float32{2}}
	hold := map[kind]func(a *onnxpb.AttributeProto){
		onnxpb.AttributeFloat:         func(a *onnxpb.AttributeProto) { a.F = new(float32) },
		onnxpb.AttributeInt:           func(a *onnxpb.AttributeProto) { a.I = new(int64) },
		onnxpb.AttributeString:        func(a *onnxpb.AttributeProto) { a.S = []byte{} },
		onnxpb.AttributeTensor:        func(a *onnxpb.AttributeProto) { a.T = good },
		onnxpb.AttributeGraph:         func(a *onnxpb.AttributeProto) { a.G = &onnxpb.GraphProto{} },
		onnxpb.AttributeFloats:        func(a *onnxpb.AttributeProto) { a.Floats = []float32{1} },
		onnxpb.AttributeInts:          func(a *onnxpb.AttributeProto) { a.Ints = []int64{1} },
		onnxpb.AttributeStrings:       func(a *onnxpb.AttributeProto) { a.Strings = [][]byte{{}} },
		onnxpb.AttributeTensors:       func(a *onnxpb.AttributeProto) { a.Tensors = []*onnxpb.TensorProto{good} },
		onnxpb.AttributeGraphs:        func(a *onnxpb.AttributeProto) { a.Graphs = []*onnxpb.GraphProto{{}} },
		onnxpb.AttributeTypeProto:     func(a *onnxpb.AttributeProto) { a.Tp = []byte{1} },
		onnxpb.AttributeTypeProtos:    func(a *onnxpb.AttributeProto) { a.TypeProtos = [][]byte{{}} },
		onnxpb.AttributeSparseTensor:  func(a *onnxpb.AttributeProto) { a.SparseTensor = []byte{1} },
		onnxpb.AttributeSparseTensors: func(a *onnxpb.AttributeProto) { a.SparseTensors = [][]byte{{}} },
	}
	unsupported := []kind{onnxpb.AttributeUndefined, onnxpb.AttributeGraphs, onnxpb.AttributeSparseTensor,
		onnxpb.AttributeSparseTensors}
	if len(hold) != len(onnxpb.AttributeTypes)-1 {
		t.Errorf("%d kinds are looked at, of %d", len(hold), len(onnxpb.AttributeTypes)-1)
	}
	for number := range onnxpb.AttributeTypes {
		of := kind(number)
		check := func(want string, held ...kind) {
			a := &onnxpb.AttributeProto{Name: "a", Type: of}
			for _, k := range held {
				hold[k](a)
			}
			if err := checkAttribute(a); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%v that holds %v: %v, want %q", of, held, err, want)
			}
		}
		switch {
		case slices.Contains(unsupported, of):
			check(fmt.Sprintf("is of kind %v, which is not supported", of))
			continue
		case of == onnxpb.AttributeGraph || of == onnxpb.AttributeTensor:
			check(fmt.Sprintf("is of kind %v and holds none", of))
		default:
			check("") // a value of 0 need not be written
		}
		check("", of)
		for other := range hold {
			if other != of {
				check(fmt.Sprintf("is of kind %v and holds a %v", of, other), of, other)
			}
		}
	}
	if err := checkAttribute(&onnxpb.AttributeProto{Type: onnxpb.AttributeInt, RefAttrName: "b"}); err == nil ||
		!strings.Contains(err.Error(), "refers to a function's attribute") {
		t.Errorf("a reference: %v", err)
	}
	bad := &onnxpb.TensorProto{DataType: 99}
	for _, a := range []*onnxpb.AttributeProto{{Type: onnxpb.AttributeTensor, T: bad},
		{Type: onnxpb.AttributeTensors, Tensors: []*onnxpb.TensorProto{good, bad}}} {
		if err := checkAttribute(a); err == nil || !strings.Contains(err.Error(), "holds a tensor: its element type is 99") {
			t.Errorf("a bad tensor: %v", err)
		}
	}
}

// TestIntegers: lists of up to two numbers for each axis are looked into, of int64 alone.
func TestIntegers(t *testing.T) {
	raw := func(n int) *onnxpb.TensorProto {
		return &onnxpb.TensorProto{DataType: typeInt64, Dims: []int64{int64(n)}, RawData: make([]byte, 8*n)}
	}
	most := slices.Repeat([]int64{7}, 2*MaxRank+1)
	for _, tc := range []struct {
		of *onnxpb.TensorProto
		n  int // −1 for none
	}{
		{nil, -1}, {&onnxpb.TensorProto{DataType: 6, Int32Data: []int32{1}}, -1}, {ints("", false), 0}, {ints("", true, 5), 1},
		{ints("", false, most[1:]...), 2 * MaxRank}, {ints("", false, most...), -1}, {raw(2 * MaxRank), 2 * MaxRank}, {raw(2*MaxRank + 1), -1},
	} {
		list, ok := integers(tc.of)
		if n := len(list); ok != (tc.n >= 0) || ok && n != tc.n {
			t.Errorf("of %v: %v, %v", tc.of, list, ok)
		}
		if _, one := integer(tc.of); one != (tc.n == 1) {
			t.Errorf("of %v: one number: %v", tc.of, one)
		}
	}
	little := &onnxpb.TensorProto{DataType: typeInt64, Dims: []int64{2}, RawData: []byte{1, 2, 0, 0, 0, 0, 0, 0, 254, 255, 255, 255, 255, 255, 255, 255}}
	if list, _ := integers(little); !slices.Equal(list, []int64{513, -2}) {
		t.Errorf("little-endian: %v", list)
	}
}

// TestTurns: the most turns of Loops, within and after one another, and one more.
func TestTurns(t *testing.T) {
	for _, tc := range []struct {
		turns, spent, n int64
		fits            bool
	}{
		{1, 0, 0, true}, {1, 0, -1, false}, {1, 0, MaxTurns, true}, {1, 0, MaxTurns + 1, false}, {1, 1, MaxTurns - 1, true}, {1, 1, MaxTurns, false},
		{4, 0, MaxTurns / 4, true}, {4, 1, MaxTurns / 4, false}, {4, 4, MaxTurns/4 - 1, true}, {1 << 20, 0, 1 << 62, false},
	} {
		v := validator{turns: tc.turns, spent: tc.spent}
		err := v.enterLoop(tc.n, true)
		if tc.fits != (err == nil) || tc.fits && (v.turns != tc.turns*tc.n || v.spent != tc.spent+tc.turns*tc.n) {
			t.Errorf("%+v: %v, then %d turns, %d spent", tc, err, v.turns, v.spent)
		}
		if err := v.enterLoop(1, false); err == nil {
			t.Errorf("%+v: turns without a bound pass", tc)
		}
	}
}

// TestSayings: what a file says of itself is passed on.
func TestSayings(t *testing.T) {
	m := neg()
	m.MetadataProps = []*onnxpb.StringStringEntryProto{{Key: "a", Value: "b"}}
	m.Graph.Input = append(m.Graph.Input, shapedInput("w", 2, -1, 0))
	m.Graph.Initializer = []*onnxpb.TensorProto{ints("x", false, 1)} // the default of an input
	data, err := onnxpb.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Check(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Inputs) != 1 || f.Inputs[0].String() != "w float32[2,some,0]" || len(f.Outputs) != 1 ||
		f.Outputs[0].String() != "y float32[some]" || len(f.Metadata) != 1 || f.Metadata["a"] != "b" {
		t.Errorf("inputs %v, outputs %v, metadata %v", f.Inputs, f.Outputs, f.Metadata)
	}
}

// TestUndeclared: only zoo's card of a recurrent model or of answers lets one node with a graph pass.
func TestUndeclared(t *testing.T) {
	for _, domain := range []string{"", "ai.onnx", "other"} {
		loop := &onnxpb.NodeProto{OpType: "Loop", Domain: domain}
		g := &onnxpb.GraphProto{Node: []*onnxpb.NodeProto{{OpType: "Neg"}, loop}}
		if got := onlyLoop(g); (got == loop) != onnxpb.DefaultDomain(domain) || got != nil && got != loop {
			t.Errorf("domain %q: %v", domain, got)
		}
		g.Node = append(g.Node, &onnxpb.NodeProto{OpType: "Loop"})
		if got := onlyLoop(g); (got != nil) == onnxpb.DefaultDomain(domain) {
			t.Errorf("domain %q, with another: %v", domain, got)
		}
	}
	if declared(neg()) != nil {
		t.Error("a file without a card declares a node")
	}
}

// TestUnvalidated: weights that are damaged and graphs that are not allowed pass where it is asked for, and no more.
func TestUnvalidated(t *testing.T) {
	if _, err := Check([]byte("no model"), Options{Unvalidated: true}); err == nil || !strings.HasPrefix(err.Error(), "safety: ") {
		t.Errorf("no model: %v", err)
	}
	x := neg()
	x.Graph.Node[0].Domain = "other"
	data, err := onnxpb.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Check(data, Options{Unvalidated: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Validate(); !errors.Is(err, ErrNotAllowed) {
		t.Errorf("validated later: %v", err)
	}
	if f, err = Check(data, Options{Domains: []string{"other"}}); err != nil || f.Validate() != nil {
		t.Errorf("validated under options: %v, and again: %v", err, f.Validate())
	}
	if f, err = Check(data, Options{}); f == nil || !errors.Is(err, ErrNotAllowed) {
		t.Errorf("refused: %v, %v", f, err)
	}
}

// TestBareLoop: a Loop needs a bound and a condition, and may carry nothing.
func TestBareLoop(t *testing.T) {
	for inputs, passes := range map[int]bool{1: false, 2: true} {
		x := neg()
		body := &onnxpb.GraphProto{
			Input:  []*onnxpb.ValueInfoProto{{Name: "turn"}, {Name: "before"}},
			Node:   []*onnxpb.NodeProto{{OpType: "Identity", Input: []string{"before"}, Output: []string{"after"}}},
			Output: []*onnxpb.ValueInfoProto{{Name: "after"}},
		}
		x.Graph.Initializer = []*onnxpb.TensorProto{ints("most", true, 3), {Name: "go", DataType: typeBool, Int32Data: []int32{1}}}
		x.Graph.Node = append(x.Graph.Node, &onnxpb.NodeProto{OpType: "Loop", Input: []string{"most", "go"}[:inputs],
			Attribute: []*onnxpb.AttributeProto{{Name: "body", Type: onnxpb.AttributeGraph, G: body}}})
		if err := validate(x, Options{ControlFlow: true}); passes != (err == nil) {
			t.Errorf("a Loop of %d inputs: %v", inputs, err)
		}
	}
}
