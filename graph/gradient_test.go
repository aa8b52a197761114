package graph_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
)

type gradientRow struct {
	op, name string
	axes     map[string]int // values of the axis names
	feed     map[string]*tensor.Tensor
	build    func(m maker) *graph.Node
}

var (
	two   = graph.N(2)
	batch = graph.Sym("batch")
	seq   = graph.Sym("seq")
	past  = graph.Sym("past")
)

var gradientRows = slices.Concat(elementwiseGradients, matrixGradients, shapeGradients, indexGradients, reduceGradients)

var elementwiseGradients = []gradientRow{
	{op: "Add", name: "same", build: func(m maker) *graph.Node { return m.Add(m.w(2, 3), m.w(2, 3)) }},
	{op: "Add", name: "one operand twice", build: func(m maker) *graph.Node { x := m.w(2); return m.Add(x, x) }},
	{op: "Add", name: "scalar", build: func(m maker) *graph.Node { return m.Add(m.w(), m.w(2, 3)) }},
	{op: "Add", name: "row, through column sums", build: func(m maker) *graph.Node { return m.Add(m.w(4, 3), m.w(3)) }},
	{op: "Add", name: "row, symbolic", axes: map[string]int{"batch": 3},
		build: func(m maker) *graph.Node { return m.Add(m.x("batch", "3"), m.w(3)) }},
	{op: "Add", name: "one number of a vector", build: func(m maker) *graph.Node { return m.Add(m.w(4, 3), m.w(1)) }},
	{op: "Add", name: "row of rank 3, equal axes", build: func(m maker) *graph.Node { return m.Add(m.w(2, 3, 3), m.w(3)) }},
	{op: "Add", name: "leading axes", build: func(m maker) *graph.Node { return m.Add(m.w(2, 3, 2), m.w(3, 2)) }},
	{op: "Add", name: "leading and inner 1-axes",
		build: func(m maker) *graph.Node { return m.Add(m.w(2, 3, 2), m.w(3, 1)) }},
	{op: "Add", name: "each broadcasts", build: func(m maker) *graph.Node { return m.Add(m.w(2, 1, 3), m.w(4, 1)) }},
	{op: "Add", name: "one element, rank 2", build: func(m maker) *graph.Node { return m.Add(m.w(1, 1), m.w(2, 3)) }},
	{op: "Add", name: "symbolic", axes: map[string]int{"batch": 2, "seq": 3}, build: func(m maker) *graph.Node {
		return m.Add(m.x("batch", "seq", "2"), m.x("batch", "1", "2"))
	}},
	{op: "Add", name: "empty batch", axes: map[string]int{"batch": 0},
		build: func(m maker) *graph.Node { return m.Add(m.x("batch", "2"), m.w(2)) }},
	{op: "Sub", name: "broadcast", build: func(m maker) *graph.Node { return m.Sub(m.w(2, 1), m.w(3)) }},
	{op: "Mul", name: "broadcast", build: func(m maker) *graph.Node { return m.Mul(m.w(2, 1), m.w(3)) }},
	{op: "Mul", name: "square", build: func(m maker) *graph.Node { x := m.w(3); return m.Mul(x, x) }},
	{op: "Div", name: "broadcast", build: func(m maker) *graph.Node { return m.Div(m.w(2, 1), m.w(3)) }},
	{op: "Max", name: "broadcast", build: func(m maker) *graph.Node { return m.Max(m.w(4, 1), m.w(3)) }},
	{op: "Max", name: "one operand twice", build: func(m maker) *graph.Node { x := m.w(2); return m.Max(x, x) }},
	{op: "Max", name: "expanded", build: func(m maker) *graph.Node {
		return m.Max(m.Expand(m.w(3, 1), graph.N(3), graph.N(4)), m.Float(0))
	}},
	{op: "Min", name: "broadcast", build: func(m maker) *graph.Node { return m.Min(m.w(4, 1), m.w(3)) }},
	{op: "Neg", build: func(m maker) *graph.Node { return m.Neg(m.w(3)) }},
	{op: "Abs", build: func(m maker) *graph.Node { return m.Op("Abs", []*graph.Node{m.w(8)}) }},
	{op: "Floor", build: func(m maker) *graph.Node { x := m.w(8); return m.Mul(x, m.Op("Floor", []*graph.Node{x})) }},
	{op: "Exp", build: func(m maker) *graph.Node { return m.Exp(m.w(3)) }},
	{op: "Log", build: func(m maker) *graph.Node { x := m.w(3); return m.Log(m.Mul(x, x)) }},
	{op: "Sqrt", build: func(m maker) *graph.Node { x := m.w(3); return m.Sqrt(m.Mul(x, x)) }},
	{op: "Pow", name: "square", build: func(m maker) *graph.Node { return m.Pow(m.w(3), 2) }},
	{op: "Pow", name: "cube", build: func(m maker) *graph.Node { return m.Pow(m.w(3), 3) }},
	{op: "Reciprocal", build: func(m maker) *graph.Node { return m.Op("Reciprocal", []*graph.Node{m.w(3)}) }},
	{op: "Sin", build: func(m maker) *graph.Node { return m.Sin(m.w(3)) }},
	{op: "Cos", build: func(m maker) *graph.Node { return m.Cos(m.w(3)) }},
	{op: "Erf", build: func(m maker) *graph.Node { return m.Op("Erf", []*graph.Node{m.w(3)}) }},
	{op: "Tanh", build: func(m maker) *graph.Node { return m.Tanh(m.w(3)) }},
	{op: "Sigmoid", build: func(m maker) *graph.Node { return m.Sigmoid(m.w(8)) }},
	{op: "Softplus", build: func(m maker) *graph.Node { return m.Softplus(m.w(8)) }},
	{op: "Relu", build: func(m maker) *graph.Node { return m.Relu(m.w(8)) }},
	{op: "Relu", name: "divided by", build: func(m maker) *graph.Node {
		x := m.w(8)
		return m.Where(m.Greater(x, m.Float(0)), m.Log(m.Relu(x)), m.Float(0))
	}},
	{op: "Where", name: "broadcast", build: func(m maker) *graph.Node {
		return m.Where(m.b(shape{2, 1}, true, false), m.w(3), m.w())
	}},
	{op: "Where", name: "condition depends on the target", build: func(m maker) *graph.Node {
		x := m.w(8)
		return m.Where(m.Greater(x, m.Float(0)), m.Mul(x, x), m.Exp(x))
	}},
}

