package native

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// TestLentMemory: a state is changed where it lies if nothing reads it later, and a run
// never disturbs what it has yet to read, in any memory that it is lent.
func TestLentMemory(t *testing.T) {
	slots := graph.Sym("slots")
	for name, others := range map[string]func(b *graph.Builder, past, present *graph.Node) *graph.Node{
		"alone": func(b *graph.Builder, _, present *graph.Node) *graph.Node { return b.Neg(present) },
		"only its length read later": func(b *graph.Builder, past, present *graph.Node) *graph.Node {
			return b.Sub(b.Cast(b.Op("Shape", []*graph.Node{past}), tensor.Float32), present)
		},
		"read later": func(b *graph.Builder, past, present *graph.Node) *graph.Node { return b.Add(present, past) },
		"read later, viewed": func(b *graph.Builder, past, present *graph.Node) *graph.Node {
			return b.Add(present, b.Squeeze(b.Unsqueeze(past, 1), 1))
		},
		"another output": func(b *graph.Builder, _, present *graph.Node) *graph.Node {
			return b.Squeeze(b.Unsqueeze(present, 0), 0)
		},
		"the input itself":  func(_ *graph.Builder, past, _ *graph.Node) *graph.Node { return past },
		"the input, viewed": func(b *graph.Builder, past, _ *graph.Node) *graph.Node { return b.Squeeze(b.Unsqueeze(past, 0), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			b := graph.NewBuilder()
			past, at := b.Input("past", tensor.Float32, slots), b.Input("at", tensor.Int64, graph.N(1))
			present := b.Op("ScatterND", []*graph.Node{past, b.Unsqueeze(at, 1), b.Cast(b.Mul(at, b.Ints(200)), tensor.Float32)})
			g, err := b.Build(graph.Output{Name: "present", Node: present}, graph.Output{Name: "other", Node: others(b, past, present)})
			if err != nil {
				t.Fatal(err)
			}
			p, err := compile(g, nil, engine.File{Inputs: []card.Port{{Name: "past"}, {Name: "at"}},
				Outputs: []card.Port{{Name: "present"}, {Name: "other"}}})
			if err != nil {
				t.Fatal(err)
			}
			pool := newPool(1, false)
			defer pool.close()
			x := newExecutor(p, pool)
			old, changed := []float32{1, 2, 3}, []float32{1, 200, 3}
			want := map[string][]float32{"alone": {-1, -200, -3}, "only its length read later": {2, -197, 0}, "read later": {2, 202, 6}, "read later, viewed": {2, 202, 6},
				"another output": changed, "the input, viewed": old, "the input itself": old}[name]
			for range 2 {
				for _, inPlace := range []bool{false, true} {
					from := newMemoryValue(tensor.Of(slices.Clone(old), 3))
					to, other := newMemoryValue(tensor.New(tensor.Float32, 3)), newMemoryValue(tensor.New(tensor.Float32, 3))
					if inPlace {
						to = from
					}
					index := newMemoryValue(tensor.Of([]int64{1}, 1))
					if err := x.run([]*memoryValue{from, index}, []*memoryValue{to, other}, new(atomic.Bool)); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(to.f, changed) || !slices.Equal(other.f, want) || !inPlace && !slices.Equal(from.f, old) {
						t.Errorf("in place %v: present %v, other %v, want %v; past %v", inPlace, to.f, other.f, want, from.f)
					}
					if moved := len(x.spare[0]) > 0; moved && (name == "alone" || name == "only its length read later") {
						t.Error("the state was copied")
					}
				}
			}
			index := newMemoryValue(tensor.Of([]int64{3}, 1))
			from, other := newMemoryValue(tensor.Of(slices.Clone(old), 3)), newMemoryValue(tensor.New(tensor.Float32, 3))
			if err := x.run([]*memoryValue{from, index}, []*memoryValue{from, other}, new(atomic.Bool)); err == nil ||
				err.Error() != present.Name+": index 3 is out of range for axis 0 of length 3" {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// TestLentTwice: states that change places, and one that is written from itself, in memory
// that is lent for both.
func TestLentTwice(t *testing.T) {
	b := graph.NewBuilder()
	x, y := b.Input("x", tensor.Float32, graph.N(2)), b.Input("y", tensor.Float32, graph.N(2))
	z, w := b.Input("z", tensor.Float32, graph.N(2)), b.Input("w", tensor.Float32, graph.N(2))
	turned := b.Op("ScatterND", []*graph.Node{z, b.Const(tensor.Of([]int64{1, 0}, 2, 1)), z})
	byView := b.Op("ScatterND", []*graph.Node{w, b.Const(tensor.Of([]int64{1, 0}, 2, 1)), b.Squeeze(b.Unsqueeze(w, 0), 0)})
	g, err := b.Build(graph.Output{Name: "new x", Node: y}, graph.Output{Name: "new y", Node: x},
		graph.Output{Name: "new z", Node: turned}, graph.Output{Name: "new w", Node: byView})
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile(g, nil, engine.File{Inputs: []card.Port{{Name: "x"}, {Name: "y"}, {Name: "z"}, {Name: "w"}},
		Outputs: []card.Port{{Name: "new x"}, {Name: "new y"}, {Name: "new z"}, {Name: "new w"}}})
	if err != nil {
		t.Fatal(err)
	}
	pool := newPool(1, false)
	defer pool.close()
	executor := newExecutor(p, pool)
	for range 2 {
		var states []*memoryValue
		for _, v := range [][]float32{{1, 2}, {3, 4}, {5, 6}, {7, 8}} {
			states = append(states, newMemoryValue(tensor.Of(v, 2)))
		}
		if err := executor.run(states, states, new(atomic.Bool)); err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]float32{{3, 4}, {1, 2}, {6, 5}, {8, 7}} {
			if !slices.Equal(states[i].f, want) {
				t.Errorf("state %d is %v, want %v", i, states[i].f, want)
			}
		}
	}
}

// TestCallClosedTwice: two calls never get one executor.
func TestCallClosedTwice(t *testing.T) {
	m := &model{program: &program{}, pool: newPool(1, false)}
	begin := func() *call {
		c, err := m.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c.(*call)
	}
	c := begin()
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := begin(), begin(); a.x == b.x {
		t.Error("two calls have one executor")
	}
	if err := c.Run(nil, nil); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("a run after Close: error is %v", err)
	}
}
