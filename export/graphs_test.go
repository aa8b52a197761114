package export_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// built is a finished graph with random weights.
type built struct {
	name    string
	graph   *graph.Graph
	weights map[string]*tensor.Tensor
}

func build(t testing.TB, name string, f func(b *graph.Builder) []graph.Output) built {
	t.Helper()
	b := graph.NewBuilder()
	g, err := b.Build(f(b)...)
	if err != nil {
		t.Fatal(err)
	}
	return built{name, g, randomWeights(g)}
}

func randomWeights(g *graph.Graph) map[string]*tensor.Tensor {
	rng := rand.New(rand.NewPCG(1, 2))
	weights := map[string]*tensor.Tensor{}
	for _, p := range g.Params {
		shape := make([]int, len(p.Shape))
		for i, d := range p.Shape {
			shape[i], _ = d.Int()
		}
		w := tensor.New(tensor.Float32, shape...)
		for i := range tensor.Data[float32](w) {
			tensor.Data[float32](w)[i] = float32(rng.NormFloat64())
		}
		switch weights[p.Name] = w; p.DType {
		case tensor.Float16:
			weights[p.Name] = w.As(tensor.Float16)
		case tensor.BFloat16:
			weights[p.Name] = w.As(tensor.BFloat16)
		case tensor.Int8:
			q := tensor.New(tensor.Int8, shape...)
			for i, v := range tensor.Data[float32](w) {
				tensor.Data[int8](q)[i] = int8(40 * v)
			}
			weights[p.Name] = q
		}
	}
	return weights
}

var (
	batch = graph.Sym("batch")
	seq   = graph.Sym("seq")
	past  = graph.Sym("past")
)

// graphs are the graphs that every round-trip test goes through.
func graphs(t testing.TB) []built {
	return []built{
		build(t, "elementwise", elementwise),
		build(t, "matrices and shapes", matricesAndShapes),
		build(t, "indices and reductions", indicesAndReductions),
		build(t, "sums along an axis and bounds", sumsAndBounds),
		build(t, "fused", fusedOps),
		build(t, "attention with past", withPast),
		build(t, "state in place", inPlace),
		build(t, "constants", constants),
		build(t, "scalars", scalars),
		build(t, "training step", trainingStep),
		build(t, "aliases", aliases),
		build(t, "dead nodes", deadNodes),
		build(t, "other precisions", otherPrecisions),
		build(t, "bfloat16", bfloat16Products),
	}
}

func elementwise(b *graph.Builder) []graph.Output {
	x := b.Input("x", tensor.Float32, batch, seq, graph.N(4))
	w := b.Param("w", tensor.Float32, 4)
	var y *graph.Node
	b.In("layers.0", func() {
		y = b.Mul(x, x) // the same input twice
		y = b.Sub(w, b.Div(b.Add(y, w), b.Add(b.Exp(x), b.Float(1))))
		y = b.Tanh(b.Relu(b.Neg(b.Sin(b.Cos(y)))))
		y = b.Op("Reciprocal", []*graph.Node{b.Sqrt(b.Add(b.Mul(y, y), b.Float(1)))})
		both := b.And(b.Greater(y, x), b.Op("GreaterOrEqual", []*graph.Node{x, y}))
		y = b.Where(both, y, b.Cast(b.Cast(x, tensor.Int64), tensor.Float32))
	})
	return []graph.Output{{Name: "y", Node: y}}
}

func matricesAndShapes(b *graph.Builder) []graph.Output {
	x := b.Input("x", tensor.Float32, batch, seq, graph.N(8))
	w := b.Param("proj.weight", tensor.Float32, 8, 8)
	y := b.Reshape(b.Gemm(b.Reshape(x, batch.Mul(seq), graph.N(8)), w, false, true), batch, seq, graph.N(2), graph.N(4))
	y = b.Transpose(y, 0, 2, 1, 3)
	scores := b.MatMul(y, b.Transpose(y, 0, 1, 3, 2))
	scores = b.Add(scores, b.Cast(b.Range(graph.N(0), seq), tensor.Float32))
	sliced := b.Concat(3, b.SliceLast(scores, 3, graph.N(1)), b.Slice(scores, 2, graph.N(0), seq))
	z := b.Unsqueeze(b.Squeeze(b.Unsqueeze(sliced, 1), 1), 0)
	zeros := b.Expand(b.Float(0), batch, seq)
	return []graph.Output{{Name: "z", Node: z}, {Name: "zeros", Node: zeros},
		{Name: "count", Node: b.Cast(b.Squeeze(b.Len(batch.Mul(seq)), 0), tensor.Float32)}}
}