var matrixGradients = []gradientRow{
	{op: "MatMul", name: "2-D", build: func(m maker) *graph.Node { return m.MatMul(m.w(2, 3), m.w(3, 4)) }},
	{op: "MatMul", name: "shared right", build: func(m maker) *graph.Node { return m.MatMul(m.w(2, 2, 3), m.w(3, 2)) }},
	{op: "MatMul", name: "shared left", build: func(m maker) *graph.Node { return m.MatMul(m.w(2, 3), m.w(2, 3, 2)) }},
	{op: "MatMul", name: "both broadcast",
		build: func(m maker) *graph.Node { return m.MatMul(m.w(2, 1, 2, 3), m.w(3, 3, 2)) }},
	{op: "MatMul", name: "scores", axes: map[string]int{"batch": 2, "seq": 3}, build: func(m maker) *graph.Node {
		return m.MatMul(m.x("batch", "2", "seq", "4"), m.Transpose(m.x("batch", "2", "seq", "4"), 0, 1, 3, 2))
	}},
	{op: "MatMul", name: "empty inner axis", axes: map[string]int{"past": 0}, build: func(m maker) *graph.Node {
		return m.MatMul(m.x("2", "past"), m.x("past", "3"))
	}},
	{op: "Gemm", name: "plain", build: func(m maker) *graph.Node { return m.Gemm(m.w(2, 3), m.w(3, 4), false, false) }},
	{op: "Gemm", name: "transA", build: func(m maker) *graph.Node { return m.Gemm(m.w(3, 2), m.w(3, 4), true, false) }},
	{op: "Gemm", name: "transB", build: func(m maker) *graph.Node { return m.Gemm(m.w(2, 3), m.w(4, 3), false, true) }},
	{op: "Gemm", name: "one weight in three products", build: func(m maker) *graph.Node {
		w, x := m.w(4, 4), m.w(2, 4)
		y := m.Tanh(m.Gemm(x, w, false, true))
		return m.Concat(0, m.Gemm(m.Gemm(y, w, false, true), w, false, false), m.Gemm(m.w(3, 4), w, false, true)) // w stands untransposed, too
	}},
	{op: "Gemm", name: "both", build: func(m maker) *graph.Node { return m.Gemm(m.w(3, 2), m.w(4, 3), true, true) }},
}

