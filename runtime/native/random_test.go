package native

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// randomGraph makes graphs whose numbers are small and whole, so that all engines give the
// same, in any order.
type randomGraph struct {
	*graph.Builder
	rng     *rand.Rand
	values  []*graph.Node
	weights map[string]*tensor.Tensor
}

// bounded keeps numbers small.
func (r *randomGraph) bounded(x *graph.Node) *graph.Node {
	return r.Max(r.Min(x, r.Float(9)), r.Float(-9))
}

// like returns a value of x's shape, x among them.
func (r *randomGraph) like(x *graph.Node) *graph.Node {
	var same []*graph.Node
	for _, y := range r.values {
		if slices.Equal(x.Shape, y.Shape) {
			same = append(same, y)
		}
	}
	return same[r.rng.IntN(len(same))]
}

// beside returns a value that broadcasts with x.
func (r *randomGraph) beside(x *graph.Node) *graph.Node {
	switch r.rng.IntN(4) {
	case 0:
		return r.Float(float64(r.rng.IntN(5) - 2))
	case 1:
		return r.bounded(r.ReduceSum(x, true, r.rng.IntN(len(x.Shape))))
	case 2:
		return r.bounded(r.ReduceSum(x, false, 0))
	}
	return r.like(x)
}

func (r *randomGraph) weight(rows, cols int) *graph.Node {
	name := fmt.Sprint("w", len(r.weights))
	w := tensor.New(tensor.Float32, rows, cols)
	for i := range tensor.Data[float32](w) {
		tensor.Data[float32](w)[i] = float32(r.rng.IntN(5) - 2)
	}
	r.weights[name] = w
	return r.Param(name, tensor.Float32, rows, cols)
}

// flipped exchanges the last two axes.
func (r *randomGraph) flipped(x *graph.Node) *graph.Node {
	var perm []int
	for i := range len(x.Shape) {
		perm = append(perm, i)
	}
	k := len(perm)
	perm[k-1], perm[k-2] = perm[k-2], perm[k-1]
	return r.Transpose(x, perm...)
}

// moves make a value of x, which has two axes at least; nil where they do not apply.
var moves = []func(r *randomGraph, x *graph.Node, axis int) *graph.Node{
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node { return r.Neg(x) },
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node { return r.Relu(x) },
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node {
		return r.Op("Floor", []*graph.Node{r.Div(x, r.Float(2))})
	},
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node { return r.bounded(r.Add(x, r.beside(x))) },
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node { return r.bounded(r.Sub(r.beside(x), x)) },
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node { return r.bounded(r.Mul(x, r.beside(x))) },
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node {
		return r.Where(r.Greater(x, r.beside(x)), r.beside(x), r.like(x))
	},
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node {
		to := []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Int64, tensor.Bool}[r.rng.IntN(4)]
		return r.Cast(r.Cast(x, to), tensor.Float32)
	},
	func(r *randomGraph, x *graph.Node, axis int) *graph.Node { // quotients of 16 that are no halves of others
		return r.Op("Floor", []*graph.Node{r.Add(r.Mul(r.Softmax(r.Mul(x, r.Float(100)), axis), r.Float(16)), r.Float(0.3))})
	},
	func(r *randomGraph, x *graph.Node, axis int) *graph.Node {
		return r.bounded(r.ReduceMax(x, true, axis))
	},
	func(r *randomGraph, x *graph.Node, axis int) *graph.Node { return r.bounded(r.CumSum(x, axis)) },
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node {
		return r.Transpose(x, r.rng.Perm(len(x.Shape))...)
	},
	func(r *randomGraph, x *graph.Node, axis int) *graph.Node { return r.Unsqueeze(x, axis) },
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node {
		return r.Reshape(x, append([]graph.Dim{graph.N(1), x.Shape[0].Mul(x.Shape[1])}, x.Shape[2:]...)...)
	},
	func(r *randomGraph, x *graph.Node, axis int) *graph.Node {
		return r.SliceLast(r.Concat(axis, x, r.like(x)), axis, x.Shape[axis])
	},
	func(r *randomGraph, x *graph.Node, axis int) *graph.Node {
		return r.Slice(r.Concat(axis, r.like(x), x), axis, graph.N(0), x.Shape[axis])
	},
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node {
		return r.bounded(r.MatMul(x, r.flipped(r.like(x))))
	},
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node {
		return r.bounded(r.MatMul(r.flipped(x), r.like(x)))
	},
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node {
		n, literal := x.Dim(-1).Int()
		if !literal {
			return nil
		}
		return r.bounded(r.MatMul(x, r.weight(n, []int{1, 4, 33}[r.rng.IntN(3)])))
	},
	func(r *randomGraph, x *graph.Node, axis int) *graph.Node {
		if _, literal := x.Shape[axis].Int(); !literal {
			return nil
		}
		return r.Gather(x, r.Ints(0, -1, 0), axis)
	},
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node {
		if x.Shape[0] != graph.N(3) {
			return nil
		}
		return r.Op("ScatterND", []*graph.Node{x, r.Const(tensor.Of([]int64{1, 0, -1}, 3, 1)), r.like(x)})
	},
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node {
		return r.Add(x, r.Cast(r.Min(r.Len(graph.Sym("a")), r.Ints(2)), tensor.Float32))
	},
	func(r *randomGraph, x *graph.Node, _ int) *graph.Node {
		return r.Add(r.Expand(x, append([]graph.Dim{graph.Sym("a")}, x.Shape...)...), r.Float(0))
	},
}

