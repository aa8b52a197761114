package native

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// TestFeed: what a run is fed must fit the graph, and be fed as before for a plan to stay.
func TestFeed(t *testing.T) {
	// Inputs are called like axes, the sum is the first node, and the number the first axis.
	A, B := graph.Sym("rows"), graph.Sym("words")
	b := graph.NewBuilder()
	y := b.Input("y", tensor.Float32, A.Add(B))
	keep := b.Input("keep", tensor.Int64, graph.N(1))
	x := b.Input("rows", tensor.Float32, A, graph.N(2))
	ids, z := b.Input("words", tensor.Int64, B), b.Input("z", tensor.Float32, graph.Sym("keep"))
	sum := b.Add(b.Add(b.ReduceSum(x, false), b.ReduceSum(y, false)), b.Add(b.ReduceSum(b.Cast(ids, tensor.Float32), false),
		b.Add(b.ReduceSum(z, false), b.Cast(b.Squeeze(keep, 0), tensor.Float32))))
	g, err := b.Build(graph.Output{Name: "sum", Node: sum})
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile(g, nil, engine.File{Inputs: []card.Port{{Name: "rows"}, {Name: "none reads it"}, {Name: "y"}, {Name: "words"},
		{Name: "keep"}, {Name: "z"}}, Outputs: []card.Port{{Name: "sum"}}})
	if err != nil {
		t.Fatal(err)
	}
	pool := newPool(1, false)
	defer pool.close()
	x0 := newExecutor(p, pool)
	fed := func(change map[int]*tensor.Tensor) (from []*memoryValue) {
		for i, v := range []*tensor.Tensor{tensor.New(tensor.Float32, 3, 2), tensor.New(tensor.Float32, 7), tensor.New(tensor.Float32, 5),
			tensor.New(tensor.Int64, 2), tensor.Of([]int64{4}, 1), tensor.New(tensor.Float32, 4)} {
			if c := change[i]; c != nil {
				v = c
			}
			from = append(from, newMemoryValue(v))
		}
		return from
	}
	run := func(x *executor, from []*memoryValue) error {
		return x.run(from, []*memoryValue{newMemoryValue(tensor.New(tensor.Float32))}, new(atomic.Bool))
	}
	if err := run(x0, fed(nil)); err != nil || !x0.planned {
		t.Fatalf("%v, planned %v", err, x0.planned)
	}
	type change = map[int]*tensor.Tensor
	f, n := func(shape ...int) *tensor.Tensor { return tensor.New(tensor.Float32, shape...) }, func(v ...int64) *tensor.Tensor {
		return tensor.Of(v, len(v))
	}
	for _, tc := range []struct {
		name   string
		change change
		like   bool
		err    string
	}{
		{"as before", nil, true, ""},
		{"other contents", change{3: n(7, 8)}, true, ""},
		{"what none reads", change{1: f(1)}, true, ""},
		{"other lengths", change{0: f(2, 2), 2: f(4)}, false, ""},
		{"the first length alone", change{0: f(4, 2)}, false, "want float32[rows+words] with rows+words = 6"},
		{"a number and its axis", change{4: n(2), 5: f(2)}, false, ""},
		{"a number alone", change{4: n(3)}, false, "want float32[keep] with keep = 3"},
		{"a number of 0", change{4: n(0)}, false, "with keep = 0"},
		{"a number of 0 and its axis", change{4: n(0), 5: f(0)}, false, ""},
		{"a number of -1", change{4: n(-1)}, false, "with keep = -1"},
		{"two numbers", change{4: n(4, 4)}, false, "input keep is int64[2], want int64[1]"},
		{"no number", change{4: n()}, false, "input keep is int64[0], want int64[1]"},
		{"another type", change{3: f(2)}, false, "input words is float32[2], want int64[words]"},
		{"another type, numbers", change{2: n(1, 2, 3, 4, 5)}, false, "input y is int64[5], want float32[rows+words]"},
		{"more axes", change{2: f(5, 1)}, false, "input y is float32[5,1], want float32[rows+words]"},
		{"another literal axis", change{0: f(3, 3)}, false, "with 2 = 2"},
		{"no elements", change{0: f(0, 2), 2: f(2)}, false, ""},
	} {
		from := fed(tc.change)
		if got := x0.like(from); got != tc.like {
			t.Errorf("%s: fed as before is %v, want %v", tc.name, got, tc.like)
		}
		x := newExecutor(p, pool)
		err := run(x, from)
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: error is %v, want %q", tc.name, err, tc.err)
		}
		if x.planned != (err == nil) {
			t.Errorf("%s: planned is %v after the error %v", tc.name, x.planned, err)
		}
	}
	for _, out := range []*tensor.Tensor{tensor.New(tensor.Float32, 1), tensor.New(tensor.Int64)} {
		err := x0.run(fed(nil), []*memoryValue{newMemoryValue(out)}, new(atomic.Bool))
		if err == nil || !strings.Contains(err.Error(), "output 0 is float32[], which is [] here, want "+out.String()) {
			t.Errorf("into %v: error is %v", out, err)
		}
	}
}