var shapeGradients = []gradientRow{
	{op: "Reshape", name: "literal", build: func(m maker) *graph.Node { return m.Reshape(m.w(2, 3), graph.N(6)) }},
	{op: "Reshape", name: "split, computed", axes: map[string]int{"batch": 2, "seq": 3},
		build: func(m maker) *graph.Node {
			flat := m.Exp(m.Reshape(m.x("batch", "seq", "4"), batch.Mul(seq), graph.N(4)))
			return m.Reshape(flat, batch, seq, two, two)
		}},
	{op: "Reshape", name: "split, computed, empty", axes: map[string]int{"batch": 2, "seq": 0},
		build: func(m maker) *graph.Node {
			flat := m.Exp(m.Reshape(m.x("batch", "seq", "4"), batch.Mul(seq), graph.N(4)))
			return m.Reshape(flat, batch, seq, two, two)
		}},
	{op: "Squeeze", build: func(m maker) *graph.Node { return m.Squeeze(m.w(1, 2, 1), 0, 2) }},
	{op: "Unsqueeze", build: func(m maker) *graph.Node { return m.Unsqueeze(m.w(2, 3), 0, 2) }},
	{op: "Transpose", build: func(m maker) *graph.Node { return m.Transpose(m.w(2, 3, 4), 2, 0, 1) }},
	{op: "Concat", name: "one operand twice",
		build: func(m maker) *graph.Node { x := m.w(2, 3); return m.Concat(1, x, m.w(2, 1), x) }},
	{op: "Concat", name: "symbolic", axes: map[string]int{"past": 2, "seq": 3}, build: func(m maker) *graph.Node {
		return m.Concat(-2, m.x("2", "past", "2"), m.x("2", "seq", "2"))
	}},
	{op: "Concat", name: "empty cache", axes: map[string]int{"past": 0, "seq": 3}, build: func(m maker) *graph.Node {
		return m.Concat(-2, m.x("2", "past", "2"), m.x("2", "seq", "2"))
	}},
	{op: "Slice", name: "front",
		build: func(m maker) *graph.Node { return m.Slice(m.w(4, 2), 0, graph.N(0), graph.N(3)) }},
	{op: "Slice", name: "middle",
		build: func(m maker) *graph.Node { return m.Slice(m.w(2, 4), 1, graph.N(1), graph.N(3)) }},
	{op: "Slice", name: "nothing", build: func(m maker) *graph.Node {
		return m.Add(m.ReduceSum(m.Slice(m.w(3), 0, graph.N(1), graph.N(1)), false), m.w())
	}},
	{op: "Slice", name: "symbolic end", axes: map[string]int{"past": 2, "seq": 3}, build: func(m maker) *graph.Node {
		both := m.Concat(0, m.x("past", "2"), m.x("seq", "2"))
		return m.Slice(m.Exp(both), 0, past, past.Add(seq))
	}},
	{op: "Slice", name: "symbolic, empty", axes: map[string]int{"past": 0, "seq": 3}, build: func(m maker) *graph.Node {
		both := m.Exp(m.Concat(0, m.x("past", "2"), m.x("seq", "2")))
		return m.Concat(0, m.Slice(both, 0, graph.N(0), past), m.Slice(both, 0, past, past.Add(seq)))
	}},
	{op: "Slice", name: "last", axes: map[string]int{"seq": 4},
		build: func(m maker) *graph.Node { return m.SliceLast(m.x("2", "seq"), 1, two) }},
	{op: "Slice", name: "last, symbolic", axes: map[string]int{"past": 2, "seq": 3}, build: func(m maker) *graph.Node {
		return m.SliceLast(m.Exp(m.Concat(0, m.x("past", "2"), m.x("seq", "2"))), 0, seq)
	}},
	{op: "Slice", name: "last, fed count", feed: map[string]*tensor.Tensor{"keep": tensor.Of([]int64{2}, 1)},
		axes: map[string]int{"seq": 3},
		build: func(m maker) *graph.Node {
			m.Input("keep", tensor.Int64, graph.N(1))
			return m.SliceLast(m.x("seq", "2"), 0, graph.Sym("keep"))
		}},
	{op: "Expand", name: "literal",
		build: func(m maker) *graph.Node { return m.Expand(m.w(2, 1), graph.N(3), two, two) }},
	{op: "Expand", name: "symbolic", axes: map[string]int{"batch": 2, "seq": 3}, build: func(m maker) *graph.Node {
		return m.Mul(m.x("batch", "seq", "2"), m.Expand(m.w(2), batch, seq, two))
	}},
}