// grow adds a value that is not large.
func (r *randomGraph) grow() {
	x := r.values[len(r.values)-1]
	if r.rng.IntN(2) == 0 {
		x = r.values[r.rng.IntN(len(r.values))]
	}
	y := moves[r.rng.IntN(len(moves))](r, x, r.rng.IntN(len(x.Shape)))
	if y != nil && len(y.Shape) <= 5 && len(elements(y.Shape).String()) <= 10 {
		r.values = append(r.values, y)
	}
}

// TestRandomGraphs compares random graphs with the interpreter, number by number: values in
// the place of others, inputs that are outputs, memory that is lent for both, lengths that
// change.
func TestRandomGraphs(t *testing.T) {
	pools := []*pool{newPool(1, false), newPool(3, false)}
	for _, p := range pools {
		defer p.close()
	}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 0))
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { compareRandom(t, rng, pools) })
	}
}

func compareRandom(t *testing.T, rng *rand.Rand, pools []*pool) {
	a, b := graph.Sym("a"), graph.Sym("b")
	r := &randomGraph{Builder: graph.NewBuilder(), rng: rng, weights: map[string]*tensor.Tensor{}}
	var file engine.File
	for i, shape := range [][]graph.Dim{{a, b, graph.N(4)}, {a, b, graph.N(4)}, {graph.N(3), b}, {graph.N(3), b}, {graph.N(1), a}} {
		name := fmt.Sprint("x", i)
		r.values = append(r.values, r.Input(name, tensor.Float32, shape...))
		file.Inputs = append(file.Inputs, card.Port{Name: name})
	}
	fed := slices.Clone(r.values)
	for range 4 + rng.IntN(25) {
		r.grow()
	}
	// All inputs are read, so that all axes have lengths.
	sum := r.Float(0)
	for _, x := range fed {
		sum = r.Add(sum, r.ReduceSum(x, false))
	}
	outputs := []graph.Output{{Name: "sum", Node: sum}, {Name: "last", Node: r.values[len(r.values)-1]}}
	for i := range rng.IntN(4) {
		outputs = append(outputs, graph.Output{Name: fmt.Sprint("y", i), Node: r.values[rng.IntN(len(r.values))]})
	}
	for _, o := range outputs {
		file.Outputs = append(file.Outputs, card.Port{Name: o.Name})
	}
	g, err := r.Build(outputs...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile(g, r.weights, file)
	if err != nil {
		t.Fatal(err)
	}
	for _, pool := range pools {
		x := newExecutor(p, pool)
		for range 4 {
			lengths := map[string]int{"a": rng.IntN(4), "b": rng.IntN(5)}
			if rng.IntN(8) == 0 {
				lengths = map[string]int{"a": 9, "b": 40}
			}
			for range 2 { // planned, and as planned before
				feed := map[string]*tensor.Tensor{}
				var from []*memoryValue
				for _, n := range fed {
					var shape []int
					for _, d := range n.Shape {
						length, _ := d.Eval(lengths)
						shape = append(shape, length)
					}
					v := tensor.New(tensor.Float32, shape...)
					for i := range tensor.Data[float32](v) {
						tensor.Data[float32](v)[i] = float32(rng.IntN(9) - 4)
					}
					feed[n.Name] = v.Clone()
					from = append(from, newMemoryValue(v))
				}
				compareLent(t, x, from, feed, r, outputs)
				if t.Failed() {
					t.Fatalf("lengths %v, threads %d\n%s", lengths, pool.threads, g)
				}
			}
		}
	}
}

// compareLent runs a graph in both ways, with the memory of inputs lent for some outputs.
func compareLent(t *testing.T, x *executor, from []*memoryValue, feed map[string]*tensor.Tensor, r *randomGraph, outputs []graph.Output) {
	want, err := interp.New(x.program.graph, tensor.Float32).Run(context.Background(), feed, r.weights)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.memory.f {
		x.memory.f[i] = float32(math.NaN())
	}
	var to []*memoryValue
	lent := make([]bool, len(from))
	for _, o := range outputs {
		shape := want[o.Name].Shape()
		v := newMemoryValue(tensor.New(tensor.Float32, shape...))
		for k, in := range from {
			if !lent[k] && slices.Equal(in.shape, shape) && r.rng.IntN(2) == 0 {
				v, lent[k] = in, true
				break
			}
		}
		to = append(to, v)
	}
	if err := x.run(from, to, new(atomic.Bool)); err != nil {
		t.Fatal(err)
	}
	for i, o := range outputs {
		for k, v := range tensor.Data[float32](want[o.Name]) {
			if got := to[i].f[k]; got != v && !(got != got && v != v) {
				t.Errorf("output %s: number %d is %v, want %v", o.Name, k, got, v)
				return
			}
		}
	}
	for k, v := range from {
		if name := x.program.nodes[x.program.inputs[k]].node.Name; !lent[k] && !tensor.Equal(v.tensor(), feed[name]) {
			t.Errorf("input %s has changed", name)
		}
	}
}

// elements is how many elements a shape has.
func elements(shape []graph.Dim) graph.Dim {
	p := graph.N(1)
	for _, d := range shape {
		p = p.Mul(d)
	}
	return p
}