// TestUnknownLengths: an axis whose length no input says, or that is negative, is an error.
func TestUnknownLengths(t *testing.T) {
	pool := newPool(1, false)
	defer pool.close()
	run := func(p *program, feed ...*tensor.Tensor) error {
		var from []*memoryValue
		for _, v := range feed {
			from = append(from, newMemoryValue(v))
		}
		return newExecutor(p, pool).run(from, []*memoryValue{newMemoryValue(tensor.New(tensor.Float32))}, new(atomic.Bool))
	}
	sum := compiled(t, nil, 1, func(b *graph.Builder) []*graph.Node {
		return []*graph.Node{b.ReduceSum(b.Input("x", tensor.Float32, graph.Sym("a").Add(graph.Sym("b"))), false)}
	})
	if err := run(sum, tensor.New(tensor.Float32, 3)); err == nil || !strings.Contains(err.Error(), `no value for "a"`) {
		t.Errorf("error is %v", err)
	}
	product := compiled(t, nil, 1, func(b *graph.Builder) []*graph.Node {
		return []*graph.Node{b.ReduceSum(b.Input("x", tensor.Float32, graph.Sym("a").Mul(graph.Sym("b"))), false)}
	})
	for n := range 10 { // squares of what stands for an unknown length among them
		if err := run(product, tensor.New(tensor.Float32, n)); err == nil || !strings.Contains(err.Error(), `no value for "a"`) {
			t.Errorf("%d elements: error is %v", n, err)
		}
	}
	rows := compiled(t, nil, 1, func(b *graph.Builder) []*graph.Node {
		b.Input("keep", tensor.Int64, graph.N(1))
		return []*graph.Node{b.ReduceSum(b.Expand(b.Float(0), graph.Sym("keep"), graph.Sym("keep")), false)}
	})
	for keep, want := range map[int64]string{
		3: "", 0: "", -2: "axis keep: no input says how long it is, or one that it is -2 long",
		1<<17 + 1: "has too many elements here", 1<<34 + 1: "axis keep of",
	} {
		err := run(rows, tensor.Of([]int64{keep}, 1))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("keep %d: error is %v, want %q", keep, err, want)
		}
	}
}

// TestPlanBounds plans lengths around the bound, for whose values no memory is made.
func TestPlanBounds(t *testing.T) {
	p := compiled(t, nil, 1, func(b *graph.Builder) []*graph.Node {
		x := b.Input("x", tensor.Float32, graph.Sym("a"), graph.Sym("b"))
		return []*graph.Node{b.Squeeze(b.Unsqueeze(x, 0), 0)}
	})
	pool := newPool(1, false)
	defer pool.close()
	for _, tc := range []struct {
		a, b int
		bad  string
	}{
		{maxElements, 1, ""}, {1, maxElements, ""}, {1 << 17, 1 << 17, ""}, {0, maxElements, ""}, {maxElements, 0, ""}, {0, 0, ""},
		{1 << 17, 1<<17 + 1, "too many elements"}, {maxElements, 2, "too many elements"}, {maxElements + 1, 1, "axis a of"},
		{1, maxElements + 1, "axis b of"}, {-1, 1, "axis a of float32[a,b] is -1"},
	} {
		x := newExecutor(p, pool)
		copy(x.axes, []int{tc.a, tc.b})
		err := x.plan()
		if (err == nil) != (tc.bad == "") || err != nil && !strings.Contains(err.Error(), tc.bad) {
			t.Errorf("%d × %d: error is %v, want %q", tc.a, tc.b, err, tc.bad)
		}
	}
}

// TestOutputsAreComputedInPlace: what is computed for an output alone is not copied there.
func TestOutputsAreComputedInPlace(t *testing.T) {
	p := compiled(t, nil, 4, func(b *graph.Builder) []*graph.Node {
		x := b.Input("x", tensor.Float32, graph.Sym("a"))
		y := b.Exp(x)
		return []*graph.Node{y, b.Unsqueeze(b.Neg(x), 0), x, b.Squeeze(b.Unsqueeze(y, 0), 0)}
	})
	pool := newPool(1, false)
	defer pool.close()
	x := newExecutor(p, pool)
	for range 2 {
		var to []*memoryValue
		for _, shape := range [][]int{{2}, {1, 2}, {2}, {2}} {
			to = append(to, newMemoryValue(tensor.New(tensor.Float32, shape...)))
		}
		if err := x.run([]*memoryValue{newMemoryValue(tensor.Of([]float32{0, 1}, 2))}, to, new(atomic.Bool)); err != nil {
			t.Fatal(err)
		}
		if want := []int{2, 3}; !slices.Equal(x.late, want) { // the input, and what another output has too
			t.Errorf("outputs %v are copied, want %v", x.late, want)
		}
		for i, want := range [][]float32{{1, 2.7182817}, {0, -1}, {0, 1}, {1, 2.7182817}} {
			if !slices.Equal(to[i].f, want) {
				t.Errorf("output %d is %v, want %v", i, to[i].f, want)
			}
		}
	}
}