var indexGradients = []gradientRow{
	{op: "Gather", name: "repeated rows",
		build: func(m maker) *graph.Node { return m.Gather(m.w(4, 3), m.i(shape{2, 2}, 1, 1, -1, 0), 0) }},
	{op: "Gather", name: "repeated rows of few",
		build: func(m maker) *graph.Node { return m.Gather(m.w(3, 4), m.i(shape{2, 2}, 1, 1, -1, 0), 0) }},
	{op: "Gather", name: "of a vector",
		build: func(m maker) *graph.Node { return m.Gather(m.w(4), m.i(shape{3}, 1, 3, 1), 0) }},
	{op: "Gather", name: "of rank 3",
		build: func(m maker) *graph.Node { return m.Gather(m.w(3, 2, 2), m.i(shape{2}, 2, 2), 0) }},
	{op: "Gather", name: "one", build: func(m maker) *graph.Node { return m.Gather(m.w(3, 2), m.i(shape{}, 1), 0) }},
	{op: "Gather", name: "symbolic", axes: map[string]int{},
		feed:  map[string]*tensor.Tensor{"ids": i64(shape{2, 3}, 0, 4, 4, 4, 1, 0)},
		build: func(m maker) *graph.Node { return m.Gather(m.w(5, 2), m.ids("batch", "seq"), 0) }},
	{op: "Gather", name: "no ids", feed: map[string]*tensor.Tensor{"ids": i64(shape{2, 0})},
		build: func(m maker) *graph.Node { return m.Gather(m.w(5, 2), m.ids("batch", "seq"), 0) }},
	{op: "GatherElements", name: "inner", build: func(m maker) *graph.Node {
		return m.GatherElements(m.w(2, 3), m.i(shape{2, 2}, 2, 2, 0, -1), 1)
	}},
	{op: "Gather", name: "without an axis", build: func(m maker) *graph.Node {
		return m.Op("Gather", []*graph.Node{m.w(4, 3), m.Ints(2, 2)})
	}},
	{op: "GatherElements", name: "without an axis", build: func(m maker) *graph.Node {
		return m.Op("GatherElements", []*graph.Node{m.w(3, 2), m.i(shape{1, 2}, 2, 1)})
	}},
	{op: "GatherElements", name: "outer", build: func(m maker) *graph.Node {
		return m.GatherElements(m.w(3, 2), m.i(shape{4, 2}, 2, 2, 0, 1, 2, 1, 0, 0), 0)
	}},
}