func indicesAndReductions(b *graph.Builder) []graph.Output {
	ids := b.Input("input_ids", tensor.Int64, batch, seq)
	table := b.Param("embed.weight", tensor.Float32, 16, 4)
	x := b.Gather(table, ids, 0)
	p := b.Op("LogSoftmax", []*graph.Node{b.Softmax(x, -1)}, graph.Attr{Name: "axis", Value: int64(2)})
	picked := b.GatherElements(p, b.Unsqueeze(ids, 2), 2)
	first := b.Cast(b.Op("Equal", []*graph.Node{b.Unsqueeze(ids, 2), b.Ints(0)}), tensor.Float32)
	sum := b.Op("ScatterElements", []*graph.Node{b.Expand(b.Float(0), batch, seq, graph.N(4)), b.Unsqueeze(ids, 2), b.Mul(picked, first)}, graph.Attr{Name: "axis", Value: int64(2)}, graph.Attr{Name: "reduction", Value: "add"})
	mean := b.ReduceMean(sum, true, 2)
	return []graph.Output{{Name: "mean", Node: mean}, {Name: "total", Node: b.ReduceSum(mean, false)}}
}

func sumsAndBounds(b *graph.Builder) []graph.Output {
	x := b.Input("x", tensor.Float32, batch, seq)
	mask := b.Input("attention_mask", tensor.Int64, batch, seq)
	// int64 first: opset 11 knows Max and Min of floats alone.
	position := b.Cast(b.Min(b.Max(b.CumSum(mask, 1), b.Ints(1)), b.Ints(9)), tensor.Float32)
	gate := b.Log(b.Add(b.Sigmoid(x), b.Softplus(b.Op("Abs", []*graph.Node{x}))))
	sum := b.CumSum(gate, -1)
	outs := []graph.Output{{Name: "y", Node: b.Mul(sum, b.Op("Floor", []*graph.Node{position}))}}
	grad := graph.Gradient(b, b.ReduceSum(sum, false), []*graph.Node{x})[0]
	return append(outs, graph.Output{Name: "grad", Node: grad})
}

func fusedOps(b *graph.Builder) []graph.Output {
	x := b.Input("x", tensor.Float32, batch, graph.N(2), seq, graph.N(8))
	mask := b.Input("mask", tensor.Bool, batch, graph.N(1), seq, seq)
	angles := b.Input("angles", tensor.Float32, batch, seq, graph.N(2))
	normed := b.Op("RMSNormalization", []*graph.Node{x, b.Param("norm.weight", tensor.Float32, 8)}, graph.Attr{Name: "axis", Value: int64(-1)}, graph.Attr{Name: "epsilon", Value: float32(1e-6)})
	q := b.Op("RotaryEmbedding", []*graph.Node{normed, b.Cos(angles), b.Sin(angles)}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(4)})
	k := b.Op("RotaryEmbedding", []*graph.Node{x, b.Cos(angles), b.Sin(angles)}, graph.Attr{Name: "interleaved", Value: int64(1)}, graph.Attr{Name: "rotary_embedding_dim", Value: int64(4)})
	y := b.Op("Attention", []*graph.Node{q, k, x, mask}, graph.Attr{Name: "scale", Value: float32(0.25)})
	return []graph.Output{{Name: "y", Node: b.Op("Attention", []*graph.Node{y, k, x}, graph.Attr{Name: "scale", Value: float32(1)})}}
}

// withPast has the axes of a model with a cache, and an input that is a length.
func withPast(b *graph.Builder) []graph.Output {
	x := b.Input("x", tensor.Float32, batch, graph.N(2), seq, graph.N(4))
	k := b.Input("past_key_values.0.key", tensor.Float32, batch, graph.N(2), past, graph.N(4))
	mask := b.Input("attention_mask", tensor.Int64, batch, past.Add(seq))
	b.Input("logits_to_keep", tensor.Int64, graph.N(1))
	present := b.Concat(2, k, x)
	scores := b.MatMul(x, b.Transpose(present, 0, 1, 3, 2))
	seen := b.Greater(b.Reshape(mask, batch, graph.N(1), graph.N(1), past.Add(seq)), b.Const(tensor.Of([]int64{0})))
	scores = b.Where(seen, scores, b.Float(-1e9))
	kept := b.SliceLast(b.Softmax(scores, -1), 2, graph.Sym("logits_to_keep"))
	return []graph.Output{{Name: "logits", Node: kept}, {Name: "present.0.key", Node: present}}
}

// inPlace is of the words of such a model: it writes slots of a state that has room for
// more, and has a norm's square.
func inPlace(b *graph.Builder) []graph.Output {
	room := graph.Sym("capacity")
	rows := b.Pow(b.Input("x", tensor.Float32, seq, graph.N(4)), 2)
	at := b.Unsqueeze(b.Input("cache_position", tensor.Int64, seq), 1)
	present := b.Op("ScatterND", []*graph.Node{b.Input("past.0.state", tensor.Float32, room, graph.N(4)), at, rows})
	return []graph.Output{{Name: "logits", Node: b.MatMul(rows, b.Transpose(present, 1, 0))},
		{Name: "present.0.state", Node: present}}
}

func constants(b *graph.Builder) []graph.Output {
	x := b.Input("x", tensor.Float32, seq, graph.N(3))
	y := x
	for i := range 20 {
		y = b.Add(y, b.Const(tensor.Of([]float32{float32(i), 0.1, float32(math.Copysign(0, -1))}, 3)))
	}
	bools := b.Const(tensor.Of([]bool{true, false, true}, 3))
	ints := b.Const(tensor.Of([]int64{1, -2, 1 << 40}, 1, 3))
	y = b.Where(bools, y, b.Cast(ints, tensor.Float32))
	y = b.Add(y, b.Cast(b.Range(graph.N(0), graph.N(3)), tensor.Float32))
	empty := b.Const(tensor.New(tensor.Float32, 0, 3))
	noBools := b.Cast(b.Const(tensor.New(tensor.Bool, 0, 3)), tensor.Float32)
	return []graph.Output{{Name: "y", Node: b.Concat(0, y, empty, noBools)}}
}