// TestExactInPlace: an exact session changes memory that is lent for a state's past and
// present, and no other.
func TestExactInPlace(t *testing.T) {
	b := graph.NewBuilder()
	past := b.Input("past", tensor.Float32, graph.N(3))
	at := b.Input("at", tensor.Int64, graph.N(1))
	present := b.Op("ScatterND", []*graph.Node{past, b.Unsqueeze(at, 1), b.Cast(b.Mul(at, b.Ints(200)), tensor.Float32)})
	inner := b.Op("ScatterND", []*graph.Node{b.Neg(past), b.Unsqueeze(at, 1), b.Cast(at, tensor.Float32)})
	g, err := b.Build(graph.Output{Name: "present", Node: present}, graph.Output{Name: "inner", Node: inner},
		graph.Output{Name: "negated", Node: b.Neg(present)})
	if err != nil {
		t.Fatal(err)
	}
	m := newExact(g, nil, engine.File{Inputs: []card.Port{{Name: "past"}, {Name: "at"}},
		Outputs: []card.Port{{Name: "present"}, {Name: "inner"}, {Name: "negated"}}})
	if !slices.Equal(m.changed, []string{"past"}) {
		t.Errorf("the inputs %v are changed, want past alone", m.changed)
	}
	c, err := m.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, inPlace := range []bool{false, true} {
		from := newMemoryValue(tensor.Of([]float32{1, 2, 3}, 3))
		to := newMemoryValue(tensor.New(tensor.Float32, 3))
		if inPlace {
			to = from
		}
		others := []*memoryValue{newMemoryValue(tensor.New(tensor.Float32, 3)), newMemoryValue(tensor.New(tensor.Float32, 3))}
		if err := c.Run([]engine.Value{from, newMemoryValue(tensor.Of([]int64{1}, 1))},
			[]engine.Value{to, others[0], others[1]}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(to.f, []float32{1, 200, 3}) || !inPlace && !slices.Equal(from.f, []float32{1, 2, 3}) ||
			!slices.Equal(others[0].f, []float32{-1, 1, -3}) || !slices.Equal(others[1].f, []float32{-1, -200, -3}) {
			t.Errorf("in place %v: %v, %v, %v from %v", inPlace, to.f, others[0].f, others[1].f, from.f)
		}
	}
	if err := c.Run([]engine.Value{newMemoryValue(tensor.New(tensor.Float32, 3)), newMemoryValue(tensor.Of([]int64{1}, 1))},
		[]engine.Value{newMemoryValue(tensor.New(tensor.Float32, 4)), nil, nil}); err == nil {
		t.Error("no error for an output of another shape")
	}
}

// TestOpenKinds: exact sessions have the interpreter, others the engine's own kernels.
func TestOpenKinds(t *testing.T) {
	b := graph.NewBuilder()
	g, err := b.Build(graph.Output{Name: "y", Node: b.Neg(b.Input("x", tensor.Float32, graph.Sym("a")))})
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := export.Write(&file, g, nil, export.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, isExact := range []bool{false, true} {
		parsed, err := safety.Check([]byte(file.String()), safety.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := open(engine.File{Parsed: parsed, Inputs: []card.Port{{Name: "x"}}, Outputs: []card.Port{{Name: "y"}}},
			engine.Options{Exact: isExact})
		if err != nil {
			t.Fatal(err)
		}
		if _, got := m.(exact); got != isExact {
			t.Errorf("exact %v gives %T", isExact, m)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

// late is a context that ends once it was asked.
type late struct {
	context.Context
	asked int
}

func (l *late) Err() error {
	if l.asked++; l.asked == 1 {
		return nil
	}
	return context.Canceled
}

// TestStopped: a run that was stopped gives the context's error, another failure its own.
func TestStopped(t *testing.T) {
	p := compiled(t, nil, 1, func(b *graph.Builder) []*graph.Node {
		return []*graph.Node{b.Neg(b.Input("x", tensor.Float32, graph.Sym("a")))}
	})
	pool := newPool(1, false)
	defer pool.close()
	for _, stop := range []bool{true, false} {
		c := &call{x: newExecutor(p, pool), ctx: &late{Context: t.Context()}}
		c.stopped.Store(stop)
		err := c.Run([]engine.Value{newMemoryValue(tensor.New(tensor.Float32, 2))},
			[]engine.Value{newMemoryValue(tensor.New(tensor.Float32, map[bool]int{true: 2, false: 3}[stop]))})
		if errors.Is(err, context.Canceled) != stop || err == nil || errors.Is(err, errStopped) {
			t.Errorf("stopped %v: error is %v", stop, err)
		}
	}
}