var reduceGradients = []gradientRow{
	{op: "ReduceSum", name: "inner", build: func(m maker) *graph.Node { return m.ReduceSum(m.w(2, 3), false, -1) }},
	{op: "ReduceSum", name: "outer, kept", build: func(m maker) *graph.Node { return m.ReduceSum(m.w(2, 3), true, 0) }},
	{op: "ReduceSum", name: "ends", build: func(m maker) *graph.Node { return m.ReduceSum(m.w(2, 3, 2), false, 0, 2) }},
	{op: "ReduceSum", name: "all", build: func(m maker) *graph.Node { return m.ReduceSum(m.w(2, 3), false) }},
	{op: "ReduceSum", name: "empty list of axes", build: func(m maker) *graph.Node {
		return m.Op("ReduceSum", []*graph.Node{m.w(2, 3), m.i(shape{0})})
	}},
	{op: "ReduceMean", name: "inner", build: func(m maker) *graph.Node { return m.ReduceMean(m.w(2, 3), true, -1) }},
	{op: "ReduceMean", name: "all", build: func(m maker) *graph.Node { return m.ReduceMean(m.w(2, 3), false) }},
	{op: "ReduceMean", name: "symbolic axis", axes: map[string]int{"batch": 2, "seq": 3},
		build: func(m maker) *graph.Node {
			return m.ReduceMean(m.x("batch", "seq", "2"), false, 1)
		}},
	{op: "ReduceMean", name: "all axes, symbolic", axes: map[string]int{"batch": 2, "seq": 3},
		build: func(m maker) *graph.Node {
			return m.ReduceMean(m.x("batch", "seq", "2"), false)
		}},
	{op: "ReduceMean", name: "sum of lengths", axes: map[string]int{"past": 2, "seq": 3},
		build: func(m maker) *graph.Node {
			return m.ReduceMean(m.Concat(0, m.x("past", "2"), m.x("seq", "2")), false, 0)
		}},
	{op: "Softmax", name: "inner", build: func(m maker) *graph.Node { return m.Softmax(m.w(2, 3), -1) }},
	{op: "Softmax", name: "outer", build: func(m maker) *graph.Node { return m.Softmax(m.w(3, 2), 0) }},
	{op: "LogSoftmax", name: "inner", build: func(m maker) *graph.Node {
		return m.Op("LogSoftmax", []*graph.Node{m.w(2, 3)}, graph.Attr{Name: "axis", Value: int64(-1)})
	}},
	{op: "LogSoftmax", name: "outer", build: func(m maker) *graph.Node {
		return m.Op("LogSoftmax", []*graph.Node{m.w(3, 2)}, graph.Attr{Name: "axis", Value: int64(0)})
	}},
	{op: "Softmax", name: "without an axis",
		build: func(m maker) *graph.Node { return m.Op("Softmax", []*graph.Node{m.w(2, 3)}) }},
	{op: "LogSoftmax", name: "without an axis",
		build: func(m maker) *graph.Node { return m.Op("LogSoftmax", []*graph.Node{m.w(2, 3)}) }},
	{op: "CumSum", name: "inner", build: func(m maker) *graph.Node { return m.CumSum(m.w(2, 4), -1) }},
	{op: "CumSum", name: "outer, symbolic", axes: map[string]int{"seq": 4},
		build: func(m maker) *graph.Node { return m.CumSum(m.x("seq", "2"), 0) }},
	{op: "CumSum", name: "exclusive", build: func(m maker) *graph.Node {
		return raw(m, "CumSum", "exclusive", int64(1), m.w(4), m.i(shape{}, 0))
	}},
	{op: "CumSum", name: "reverse", build: func(m maker) *graph.Node {
		return raw(m, "CumSum", "reverse", int64(1), m.w(4), m.i(shape{}, 0))
	}},
}

func TestGradients(t *testing.T) {
	everyOp(t, gradientRows, func(r gradientRow) string { return r.op }, graph.Differentiable)
	for _, row := range gradientRows {
		t.Run(row.op+"/"+row.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 5))
			feed, params := map[string]*tensor.Tensor{}, map[string]*tensor.Tensor{}
			for name, v := range row.feed {
				feed[name] = v
			}
			build := func(b *graph.Builder) (*graph.Node, []*graph.Node) {
				m := maker{b, new([]*graph.Node)}
				y := row.build(m)
				for _, n := range *m.targets {
					v := awayFromZero(rng, lengths(t, n, row.axes))
					if n.Op == graph.OpInput {
						feed[n.Name] = v
					} else {
						params[n.Name] = v
					}
				}
				// The sine makes the gradient that reaches y uneven.
				return m.ReduceSum(m.Sin(y), false), *m.targets
			}
			graphtest.CheckGrad(t, build, feed, params)
		})
	}
}