func scalars(b *graph.Builder) []graph.Output {
	x := b.Input("x", tensor.Float32)
	y := b.Mul(b.Add(x, b.Param("s", tensor.Float32)), b.Param("one", tensor.Float32, 1, 1))
	flag := b.Const(tensor.Of([]bool{true}))
	z := b.Where(flag, y, b.Cast(b.Const(tensor.Of([]int64{7})), tensor.Float32))
	v := b.Add(z, b.Const(tensor.Of([]float32{3}, 1)))
	w := b.Where(b.Const(tensor.Of([]bool{false}, 1)), v, z)
	return []graph.Output{{Name: "w", Node: w}}
}

// trainingStep is a loss with the gradients of its parameters.
func trainingStep(b *graph.Builder) []graph.Output {
	ids := b.Input("input_ids", tensor.Int64, batch, seq)
	table, w, gain := b.Param("embed", tensor.Float32, 8, 4), b.Param("proj", tensor.Float32, 8, 4), b.Param("gain", tensor.Float32, 4)
	var loss *graph.Node
	b.In("layers.0", func() {
		x := b.Mul(b.Gather(table, ids, 0), gain)
		x = b.Div(x, b.Sqrt(b.Add(b.ReduceMean(b.Mul(x, x), true, 2), b.Float(1e-6))))
		logits := b.Gemm(b.Reshape(x, batch.Mul(seq), graph.N(4)), w, false, true)
		picked := b.GatherElements(b.Op("LogSoftmax", []*graph.Node{logits}, graph.Attr{Name: "axis", Value: int64(1)}), b.Reshape(ids, batch.Mul(seq), graph.N(1)), 1)
		loss = b.Neg(b.ReduceSum(picked, false))
	})
	outs := []graph.Output{{Name: "loss", Node: loss}}
	for i, g := range graph.Gradient(b, loss, []*graph.Node{table, w, gain}) {
		outs = append(outs, graph.Output{Name: "grad." + []string{"embed", "proj", "gain"}[i], Node: g})
	}
	return outs
}

// aliases has leaves as outputs, and one value under two names.
func aliases(b *graph.Builder) []graph.Output {
	x, w := b.Input("x", tensor.Float32, seq), b.Param("w", tensor.Float32, 2)
	y := b.Neg(x)
	return []graph.Output{{Name: "y", Node: y}, {Name: "y2", Node: y}, {Name: "x2", Node: x}, {Name: "w2", Node: w},
		{Name: "c", Node: b.Ints(1, 2)}}
}

// deadNodes leaves gaps in the numbering of node paths.
func deadNodes(b *graph.Builder) []graph.Output {
	x := b.Input("x", tensor.Float32, seq)
	b.Neg(b.Sin(x))
	b.Mul(x, x)
	return []graph.Output{{Name: "y", Node: b.Mul(b.Neg(x), b.Param("w", tensor.Float32, 1))}}
}

// otherPrecisions has products of float16, and of integers of 8 bits.
func otherPrecisions(b *graph.Builder) []graph.Output {
	x := b.Input("x", tensor.Float32, seq, graph.N(4))
	half := b.MatMul(b.Cast(x, tensor.Float16), b.Transpose(b.Param("half", tensor.Float16, 3, 4), 1, 0))
	scale := b.Div(b.ReduceMax(b.Op("Abs", []*graph.Node{x}), false, -1), b.Float(127))
	zero := b.Const(tensor.Of([]uint8{128}))
	rows := b.Op("QuantizeLinear", []*graph.Node{x, scale, b.Expand(zero, seq)}, graph.Attr{Name: "axis", Value: int64(0)})
	sums := b.Op("MatMulInteger", []*graph.Node{rows, b.Transpose(b.Param("small", tensor.Int8, 3, 4), 1, 0), zero})
	y := b.Mul(b.Cast(sums, tensor.Float32), b.Unsqueeze(scale, 1))
	return []graph.Output{{Name: "y", Node: b.Add(y, b.Cast(half, tensor.Float32))}}
}

// bfloat16Products has a constant, too.
func bfloat16Products(b *graph.Builder) []graph.Output {
	x := b.Cast(b.Input("x", tensor.Float32, seq, graph.N(4)), tensor.BFloat16)
	y := b.MatMul(x, b.Transpose(b.Param("brain", tensor.BFloat16, 3, 4), 1, 0))
	z := b.MatMul(x, b.Const(tensor.Of([]float32{1, 2, 3, 4}, 4, 1).As(tensor.BFloat16)))
	return []graph.Output{{Name: "y", Node: b.Cast(y, tensor.Float32)}, {Name: "z", Node: b.Cast(z, tensor.Float32)}}
}
