package native

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// compiled is a graph with the outputs y0, y1, … compiled for so many of them, or for all where
// that is 0.
func compiled(t *testing.T, weights map[string]*tensor.Tensor, outputs int, build func(b *graph.Builder) []*graph.Node) *program {
	t.Helper()
	b := graph.NewBuilder()
	var all []graph.Output
	for i, n := range build(b) {
		all = append(all, graph.Output{Name: fmt.Sprint("y", i), Node: n})
	}
	g, err := b.Build(all...)
	if err != nil {
		t.Fatal(err)
	}
	file := engine.File{}
	for _, n := range g.Inputs {
		file.Inputs = append(file.Inputs, card.Port{Name: n.Name})
	}
	if outputs == 0 {
		outputs = len(g.Outputs)
	}
	for i := range outputs {
		file.Outputs = append(file.Outputs, card.Port{Name: fmt.Sprint("y", i)})
	}
	p, err := compile(g, weights, file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestKernelChoice: forms of operators that the engine has a kernel for get it, all others
// the interpreter's.
func TestKernelChoice(t *testing.T) {
	A, B := graph.Sym("a"), graph.Sym("b")
	f := func(b *graph.Builder) *graph.Node { return b.Input("f", tensor.Float32, A, B, graph.N(4)) }
	i := func(b *graph.Builder) *graph.Node { return b.Input("i", tensor.Int64, A, B, graph.N(4)) }
	square := func(b *graph.Builder) *graph.Node { return b.Input("m", tensor.Float32, graph.N(4), graph.N(4)) }
	truth := func(b *graph.Builder) *graph.Node { return b.Greater(f(b), b.Float(0)) }
	known := func(b *graph.Builder, shape ...int) *graph.Node {
		return b.Const(tensor.New(tensor.Float32, shape...))
	}
	inBlocks := func(b *graph.Builder, size int) *graph.Node {
		values := b.Const(tensor.Of(make([]int8, 12), 4, 3).As(tensor.Int4))
		return b.Op("DequantizeLinear", []*graph.Node{values, known(b, 4/size, 3)},
			graph.Attr{Name: "axis", Value: int64(0)}, graph.Attr{Name: "block_size", Value: int64(size)})
	}
	apply := func(name string, inputs func(b *graph.Builder) []*graph.Node, attrs ...graph.Attr) func(b *graph.Builder) *graph.Node {
		return func(b *graph.Builder) *graph.Node { return b.Op(name, inputs(b), attrs...) }
	}
	axis := func(a int64) graph.Attr { return graph.Attr{Name: "axis", Value: a} }
	one := func(x func(b *graph.Builder) *graph.Node) func(b *graph.Builder) []*graph.Node {
		return func(b *graph.Builder) []*graph.Node { return []*graph.Node{x(b)} }
	}
	for _, tc := range []struct {
		name  string
		build func(b *graph.Builder) *graph.Node
		want  string
	}{
		{"Add", func(b *graph.Builder) *graph.Node { return b.Add(f(b), f(b)) }, "zip[float32,float32]"},
		{"Add int", func(b *graph.Builder) *graph.Node { return b.Add(i(b), i(b)) }, "zip[int64,int64]"},
		{"Div", func(b *graph.Builder) *graph.Node { return b.Div(f(b), f(b)) }, "zip[float32,float32]"},
		{"Div int", func(b *graph.Builder) *graph.Node { return b.Div(i(b), i(b)) }, "interpreted"},
		{"Greater", truth, "zip[float32,bool]"},
		{"Greater int", func(b *graph.Builder) *graph.Node { return b.Greater(i(b), i(b)) }, "zip[int64,bool]"},
		{"And", func(b *graph.Builder) *graph.Node { return b.And(truth(b), b.Greater(i(b), b.Ints(0))) }, "zip[bool,bool]"},
		{"Abs", func(b *graph.Builder) *graph.Node { return b.Op("Abs", []*graph.Node{f(b)}) }, "pointwise"},
		{"Abs int", func(b *graph.Builder) *graph.Node { return b.Op("Abs", []*graph.Node{i(b)}) }, "interpreted"},
		{"Neg", func(b *graph.Builder) *graph.Node { return b.Neg(f(b)) }, "pointwise"},
		{"Neg int", func(b *graph.Builder) *graph.Node { return b.Neg(i(b)) }, "negInts"},
		{"Where", func(b *graph.Builder) *graph.Node { return b.Where(truth(b), f(b), f(b)) }, "where[float32]"},
		{"Where int", func(b *graph.Builder) *graph.Node { return b.Where(truth(b), i(b), i(b)) }, "where[int64]"},
		{"Where bool", func(b *graph.Builder) *graph.Node { return b.Where(truth(b), truth(b), truth(b)) }, "interpreted"},
		{"Cast", func(b *graph.Builder) *graph.Node { return b.Cast(i(b), tensor.Float32) }, "castToFloat"},
		{"Cast bool to float", func(b *graph.Builder) *graph.Node { return b.Cast(truth(b), tensor.Float32) }, "castToFloat"},
		{"Cast to bool", func(b *graph.Builder) *graph.Node { return b.Cast(f(b), tensor.Bool) }, "castToBool"},
		{"Cast int to bool", func(b *graph.Builder) *graph.Node { return b.Cast(i(b), tensor.Bool) }, "castToBool"},
		{"Cast to int", func(b *graph.Builder) *graph.Node { return b.Cast(f(b), tensor.Int64) }, "castToInt"},
		{"Cast bool to int", func(b *graph.Builder) *graph.Node { return b.Cast(truth(b), tensor.Int64) }, "interpreted"},
		{"Cast bytes to bool", func(b *graph.Builder) *graph.Node {
			return b.Cast(b.Op("QuantizeLinear", []*graph.Node{f(b), known(b, 4), b.Const(tensor.New(tensor.Uint8, 4))}, graph.Attr{Name: "axis", Value: int64(2)}), tensor.Bool)
		}, "interpreted"},
		{"MatMul", func(b *graph.Builder) *graph.Node { return b.MatMul(f(b), square(b)) }, "products"},
		{"MatMul, known", func(b *graph.Builder) *graph.Node { return b.MatMul(f(b), known(b, 4, 3)) }, "weighted"},
		{"MatMul in blocks", func(b *graph.Builder) *graph.Node { return b.MatMul(f(b), inBlocks(b, 2)) }, "blockProduct"},
		{"MatMul in blocks of one row", func(b *graph.Builder) *graph.Node { return b.MatMul(f(b), inBlocks(b, 1)) }, "weighted"},
		{"MatMul, known by pair", func(b *graph.Builder) *graph.Node { return b.MatMul(f(b), known(b, 1, 4, 3)) }, "products"},
		{"Gemm", func(b *graph.Builder) *graph.Node { return b.Gemm(square(b), square(b), false, true) }, "products"},
		{"Gemm, left turned", func(b *graph.Builder) *graph.Node { return b.Gemm(square(b), square(b), true, false) }, "interpreted"},
		{"Gemm, known", func(b *graph.Builder) *graph.Node { return b.Gemm(square(b), known(b, 4, 3), false, false) }, "weighted"},
		{"Gemm, known, left turned", func(b *graph.Builder) *graph.Node { return b.Gemm(square(b), known(b, 4, 3), true, false) },
			"interpreted"},
		{"Softmax", func(b *graph.Builder) *graph.Node { return b.Softmax(f(b), 2) }, "rowwiseOver"},
		{"Softmax from the end", func(b *graph.Builder) *graph.Node { return b.Softmax(f(b), -1) }, "rowwiseOver"},
		{"Softmax without an axis", apply("Softmax", one(f)), "rowwiseOver"},
		{"Softmax, middle", func(b *graph.Builder) *graph.Node { return b.Softmax(f(b), 1) }, "interpreted"},
		{"RMSNormalization", apply("RMSNormalization", func(b *graph.Builder) []*graph.Node {
			return []*graph.Node{f(b), known(b, 4)}
		}), "rowwiseOver"},
		{"RMSNormalization, axis 2", apply("RMSNormalization", func(b *graph.Builder) []*graph.Node {
			return []*graph.Node{f(b), known(b, 4)}
		}, axis(2)), "rowwiseOver"},
		{"ReduceSum", func(b *graph.Builder) *graph.Node { return b.ReduceSum(f(b), true, -1) }, "rowwise"},
		{"ReduceMax, from the front", func(b *graph.Builder) *graph.Node { return b.ReduceMax(f(b), true, 2) }, "rowwise"},
		{"ReduceSum, middle", func(b *graph.Builder) *graph.Node { return b.ReduceSum(f(b), true, 1) }, "interpreted"},
		{"ReduceSum, two", func(b *graph.Builder) *graph.Node { return b.ReduceSum(f(b), true, 2, 1) }, "interpreted"},
		{"ReduceSum, all", func(b *graph.Builder) *graph.Node { return b.ReduceSum(f(b), true) }, "interpreted"},
		{"CumSum", func(b *graph.Builder) *graph.Node { return b.CumSum(f(b), 0) }, "cumSum"},
		{"CumSum int", func(b *graph.Builder) *graph.Node { return b.CumSum(i(b), 0) }, "interpreted"},
		{"GatherElements", func(b *graph.Builder) *graph.Node { return b.GatherElements(f(b), i(b), 0) }, "gatherAt"},
		{"GatherElements int", func(b *graph.Builder) *graph.Node { return b.GatherElements(i(b), i(b), 0) }, "interpreted"},
		{"ScatterND", func(b *graph.Builder) *graph.Node {
			return b.Op("ScatterND", []*graph.Node{f(b), b.Const(tensor.New(tensor.Int64, 1, 1)), b.Slice(f(b), 0, graph.N(0), graph.N(1))})
		}, "scatter"},
		{"ScatterND int", func(b *graph.Builder) *graph.Node {
			return b.Op("ScatterND", []*graph.Node{i(b), b.Const(tensor.New(tensor.Int64, 1, 1)), b.Slice(i(b), 0, graph.N(0), graph.N(1))})
		}, "interpreted"},
		{"of 8 axes", func(b *graph.Builder) *graph.Node { return b.Unsqueeze(f(b), 0, 1, 2, 3, 4) }, "view"},
		{"to 9 axes", func(b *graph.Builder) *graph.Node { return b.Unsqueeze(f(b), 0, 1, 2, 3, 4, 5) }, "interpreted"},
		{"from 9 axes", func(b *graph.Builder) *graph.Node {
			return b.Squeeze(b.Unsqueeze(f(b), 0, 1, 2, 3, 4, 5), 0, 1, 2, 3, 4, 5)
		}, "interpreted"},
		{"from 8 axes", func(b *graph.Builder) *graph.Node {
			return b.Squeeze(b.Unsqueeze(f(b), 0, 1, 2, 3, 4), 0, 1, 2, 3, 4)
		}, "view"},
		{"LogSoftmax", func(b *graph.Builder) *graph.Node {
			return b.Op("LogSoftmax", []*graph.Node{f(b)}, graph.Attr{Name: "axis", Value: int64(-1)})
		}, "interpreted"},
	} {
		p := compiled(t, nil, 1, func(b *graph.Builder) []*graph.Node {
			b.Input("number", tensor.Int64, graph.N(1))
			return []*graph.Node{tc.build(b)}
		})
		k := newKernel(&p.nodes[p.outputs[0]])
		if got := strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", k), "*"), "native."); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// TestSwapsLast has permutations that exchange the last two axes alone, and others.
func TestSwapsLast(t *testing.T) {
	for _, tc := range []struct {
		perm []int64
		want bool
	}{
		{[]int64{1, 0}, true}, {[]int64{0, 2, 1}, true}, {[]int64{0, 1, 3, 2}, true},
		{nil, false}, {[]int64{0}, false}, {[]int64{0, 1}, false}, {[]int64{2, 1, 0}, false}, {[]int64{1, 2, 0}, false},
		{[]int64{1, 0, 2}, false}, {[]int64{1, 0, 3, 2}, false}, {[]int64{0, 1, 2}, false}, {[]int64{2, 0, 1}, false},
	} {
		n := &graph.Node{Op: "Transpose", Attrs: []graph.Attr{{Name: "perm", Value: tc.perm}}}
		if got := swapsLast(n); got != tc.want {
			t.Errorf("%v: %v, want %v", tc.perm, got, tc.want)
		}
	}
}

// steps names the operators that an executor computes.
func steps(p *program) (ops []string) {
	pool := newPool(1, false)
	defer pool.close()
	for _, s := range newExecutor(p, pool).steps {
		ops = append(ops, s.out.part.node.Op)
	}
	return ops
}

// TestSteps: nothing is computed that no wanted output needs, that is known, or that is
// transposed for one product alone.
func TestSteps(t *testing.T) {
	A := graph.Sym("a")
	fed := func(b *graph.Builder) *graph.Node { return b.Input("x", tensor.Float32, A, graph.N(4)) }
	for _, tc := range []struct {
		name    string
		outputs int
		build   func(b *graph.Builder) []*graph.Node
		want    []string
	}{
		{"an output of two", 1, func(b *graph.Builder) []*graph.Node {
			x := fed(b)
			return []*graph.Node{b.Exp(x), b.Log(b.Neg(x))}
		}, []string{"Exp"}},
		{"both", 2, func(b *graph.Builder) []*graph.Node {
			x := fed(b)
			return []*graph.Node{b.Exp(x), b.Log(b.Neg(x))}
		}, []string{"Exp", "Neg", "Log"}},
		{"known", 1, func(b *graph.Builder) []*graph.Node {
			return []*graph.Node{b.Add(fed(b), b.Exp(b.Neg(b.Const(tensor.Of([]float32{1, 2, 3, 4}, 4)))))}
		}, []string{"Add"}},
		{"lengths", 1, func(b *graph.Builder) []*graph.Node {
			x := fed(b)
			return []*graph.Node{b.Mul(x, b.Cast(b.Len(A), tensor.Float32))}
		}, []string{"Shape", "Cast", "Mul"}},
		{"transposed for a product", 1, func(b *graph.Builder) []*graph.Node {
			x := fed(b)
			return []*graph.Node{b.MatMul(x, b.Transpose(x, 1, 0))}
		}, []string{"MatMul"}},
		{"transposed for two", 2, func(b *graph.Builder) []*graph.Node {
			x := fed(b)
			y := b.Transpose(x, 1, 0)
			return []*graph.Node{b.MatMul(x, y), b.MatMul(b.Neg(x), y)}
		}, []string{"Transpose", "MatMul", "Neg", "MatMul"}},
		{"transposed, an output too", 2, func(b *graph.Builder) []*graph.Node {
			x := fed(b)
			y := b.Transpose(x, 1, 0)
			return []*graph.Node{b.MatMul(x, y), y}
		}, []string{"Transpose", "MatMul"}},
		{"transposed from the left", 1, func(b *graph.Builder) []*graph.Node {
			x := fed(b)
			return []*graph.Node{b.MatMul(b.Transpose(x, 1, 0), x)}
		}, []string{"Transpose", "MatMul"}},
		{"other axes transposed", 1, func(b *graph.Builder) []*graph.Node {
			x := b.Input("x", tensor.Float32, A, A, A)
			return []*graph.Node{b.MatMul(x, b.Transpose(x, 1, 0, 2))}
		}, []string{"Transpose", "MatMul"}},
		{"changed, not transposed", 1, func(b *graph.Builder) []*graph.Node {
			x := b.Input("x", tensor.Float32, A, A)
			return []*graph.Node{b.MatMul(x, b.Neg(x))}
		}, []string{"Neg", "MatMul"}},
	} {
		if got := steps(compiled(t, nil, tc.outputs, tc.build)); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestPacked: a weight that products alone read is kept packed, once for each form; what
// anything else reads stays as it is.
func TestPacked(t *testing.T) {
	A := graph.Sym("a")
	w := func(b *graph.Builder) *graph.Node { return b.Param("w", tensor.Float32, 4, 4) }
	x := func(b *graph.Builder) *graph.Node { return b.Input("x", tensor.Float32, A, graph.N(4)) }
	for _, tc := range []struct {
		name   string
		build  func(b *graph.Builder) []*graph.Node
		stays  bool
		packed int // different ones
	}{
		{"one product", func(b *graph.Builder) []*graph.Node { return []*graph.Node{b.Gemm(x(b), w(b), false, true)} }, false, 1},
		{"two", func(b *graph.Builder) []*graph.Node {
			return []*graph.Node{b.Gemm(x(b), w(b), false, true), b.Gemm(b.Neg(x(b)), w(b), false, true)}
		}, false, 1},
		{"two forms", func(b *graph.Builder) []*graph.Node {
			return []*graph.Node{b.Gemm(x(b), w(b), false, true), b.MatMul(x(b), w(b))}
		}, false, 2},
		{"a sum too", func(b *graph.Builder) []*graph.Node {
			return []*graph.Node{b.MatMul(x(b), w(b)), b.Mul(w(b), b.ReduceSum(x(b), false))}
		}, true, 1},
		{"from the left too", func(b *graph.Builder) []*graph.Node {
			return []*graph.Node{b.MatMul(x(b), w(b)), b.MatMul(w(b), b.Transpose(x(b), 1, 0))}
		}, true, 1},
		{"an output", func(b *graph.Builder) []*graph.Node { return []*graph.Node{b.MatMul(x(b), w(b)), w(b)} }, true, 1},
		{"no product", func(b *graph.Builder) []*graph.Node { return []*graph.Node{b.Add(x(b), b.Gather(w(b), b.Ints(0), 0))} },
			false, 0},
		{"looked up", func(b *graph.Builder) []*graph.Node {
			return []*graph.Node{b.Add(x(b), b.Gather(w(b), b.Cast(b.ReduceMax(x(b), false, 1), tensor.Int64), 0))}
		}, true, 0},
	} {
		p := compiled(t, map[string]*tensor.Tensor{"w": tensor.New(tensor.Float32, 4, 4)}, 0, tc.build)
		packed, kept := map[any]bool{}, false
		for _, q := range p.nodes {
			if q.packed != nil {
				packed[q.packed] = true
			}
			if q.node.Op == graph.OpParam {
				kept = q.value != nil
			}
		}
		if len(packed) != tc.packed || kept != tc.stays {
			t.Errorf("%s: %d packed, want %d; the weight is kept: %v", tc.name, len(packed), tc.packed, kept)
		}
	}
}

// TestFoldBound: what is computed when a model is opened is counted, up to the bound.
func TestFoldBound(t *testing.T) {
	p := compiled(t, nil, 1, func(b *graph.Builder) []*graph.Node {
		b.Input("x", tensor.Float32, graph.N(1))
		return []*graph.Node{b.Neg(b.Const(tensor.New(tensor.Float32, 3, 5))), b.Input("x", tensor.Float32, graph.N(1))}
	})
	q := p.nodes[p.outputs[0]]
	p.nodes[q.in[0]].value = tensor.New(tensor.Float32, 3, 5) // dropped once it was read
	for _, tc := range []struct {
		left int
		want bool
		then int
	}{{14, false, 14}, {15, true, 0}, {29, true, 14}} {
		q.value, p.foldable = nil, tc.left
		if got := p.fold(&q); got != tc.want || p.foldable != tc.then || (q.value != nil) != tc.want {
			t.Errorf("15 numbers of %d: %v, %d are left", tc.left, got, p.foldable)
		}
	}
	for left, want := range map[int]bool{6: false, 7: true} {
		v := compiled(t, nil, 1, func(b *graph.Builder) []*graph.Node {
			return []*graph.Node{b.Neg(b.Const(tensor.New(tensor.Float32, 7)))}
		})
		q := v.nodes[v.outputs[0]]
		v.nodes[q.in[0]].value, v.foldable = tensor.New(tensor.Float32, 7), left
		if got := v.fold(&q); got != want {
			t.Errorf("7 numbers of %d: %v", left, got)
		}
	}
	empty := compiled(t, nil, 1, func(b *graph.Builder) []*graph.Node {
		return []*graph.Node{b.Neg(b.Const(tensor.New(tensor.Float32, 0, 5)))}
	})
	if q := empty.nodes[empty.outputs[0]]; q.when != always || q.value == nil {
		t.Error("what has no numbers is not computed when the model is opened")
	}
	weighted := compiled(t, map[string]*tensor.Tensor{"w": tensor.New(tensor.Float32, 7)}, 1,
		func(b *graph.Builder) []*graph.Node { return []*graph.Node{b.Param("w", tensor.Float32, 7)} })
	if want := foldedAnyway + foldedForWeight*7; weighted.foldable != want {
		t.Errorf("%d numbers may be computed, want %d", weighted.foldable, want)
	}
}

// TestOverwrites: a value takes the place of operands that its kernel reads before it writes.
func TestOverwrites(t *testing.T) {
	s := &step{in: []*value{{root: 0}, {root: 1}, {root: 2}}}
	itself := &step{in: []*value{{root: 0}, {root: 1}, {root: 0}}}
	for _, tc := range []struct {
		name    string
		k       overwriter
		s       *step
		operand int
		want    bool
	}{
		{"softmax", &rowwiseOver{}, s, 0, true}, {"norm's gain", &rowwiseOver{}, s, 1, false},
		{"scatter", &scatter{}, s, 0, true}, {"scatter's indices", &scatter{}, s, 1, false},
		{"scatter's updates", &scatter{}, s, 2, false}, {"scatter of itself", &scatter{}, itself, 0, false},
		{"Add", &zip[float32, float32]{}, s, 1, true}, {"Neg", &pointwise{}, s, 0, true}, {"Where", &where[float32]{}, s, 2, true},
	} {
		if got := tc.k.overwrites(tc.s, tc.operand); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestViews: a Transpose that only moves axes of length 1 copies nothing.
func TestViews(t *testing.T) {
	for _, tc := range []struct {
		shape []int
		perm  []int64
		want  bool
	}{
		{[]int{2, 3}, []int64{0, 1}, true}, {[]int{2, 3}, []int64{1, 0}, false}, {[]int{1, 3}, []int64{1, 0}, true},
		{[]int{2, 1, 3}, []int64{1, 0, 2}, true}, {[]int{2, 1, 3}, []int64{2, 1, 0}, false}, {[]int{1, 1}, []int64{1, 0}, true},
		{[]int{2, 1, 3, 1}, []int64{3, 0, 2, 1}, true}, {[]int{0, 3}, []int64{1, 0}, false}, {nil, nil, true},
	} {
		tr := &transpose{perm: tc.perm}
		if got := tr.views(&step{in: []*value{{shape: tc.shape}}}); got != tc.want {
			t.Errorf("%v by %v: %v, want %v", tc.shape, tc.perm, got, tc.want)
		}
	}
}