func lengths(t *testing.T, n *graph.Node, axes map[string]int) []int {
	t.Helper()
	var out []int
	for _, d := range n.Shape {
		v, err := d.Eval(axes)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// awayFromZero returns numbers of at least 1/2 in size: Relu and Where have
// kinks at 0, Div and Sqrt more than that.
func awayFromZero(rng *rand.Rand, shape []int) *tensor.Tensor {
	t := graphtest.Normal(rng, shape...)
	for i, v := range tensor.Data[float32](t) {
		tensor.Data[float32](t)[i] = v + float32(math.Copysign(0.5, float64(v)))
	}
	return t
}

// TestEmbeddingGradient uses a real size with repeated rows, because a kernel
// that loses updates to the same row is right on small examples.
func TestEmbeddingGradient(t *testing.T) {
	for _, rows := range []int{128, 512} { // as a product with one-hot rows, and by scattering
		t.Run(fmt.Sprint(rows), func(t *testing.T) { testEmbeddingGradient(t, rows) })
	}
}

func testEmbeddingGradient(t *testing.T, rows int) {
	const width, count = 256, 4096
	rng := rand.New(rand.NewPCG(7, 11))
	ids := tensor.New(tensor.Int64, 64, count/64)
	for i := range tensor.Data[int64](ids) {
		tensor.Data[int64](ids)[i] = rng.Int64N(int64(rows))
	}
	table, weight := graphtest.Normal(rng, rows, width), graphtest.Normal(rng, 64, count/64, width)

	m := newMaker()
	picked := m.Gather(m.w(rows, width), m.ids("batch", "seq"), 0)
	loss := m.ReduceSum(m.Mul(picked, m.Input("weight", tensor.Float32, batch, seq, graph.N(width))), false)
	g := build(t, m.Builder, graph.Gradient(m.Builder, loss, *m.targets)[0])
	got, err := interp.New(g, tensor.Float32).Run(context.Background(), map[string]*tensor.Tensor{"ids": ids, "weight": weight},
		map[string]*tensor.Tensor{"w0": table})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, rows*width)
	for i, id := range tensor.Data[int64](ids) {
		for k := range width {
			want[int(id)*width+k] += float64(tensor.Data[float32](weight)[i*width+k])
		}
	}
	for i, v := range tensor.Data[float32](got["y"]) {
		if math.Abs(float64(v)-want[i]) > 1e-4 { // some 32 float32 additions of size 1
			t.Fatalf("element %d is %v, want %v", i, v, want[i])
		}
	}
}

func TestGradientOfUnreachedTarget(t *testing.T) {
	m := newMaker()
	m.w(2)
	far := m.x("batch", "3")
	out := graph.Gradient(m.Builder, m.ReduceSum((*m.targets)[0], false), *m.targets)
	if out[1].Type() != far.Type() {
		t.Errorf("the gradient is %s, want %s", out[1].Type(), far.Type())
	}
	g := build(t, m.Builder, out[1])
	got, err := interp.New(g, tensor.Float32).Run(context.Background(), map[string]*tensor.Tensor{"x1": graphtest.Normal(rand.New(rand.NewPCG(1, 1)), 2, 3)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, got["y"], f32(shape{2, 3}, 0, 0, 0, 0, 0, 0))

	loss := m.Exp(m.ReduceSum((*m.targets)[0], false))
	late := m.w(2) // declared after the loss
	if out := graph.Gradient(m.Builder, loss, []*graph.Node{late}); out[0].Type() != late.Type() {
		t.Errorf("the gradient is %s, want %s", out[0].Type(), late.Type())
	}
}

// The gradient of a weight that products share is one product: of a network that is unrolled over many tokens there would be a matrix
// for each else.
func TestGradientOfSharedWeight(t *testing.T) {
	m := newMaker()
	w, x := m.w(5, 5), m.x("batch", "5")
	for range 8 {
		x = m.Tanh(m.Gemm(x, w, false, true))
	}
	g := build(t, m.Builder, graph.Gradient(m.Builder, m.ReduceSum(x, false), []*graph.Node{w})[0])
	matrices := 0
	for _, n := range g.Nodes {
		if n.Op == "Gemm" && slices.Equal(n.Shape, w.Shape) {
			matrices++
		}
	}
	if matrices != 1 {
		t.Errorf("%d products make the gradient of the weight, want 1", matrices)
	}
}

func TestGradientOfItself(t *testing.T) {
	m := newMaker()
	loss := m.w(1, 1)
	got, err := interp.New(build(t, m.Builder, m.Neg(graph.Gradient(m.Builder, loss, *m.targets)[0])), tensor.Float32).Run(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, got["y"], f32(shape{1, 1}, -1))
}

// TestGradientAtKinks has what central differences cannot tell.
func TestGradientAtKinks(t *testing.T) {
	for _, tc := range []struct {
		name  string
		build func(m maker, x, y *graph.Node) *graph.Node
		want  []float32 // of x and y, at x = y = 0
	}{
		{"Max", func(m maker, x, y *graph.Node) *graph.Node { return m.Max(x, y) }, []float32{1, 0}},
		{"Min", func(m maker, x, y *graph.Node) *graph.Node { return m.Min(x, y) }, []float32{1, 0}},
		{"Abs", func(m maker, x, y *graph.Node) *graph.Node { return m.Op("Abs", []*graph.Node{x}) }, []float32{0, 0}},
		{"Floor", func(m maker, x, y *graph.Node) *graph.Node { return m.Op("Floor", []*graph.Node{x}) }, []float32{0, 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newMaker()
			x, y := m.w(1), m.w(1)
			g := build(t, m.Builder, m.Concat(0, graph.Gradient(m.Builder, tc.build(m, x, y), *m.targets)...))
			zero := tensor.New(tensor.Float32, 1)
			got, err := interp.New(g, tensor.Float32).Run(context.Background(), nil, map[string]*tensor.Tensor{"w0": zero, "w1": zero})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got["y"], f32(shape{2}, tc.want...))
		})
	}
}

func TestGradientErrors(t *testing.T) {
	for _, tc := range []struct {
		name  string
		build func(m maker) (loss *graph.Node, targets []*graph.Node)
		want  []string
	}{
		{"loss not one number", func(m maker) (*graph.Node, []*graph.Node) {
			return m.w(2), *m.targets
		}, []string{"float32[2]", "one float32 number"}},
		{"integer target", func(m maker) (*graph.Node, []*graph.Node) {
			return m.w(1), []*graph.Node{m.ids("batch")}
		}, []string{"ids", "int64[batch]", "must be float32"}},
		{"no rule, through a fused operator", func(m maker) (loss *graph.Node, targets []*graph.Node) {
			m.In("layers.0", func() {
				m.In("norm", func() {
					loss = m.ReduceSum(m.Op("RMSNormalization", []*graph.Node{m.w(2, 3), m.w(3)}, graph.Attr{Name: "axis", Value: int64(-1)}, graph.Attr{Name: "epsilon", Value: float32(1e-6)}), false)
				})
			})
			return loss, *m.targets
		}, []string{"RMSNormalization has no gradient", "/layers.0/norm/RMSNormalization"}},
		{"no rule, Cast", func(m maker) (*graph.Node, []*graph.Node) {
			return m.Cast(m.Cast(m.w(1), tensor.Int64), tensor.Float32), *m.targets
		}, []string{"Cast has no gradient", "/Cast_1"}},
		{"Gather along another axis", func(m maker) (*graph.Node, []*graph.Node) {
			return m.ReduceSum(m.Gather(m.w(2, 3), m.Ints(0), 1), false), *m.targets
		}, []string{"Gather", "axis 0 only"}},
		{"Gather along another axis, by indices that depend on a target", func(m maker) (*graph.Node, []*graph.Node) {
			x := m.w(2, 3)
			at := m.Cast(m.ReduceSum(x, false), tensor.Int64)
			return m.ReduceSum(m.Gather(x, at, 1), false), *m.targets
		}, []string{"Gather", "axis 0 only"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newMaker()
			loss, targets := tc.build(m)
			out := graph.Gradient(m.Builder, loss, targets)
			_, err := m.Build(graph.Output{Name: "y", Node: out[0]})
			for _, want := range tc.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
		})
	}
}

// TestGradientForms holds which of two forms a gradient takes where either would be right:
// products, which engines compute fast, and weights rather than activations that are scaled.
func TestGradientForms(t *testing.T) {
	table := func(at int, axes ...int) func(m maker) *graph.Node {
		return func(m maker) *graph.Node { return m.Gather(m.w(axes...), m.i(shape{1}, int64(at)), 0) }
	}
	scaled := func(right func(m maker) *graph.Node) func(m maker) *graph.Node {
		return func(m maker) *graph.Node {
			x := m.w(2, 3)
			return m.Gemm(m.Mul(x, x), right(m), false, false)
		}
	}
	for _, tc := range []struct {
		name      string
		build     func(m maker) *graph.Node
		target    int
		has, none string
	}{
		{"few rows", table(1, 3, 4), 0, "Gemm", "ScatterElements"},
		{"as many rows as columns", table(1, 4, 4), 0, "Gemm", "ScatterElements"},
		{"more rows than columns", table(1, 5, 4), 0, "ScatterElements", "Gemm"},
		{"the most rows", table(1, 256, 300), 0, "Gemm", "ScatterElements"},
		{"too many rows", table(1, 257, 300), 0, "ScatterElements", "Gemm"},
		{"a vector", table(1, 3), 0, "ScatterElements", "Gemm"},
		{"few matrices", table(1, 2, 3, 2), 0, "ScatterElements", "Gemm"},
		{"rows without a known number", func(m maker) *graph.Node { return m.Gather(m.x("batch", "4"), m.Ints(1), 0) },
			0, "ScatterElements", "Gemm"},
		{"rows of unknown length", func(m maker) *graph.Node { return m.Gather(m.x("3", "seq"), m.Ints(1), 0) },
			0, "ScatterElements", "Gemm"},
		{"a sum of columns", func(m maker) *graph.Node { return m.Add(m.w(4, 3), m.w(3)) }, 1, "Gemm", "ReduceSum"},
		{"a sum of all", func(m maker) *graph.Node { return m.Add(m.w(4, 3), m.w(1)) }, 1, "ReduceSum", "Gemm"},
		{"a square before a weight", scaled(func(m maker) *graph.Node { return m.w(3, 4) }), 0, "Mul(w1, float32 2)", ""},
		{"a square before what is no weight", scaled(func(m maker) *graph.Node { return m.Exp(m.w(3, 4)) }),
			0, "Mul(Gemm, float32 2)", "Mul(Exp, float32 2)"},
		{"a square before a product of another kind", func(m maker) *graph.Node {
			x := m.w(2, 2, 3)
			return m.MatMul(m.Mul(x, x), m.w(3, 4))
		}, 0, "Mul(MatMul, float32 2)", ""},
	} {
		m := newMaker()
		y := tc.build(m)
		loss := m.ReduceSum(m.Mul(y, m.Input("g", tensor.Float32, y.Shape...)), false)
		g := build(t, m.Builder, graph.Gradient(m.Builder, loss, *m.targets)[tc.target])
		found := map[string]bool{}
		for _, n := range g.Nodes {
			found[n.Op] = true
			if n.Op == "Mul" {
				found[fmt.Sprintf("Mul(%s, %s)", short(n.Inputs[0]), short(n.Inputs[1]))] = true
			}
		}
		if !found[tc.has] || found[tc.none] {
			t.Errorf("%s: want %s and no %q in\n%s", tc.name, tc.has, tc.none, g)
		}
	}
}

// short names a leaf, prints a number, and gives the operator of all else.
func short(n *graph.Node) string {
	switch {
	case n.Op == graph.OpConstant && len(n.Shape) == 0:
		return fmt.Sprint(n.DType, " ", tensor.Data[float32](n.Value)[0])
	case len(n.Inputs) == 0:
		return n.Name
	}
	return n.Op
}
