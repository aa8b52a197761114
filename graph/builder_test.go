package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
)

func TestStickyError(t *testing.T) {
	m := newMaker()
	var bad *graph.Node
	m.In("layers.0", func() {
		m.In("attn", func() {
			bad = m.MatMul(in(m, "a", "seq", "2"), in(m, "b", "3", "4"))
		})
	})
	// All later calls, also on the failed node, keep quiet.
	after := m.Softmax(m.Add(m.Reshape(m.Transpose(bad, 1, 0), seq), m.Float(1)), -1)
	after = m.Slice(m.Expand(after, seq), 0, graph.N(0), m.Scalar(seq).Dim(3))
	m.Gather(after, m.Range(graph.N(0), m.Param("w", tensor.Float32, 2).Dim(0)), 0)
	graph.Gradient(m.Builder, after, []*graph.Node{bad})
	m.Op("NoSuchOp", nil)

	_, err := m.Build(graph.Output{Name: "y", Node: after})
	if err == nil || !errors.Is(err, m.Err()) {
		t.Fatalf("Build gives %v, Err %v", err, m.Err())
	}
	for _, want := range []string{"MatMul", "float32[seq,2]", "float32[3,4]", "inner axes 2 and 3", "/layers.0/attn:",
		"builder_test.go:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q in it", err, want)
		}
	}
}

func TestBuilderErrors(t *testing.T) {
	other := graph.NewBuilder().Float(1)
	for _, tc := range []struct {
		name  string
		build func(m maker) []graph.Output
		want  string
	}{
		{"unknown operator", func(m maker) []graph.Output { m.Op("Gelu", nil); return nil },
			"operator Gelu is not supported; the supported ones are Abs, Add"},
		{"leaf as operator", func(m maker) []graph.Output { m.Op("Param", nil); return nil },
			"operator Param is not supported"},
		{"input again, other type", func(m maker) []graph.Output { in(m, "x", "2"); in(m, "x", "3"); return nil },
			"Input x float32[3] was declared before as Input float32[2]"},
		{"input and parameter", func(m maker) []graph.Output { in(m, "x", "2"); m.Param("x", tensor.Float32, 2); return nil },
			"was declared before as Input"},
		{"bad name", func(m maker) []graph.Output { m.Param("a b", tensor.Float32, 1); return nil }, `"a b" is not a name`},
		{"input of another dtype", func(m maker) []graph.Output { m.Input("x", tensor.Float64); return nil },
			"Input x is float64: a graph holds"},
		{"weight of another dtype", func(m maker) []graph.Output { m.Param("w", tensor.Int64, 2); return nil },
			"Param w is int64: a weight is float32, float16, bfloat16, int8 or int4"},
		{"constant of another dtype", func(m maker) []graph.Output {
			m.Const(tensor.New(tensor.Float64, 2))
			return nil
		}, "a constant is float64[2]: a graph holds"},
		{"undeclared axis", func(m maker) []graph.Output { m.Len(batch.Mul(seq)); return nil },
			"no declared input has an axis batch"},
		{"no outputs", func(m maker) []graph.Output { return nil }, "no outputs"},
		{"output of another builder", func(m maker) []graph.Output { return []graph.Output{{Name: "y", Node: other}} },
			`output "y" is not a node of this builder`},
		{"no node", func(m maker) []graph.Output { return []graph.Output{{Name: "y"}} }, `output "y" is not a node`},
		{"no name", func(m maker) []graph.Output { return []graph.Output{{Node: m.Float(1)}} },
			`output name "" is empty`},
		{"name twice", func(m maker) []graph.Output {
			return []graph.Output{{Name: "y", Node: m.Float(1)}, {Name: "y", Node: m.Float(2)}}
		}, `"y" is empty or taken`},
		{"name of an input",
			func(m maker) []graph.Output { return []graph.Output{{Name: "x", Node: m.Exp(in(m, "x"))}} },
			`"x" is empty or taken`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newMaker()
			_, err := m.Build(tc.build(m)...)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestFailKeepsTheFirst(t *testing.T) {
	b := graph.NewBuilder()
	first := errors.New("n_heads 3 does not divide d_model 64")
	b.Fail(first)
	b.Fail(errors.New("second"))
	if !errors.Is(b.Err(), first) || strings.Contains(b.Err().Error(), "second") {
		t.Errorf("got %v", b.Err())
	}
	if !strings.Contains(b.Err().Error(), "(built at builder_test.go:") {
		t.Errorf("got %v, want this file's name", b.Err())
	}
}

func TestInterning(t *testing.T) {
	m := newMaker()
	x, y := in(m, "x", "2"), in(m, "y", "2")
	for _, tc := range []struct {
		name string
		a, b *graph.Node
		same bool
	}{
		{"operator", m.Add(x, y), m.Add(x, y), true},
		{"order of inputs", m.Add(x, y), m.Add(y, x), false},
		{"operator name", m.Add(x, y), m.Mul(x, y), false},
		{"attribute", m.Softmax(x, 0), m.Softmax(x, 0), true},
		{"other attribute", m.Softmax(x, 0), m.Softmax(x, -1), false},
		{"order of attributes",
			m.Op("Shape", []*graph.Node{x}, graph.Attr{Name: "start", Value: int64(0)},
				graph.Attr{Name: "end", Value: int64(1)}),
			m.Op("Shape", []*graph.Node{x}, graph.Attr{Name: "end", Value: int64(1)},
				graph.Attr{Name: "start", Value: int64(0)}), true},
		{"constant", m.vec(1, 2), m.vec(1, 2), true},
		{"constant of another shape", m.vec(1, 2), m.f(shape{2, 1}, 1, 2), false},
		{"constant of another type", m.Ints(0), m.b(shape{1}, false), false},
		{"0 and -0", m.vec(0), m.Neg(m.vec(0)), false},
		{"input", in(m, "x", "2"), x, true},
		{"parameter", m.Param("w", tensor.Float32, 1), m.Param("w", tensor.Float32, 1), true},
	} {
		if (tc.a == tc.b) != tc.same {
			t.Errorf("%s: the same node: %v, want %v", tc.name, tc.a == tc.b, tc.same)
		}
	}
	if err := m.Err(); err != nil {
		t.Error(err)
	}
}

func TestPathsAreUnique(t *testing.T) {
	m := newMaker()
	x := in(m, "x", "2")
	var names []string
	m.In("mlp", func() {
		for range 3 {
			x = m.Exp(x)
			names = append(names, x.Name)
		}
	})
	names = append(names, m.Exp(x).Name)
	if diff := cmp.Diff([]string{"/mlp/Exp", "/mlp/Exp_1", "/mlp/Exp_2", "/Exp"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBuildDropsWhatNothingNeeds(t *testing.T) {
	m := newMaker()
	x := in(m, "x", "2")
	m.Exp(in(m, "unused", "2"))
	m.Param("unused.weight", tensor.Float32, 2)
	g, err := m.Build(graph.Output{Name: "y", Node: m.Add(x, m.Param("w", tensor.Float32, 2))})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != 3 || len(g.Inputs) != 1 || len(g.Params) != 1 {
		t.Errorf("got\n%s", g)
	}
	if g.Input("x") != x || g.Input("unused") != nil || g.Input("unused.weight") != nil || g.Input("w") == nil ||
		g.Output("y") == nil || g.Output("z") != nil {
		t.Error("look-up by name is wrong")
	}
}

// TestLen checks lengths by computing them.
func TestLen(t *testing.T) {
	feed := map[string]*tensor.Tensor{"x": tensor.New(tensor.Float32, 2, 3), "p": tensor.New(tensor.Float32, 5),
		"keep": tensor.Of([]int64{4}, 1)}
	for _, d := range []string{"7", "batch", "seq", "past", "past+seq", "batch*seq", "2*batch*seq+past", "past+-1",
		"keep", "keep+seq", "-1*seq", "seq+1", "0"} {
		m := newMaker()
		used := m.Add(m.ReduceSum(in(m, "x", "batch", "seq"), false), m.ReduceSum(in(m, "p", "past"), false))
		ints(m, "keep", "1")
		n := m.Len(dims(d)[0])
		g, err := m.Build(graph.Output{Name: "n", Node: n}, graph.Output{Name: "used", Node: used})
		if err != nil {
			t.Errorf("%s: %v", d, err)
			continue
		}
		got, err := interp.New(g, tensor.Float32).Run(context.Background(), feed, nil)
		if err != nil {
			t.Errorf("%s: %v", d, err)
			continue
		}
		want, err := dims(d)[0].Eval(map[string]int{"batch": 2, "seq": 3, "past": 5, "keep": 4})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, got["n"], i64(shape{1}, int64(want)))
	}
}

func TestLens(t *testing.T) {
	m := newMaker()
	used := m.Add(m.ReduceSum(in(m, "x", "batch", "seq"), false), m.ReduceSum(in(m, "p", "past"), false))
	n := m.Lens(dims("4", "1", "batch", "seq", "past+seq", "past", "2")...)
	g, err := m.Build(graph.Output{Name: "n", Node: n}, graph.Output{Name: "used", Node: used})
	if err != nil {
		t.Fatal(err)
	}
	got, err := interp.New(g, tensor.Float32).Run(context.Background(),
		map[string]*tensor.Tensor{"x": tensor.New(tensor.Float32, 2, 3), "p": tensor.New(tensor.Float32, 5)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, got["n"], i64(shape{7}, 4, 1, 2, 3, 8, 5, 2))
}

// TestReshapeLowering holds when a shape is a constant and when it is computed.
func TestReshapeLowering(t *testing.T) {
	for _, tc := range []struct {
		from, to []string
		want     string // the constant, or "" where the shape is computed
	}{
		{[]string{"batch", "seq", "8"}, []string{"batch", "seq", "2", "4"}, "int64[0,0,2,4]"},
		{[]string{"batch", "2", "seq", "4"}, []string{"batch", "8", "seq"}, "int64[0,8,0]"},
		{[]string{"batch", "seq", "8"}, []string{"seq", "batch", "8"}, ""},
		{[]string{"batch", "seq", "8"}, []string{"batch*seq", "8"}, "int64[-1,8]"},
		{[]string{"batch*seq", "8"}, []string{"batch", "seq", "2", "4"}, ""},
		{[]string{"batch", "seq"}, []string{"batch*seq"}, "int64[-1]"},
		{[]string{"batch*seq"}, []string{"batch", "seq"}, ""},
		{[]string{"2", "3"}, []string{"6"}, "int64[6]"},
		{[]string{"2", "0"}, []string{"0", "3"}, "int64[-1,3]"},
		{[]string{"2", "0"}, []string{"0", "0"}, "int64[0,0]"},
		{[]string{"batch"}, []string{"batch", "1"}, "int64[0,1]"},
	} {
		m := newMaker()
		in(m, "axes", "batch", "seq")
		n := m.Reshape(m.Exp(in(m, "x", tc.from...)), dims(tc.to...)...)
		if m.Err() != nil {
			t.Errorf("%v to %v: %v", tc.from, tc.to, m.Err())
			continue
		}
		shape := n.Inputs[1]
		text := ""
		if shape.Op == graph.OpConstant {
			text = strings.ReplaceAll(fmt.Sprint("int64", tensor.Data[int64](shape.Value)), " ", ",")
		}
		if text != tc.want {
			t.Errorf("%v to %v: the shape is %q, want %q", tc.from, tc.to, text, tc.want)
		}
	}
	m := newMaker()
	x := in(m, "x", "2", "3")
	if m.Reshape(x, x.Shape...) != x || m.Reshape(m.Reshape(x, graph.N(6)), x.Shape...) != x {
		t.Error("a reshape that changes nothing is kept")
	}
}

// TestShortcuts holds that operators which change nothing are left out.
func TestShortcuts(t *testing.T) {
	m := newMaker()
	x := in(m, "x", "2", "seq")
	for name, n := range map[string]*graph.Node{
		"Transpose":       m.Transpose(x, 0, 1),
		"Transpose twice": m.Transpose(m.Transpose(x, 1, 0), 1, 0),
		"Concat of one":   m.Concat(0, x),
		"whole Slice":     m.Slice(x, 1, graph.N(0), seq),
		"Expand":          m.Expand(x, graph.N(2), seq),
		"Cast":            m.Cast(x, tensor.Float32),
	} {
		if n != x {
			t.Errorf("%s gives %s", name, n.Op)
		}
	}
}

// small is a graph with most kinds of line: inputs, parameters, constants short
// and long, attributes, computed shapes and gradients.
func small(t *testing.T) *graph.Graph {
	t.Helper()
	m := newMaker()
	var loss *graph.Node
	m.In("embed", func() {
		table := make([]float32, 12)
		x := m.Add(m.Gather(m.w(4, 3), m.ids("batch", "seq"), 0),
			m.Gather(m.f(shape{4, 3}, table...), m.ids("batch", "seq"), 0))
		y := m.Gemm(m.Reshape(x, batch.Mul(seq), graph.N(3)), m.w(2, 3), false, true)
		loss = m.ReduceMean(m.Op("LogSoftmax", []*graph.Node{m.Reshape(y, batch, seq, two)}, graph.Attr{Name: "axis", Value: int64(-1)}), false)
	})
	outputs := []graph.Output{{Name: "loss", Node: loss}}
	for i, g := range graph.Gradient(m.Builder, loss, *m.targets) {
		outputs = append(outputs, graph.Output{Name: fmt.Sprint("grad.", i), Node: g})
	}
	g, err := m.Build(outputs...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestText(t *testing.T) {
	first := small(t).String()
	for range 5 {
		if diff := cmp.Diff(first, small(t).String()); diff != "" {
			t.Fatalf("the same graph prints differently:\n%s", diff)
		}
	}
	graphtest.Golden(t, "small", first)
	graphtest.Golden(t, "constants", constants(t).String())
	graphtest.NoOtherGolden(t, "small", "constants")
}

// constants has the longest constants that are printed in full, and the shortest that are not.
func constants(t *testing.T) *graph.Graph {
	t.Helper()
	m := newMaker()
	var outputs []graph.Output
	add := func(name string, c *tensor.Tensor) {
		outputs = append(outputs, graph.Output{Name: name, Node: m.Unsqueeze(m.Const(c), 0)})
	}
	for _, n := range []int{8, 9} {
		truth, numbers := make([]bool, n), make([]int64, n)
		for i := range n {
			truth[i], numbers[i] = i%3 == 0, int64(i-2)
		}
		name := fmt.Sprint(n, " of ")
		add(name+"bool", tensor.Of(truth, n))
		add(name+"int64", tensor.Of(numbers, n))
		add(name+"int8", tensor.Of(make([]int8, n), n))
	}
	add("row", f32(shape{1, 2}, 1, 2))
	add("uint8", tensor.Of([]uint8{200}, 1))
	add("int32", tensor.Of([]int32{-7}, 1))
	add("float16", tensor.Of([]uint16{0x3c00}, 1))
	add("bfloat16", tensor.Of([]tensor.BFloat16Bits{0x3f80}, 1))
	g, err := m.Build(outputs...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestTextTellsGraphsApart(t *testing.T) {
	texts := map[string]string{}
	for name, f := range map[string]func(m maker) *graph.Node{
		"add":             func(m maker) *graph.Node { return m.Add(in(m, "x", "2"), in(m, "z", "2")) },
		"add, exchanged":  func(m maker) *graph.Node { z := in(m, "z", "2"); return m.Add(z, in(m, "x", "2")) },
		"mul":             func(m maker) *graph.Node { return m.Mul(in(m, "x", "2"), in(m, "z", "2")) },
		"square":          func(m maker) *graph.Node { x := in(m, "x", "2"); return m.Mul(x, x) },
		"softmax":         func(m maker) *graph.Node { return m.Softmax(in(m, "x", "2"), 0) },
		"softmax, axis":   func(m maker) *graph.Node { return m.Softmax(in(m, "x", "2"), -1) },
		"constant":        func(m maker) *graph.Node { return m.Add(in(m, "x", "2"), m.vec(1, 2)) },
		"other constant":  func(m maker) *graph.Node { return m.Add(in(m, "x", "2"), m.vec(1, 3)) },
		"column":          func(m maker) *graph.Node { return m.Add(in(m, "x", "2"), m.f(shape{2, 1}, 1, 2)) },
		"long":            func(m maker) *graph.Node { return m.Add(in(m, "x"), m.vec(0, 1, 2, 3, 4, 5, 6, 7, 8)) },
		"long, other end": func(m maker) *graph.Node { return m.Add(in(m, "x"), m.vec(0, 1, 2, 3, 4, 5, 6, 7, 9)) },
		"symbolic":        func(m maker) *graph.Node { return m.Softmax(in(m, "x", "seq"), 0) },
	} {
		m := newMaker()
		text := build(t, m.Builder, f(m)).String()
		if old, twice := texts[text]; twice {
			t.Errorf("%s and %s print alike:\n%s", old, name, text)
		}
		texts[text] = name
	}
}

func TestVerifyFindsCorruption(t *testing.T) {
	find := func(g *graph.Graph, op string) *graph.Node {
		for _, n := range g.Nodes {
			if n.Op == op {
				return n
			}
		}
		t.Fatalf("no %s in\n%s", op, g)
		return nil
	}
	for _, tc := range []struct {
		name    string
		corrupt func(g *graph.Graph)
		want    string
	}{
		{"nothing", func(g *graph.Graph) {}, ""},
		{"shape", func(g *graph.Graph) { find(g, "Gemm").Shape = dims("seq", "2") },
			"/embed/Gemm is recorded as float32[seq,2] but the rule says float32[batch*seq,2]"},
		{"dtype", func(g *graph.Graph) { find(g, "Gemm").DType = tensor.Int64 }, "recorded as int64"},
		{"operator", func(g *graph.Graph) { find(g, "Add").Op = "MatMul" }, "MatMul"},
		{"unknown operator", func(g *graph.Graph) { find(g, "Add").Op = "Foo" }, "operator Foo is not supported"},
		{"attribute", func(g *graph.Graph) { find(g, "Gather").Attrs = []graph.Attr{{Name: "axis", Value: int64(7)}} },
			"axis 7 is out of range"},
		{"input dropped", func(g *graph.Graph) { n := find(g, "Add"); n.Inputs = n.Inputs[:1] },
			"has 1 inputs, want 2"},
		{"order", func(g *graph.Graph) {
			last := len(g.Nodes) - 1
			g.Nodes[0], g.Nodes[last] = g.Nodes[last], g.Nodes[0]
		}, "comes before its input"},
		{"cycle", func(g *graph.Graph) { n := find(g, "Add"); n.Inputs[0] = n }, "comes before its input"},
		{"output gone", func(g *graph.Graph) { g.Outputs[0].Node = graph.NewBuilder().Float(1) },
			"output loss is not among the nodes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := small(t)
			tc.corrupt(g)
			err := g.Verify()
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestBind(t *testing.T) {
	m := newMaker()
	x := in(m, "x", "batch", "seq", "4")
	keep := ints(m, "keep", "1")
	y := m.Concat(1, in(m, "p", "batch", "past", "4"), x)
	sum := m.Add(m.ReduceSum(y, true, 2), in(m, "z", "batch", "past+seq", "1"))
	g, err := m.Build(graph.Output{Name: "y", Node: m.SliceLast(sum, 1, graph.Sym("keep"))},
		graph.Output{Name: "k", Node: m.Add(keep, m.Ints(1))})
	if err != nil {
		t.Fatal(err)
	}
	with := func(change map[string]*tensor.Tensor) map[string]*tensor.Tensor {
		feed := map[string]*tensor.Tensor{
			"x": tensor.New(tensor.Float32, 2, 3, 4), "p": tensor.New(tensor.Float32, 2, 0, 4),
			"z": tensor.New(tensor.Float32, 2, 3, 1), "keep": tensor.Of([]int64{2}, 1),
		}
		for name, v := range change {
			feed[name] = v
		}
		return feed
	}
	got, err := g.Bind(with(nil))
	if diff := cmp.Diff(map[string]int{"batch": 2, "seq": 3, "past": 0, "keep": 2}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, tc := range []struct {
		change map[string]*tensor.Tensor
		want   string
	}{
		{map[string]*tensor.Tensor{"x": nil}, "input x (float32[batch,seq,4]) is not fed"},
		{map[string]*tensor.Tensor{"x": tensor.New(tensor.Int64, 2, 3, 4)}, "input x is int64[2,3,4], want float32"},
		{map[string]*tensor.Tensor{"x": tensor.New(tensor.Float32, 2, 3)}, "input x is float32[2,3], want"},
		{map[string]*tensor.Tensor{"x": tensor.New(tensor.Float32, 2, 3, 5)}, "with 4 = 4"},
		{map[string]*tensor.Tensor{"p": tensor.New(tensor.Float32, 1, 0, 4)}, "batch = "},
		{map[string]*tensor.Tensor{"z": tensor.New(tensor.Float32, 2, 4, 1)}, "with past+seq = 3"},
		{map[string]*tensor.Tensor{"keep": tensor.Of([]int64{1, 2}, 2)}, "input keep is int64[2], want int64[1]"},
	} {
		if _, err := g.Bind(with(tc.change)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("got %v, want %q", err, tc.want)
		}
	}
}

// TestBindLengthAndAxis holds that a fed length and an axis of its name agree.
func TestBindLengthAndAxis(t *testing.T) {
	m := newMaker()
	length, x := ints(m, "keep", "1"), in(m, "x", "keep")
	sum := m.Add(m.Cast(length, tensor.Float32), x)
	after := newMaker() // the axis is declared first
	x = in(after, "x", "keep")
	for _, g := range []*graph.Graph{build(t, m.Builder, sum),
		build(t, after.Builder, after.Add(after.Cast(ints(after, "keep", "1"), tensor.Float32), x))} {
		for _, n := range []int64{2, 3} {
			_, err := g.Bind(map[string]*tensor.Tensor{"keep": tensor.Of([]int64{n}, 1),
				"x": tensor.New(tensor.Float32, 3)})
			if (err == nil) != (n == 3) {
				t.Errorf("keep %d, axis 3: got %v", n, err)
			}
		}
	}
}

// TestFlags: what ONNX has as 0 or 1 is 1 where it is asked for.
func TestFlags(t *testing.T) {
	m := newMaker()
	in(m, "axes", "batch", "seq")

	square := in(m, "y", "2", "2")
	for _, tc := range []struct {
		n    *graph.Node
		flag string
	}{
		{m.Gemm(square, square, true, false), "transA"},
		{m.Gemm(square, square, false, true), "transB"},
		{m.ReduceSum(square, true), "keepdims"},
		{m.Reshape(in(m, "z", "batch*seq"), dims("batch", "seq")...), "allowzero"},
	} {
		if got := graph.Attribute(tc.n, tc.flag, int64(0)); got != 1 {
			t.Errorf("%s of %s is %d, want 1", tc.flag, tc.n.Op, got)
		}
	}
	if err := m.Err(); err != nil {
		t.Error(err)
	}
}
