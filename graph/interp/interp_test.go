package interp_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
)

type values = map[string]*tensor.Tensor

func finish(t *testing.T, b *graph.Builder, outputs ...graph.Output) *graph.Graph {
	t.Helper()
	g, err := b.Build(outputs...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var seq = graph.Sym("seq")

// lookup picks rows of a table by ids, inside the layer "embed".
func lookup(t *testing.T) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder()
	var y *graph.Node
	b.In("embed", func() {
		y = b.Gather(b.Param("table", tensor.Float32, 3, 2), b.Input("ids", tensor.Int64, seq), 0)
	})
	return finish(t, b, graph.Output{Name: "y", Node: y})
}

func TestRunErrors(t *testing.T) {
	table := values{"table": tensor.New(tensor.Float32, 3, 2)}
	for _, tc := range []struct {
		name         string
		feed, params values
		want         []string
	}{
		{"right", values{"ids": tensor.Of([]int64{2, -3}, 2), "extra": tensor.Of([]bool{true})}, table, nil},
		{"index too large", values{"ids": tensor.Of([]int64{0, 3}, 2)}, table,
			[]string{"/embed/Gather", "index 3 is out of range for axis 0 of length 3"}},
		{"index too small", values{"ids": tensor.Of([]int64{-4}, 1)}, table, []string{"/embed/Gather", "index -4"}},
		{"no input", nil, table, []string{"input ids (int64[seq]) is not fed"}},
		{"wrong dtype", values{"ids": tensor.New(tensor.Float32, 1)}, table,
			[]string{"input ids is float32[1], want int64[seq]"}},
		{"wrong rank", values{"ids": tensor.New(tensor.Int64, 1, 1)}, table, []string{"input ids is int64[1,1]"}},
		{"no parameter", values{"ids": tensor.New(tensor.Int64, 1)}, nil,
			[]string{"table", "no parameter", "float32[3,2]"}},
		{"parameter of another shape", values{"ids": tensor.New(tensor.Int64, 1)},
			values{"table": tensor.New(tensor.Float32, 2, 3)},
			[]string{"table", "value is float32[2,3], want float32[3,2]"}},
		{"parameter of another dtype", values{"ids": tensor.New(tensor.Int64, 1)},
			values{"table": tensor.New(tensor.Float64, 3, 2)},
			[]string{"table", "value is float64[3,2], want float32[3,2]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := interp.New(lookup(t), tensor.Float32).Run(context.Background(), tc.feed, tc.params)
			if (err == nil) != (tc.want == nil) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
		})
	}
}

// TestContentErrors has what only the contents of values can get wrong.
func TestContentErrors(t *testing.T) {
	ids := func(b *graph.Builder) *graph.Node { return b.Input("ids", tensor.Int64, seq) }
	keep := func(b *graph.Builder) graph.Dim {
		b.Input("keep", tensor.Int64, graph.N(1))
		return graph.Sym("keep")
	}
	row := func(b *graph.Builder) *graph.Node { return b.Input("x", tensor.Float32, seq) }
	for _, tc := range []struct {
		name  string
		build func(b *graph.Builder) *graph.Node
		keep  int64
		want  string
	}{
		{"GatherElements", func(b *graph.Builder) *graph.Node { return b.GatherElements(row(b), ids(b), 0) }, 0,
			"/GatherElements: index 9 is out of range for axis 0 of length 2"},
		{"ScatterElements", func(b *graph.Builder) *graph.Node {
			return b.Op("ScatterElements", []*graph.Node{row(b), ids(b), row(b)}, graph.Attr{Name: "axis", Value: int64(0)}, graph.Attr{Name: "reduction", Value: "add"})
		}, 0,
			"/ScatterElements: index 9"},
		{"ScatterND", func(b *graph.Builder) *graph.Node {
			return b.Op("ScatterND", []*graph.Node{row(b), b.Reshape(ids(b), seq, graph.N(1)), row(b)})
		}, 0, "/ScatterND: index 9"},
		{"integer division", func(b *graph.Builder) *graph.Node { return b.Div(ids(b), b.Ints(0)) }, 0,
			"/Div: integer division by zero"},
		{"Reshape that copies what is not there", func(b *graph.Builder) *graph.Node {
			x := b.Expand(b.Float(0), keep(b).Mul(graph.N(3)))
			return b.Op("Reshape", []*graph.Node{x, b.Concat(0, b.Ints(3), b.Len(graph.Sym("keep")))})
		}, 0, "/Reshape: shape [3 0] copies axis 1 of float32[0]"},
		{"Reshape that leaves an axis open", func(b *graph.Builder) *graph.Node {
			return b.Op("Reshape", []*graph.Node{b.Expand(b.Float(0), keep(b), graph.N(3)), b.Ints(0, -1)})
		}, 0, "/Reshape: shape [0 -1] leaves axis 1 of float32[0,3] open"},
		{"Slice beyond the axis", func(b *graph.Builder) *graph.Node { return b.SliceLast(row(b), 0, keep(b)) }, 3,
			"/Slice: value is float32[2], want float32[keep], which is float32[3] here"},
		{"Slice of a negative length", func(b *graph.Builder) *graph.Node { return b.SliceLast(row(b), 0, keep(b)) },
			-1, "/Slice: axis keep of float32[keep] is -1"},
		{"Expand to a negative length", func(b *graph.Builder) *graph.Node { return b.Expand(b.Float(0), keep(b)) }, -1,
			"/Expand: axis keep"},
		{"Expand to a huge length", func(b *graph.Builder) *graph.Node { return b.Expand(b.Float(0), keep(b), keep(b)) }, 1 << 33,
			"too many elements"},
		{"Range of a huge length", func(b *graph.Builder) *graph.Node { return b.Range(graph.N(0), keep(b)) },
			math.MaxInt64, "/Range: axis keep"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := graph.NewBuilder()
			g := finish(t, b, graph.Output{Name: "y", Node: tc.build(b)})
			feed := values{"ids": tensor.Of([]int64{1, 9}, 2), "x": tensor.New(tensor.Float32, 2),
				"keep": tensor.Of([]int64{tc.keep}, 1)}
			_, err := interp.New(g, tensor.Float32).Run(context.Background(), feed, nil)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestShapeIsChecked holds that a kernel whose result contradicts the shape rule
// is caught: here the recorded shape is made wrong.
func TestShapeIsChecked(t *testing.T) {
	g := lookup(t)
	g.Output("y").Shape = []graph.Dim{seq, graph.N(3)}
	_, err := interp.New(g, tensor.Float32).Run(context.Background(), values{"ids": tensor.New(tensor.Int64, 2)},
		values{"table": tensor.New(tensor.Float32, 3, 2)})
	want := "/embed/Gather: value is float32[2,2], want float32[seq,3], which is float32[2,3] here"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

func TestUnknownOperator(t *testing.T) {
	g := lookup(t)
	g.Output("y").Op = "Foo"
	_, err := interp.New(g, tensor.Float32).Run(context.Background(), values{"ids": tensor.New(tensor.Int64, 2)},
		values{"table": tensor.New(tensor.Float32, 3, 2)})
	if err == nil || !strings.Contains(err.Error(), "no kernel for operator Foo") {
		t.Errorf("got %v", err)
	}
}

// TestFloat64 computes 1 + 1e-10 − 1, which is 0 in float32, from inputs,
// parameters and constants of either precision.
func TestFloat64(t *testing.T) {
	b := graph.NewBuilder()
	x, w := b.Input("x", tensor.Float32, graph.N(1)), b.Param("w", tensor.Float32, 1)
	mask := b.Cast(b.Greater(x, b.Float(0)), tensor.Float32)
	g := finish(t, b,
		graph.Output{Name: "y", Node: b.Sub(b.Add(x, w), b.Float(1))},
		graph.Output{Name: "mask", Node: mask}, graph.Output{Name: "zeros", Node: b.Expand(b.Float(0), graph.N(2))})
	for _, tc := range []struct {
		name  string
		x, w  *tensor.Tensor
		float tensor.DType
		want  float64
		fits  float64
	}{
		{"float32", tensor.Of([]float32{1}, 1), tensor.Of([]float32{1e-10}, 1), tensor.Float32, 0, 0},
		{"float64 from float32", tensor.Of([]float32{1}, 1), tensor.Of([]float32{1e-10}, 1),
			tensor.Float64, 1e-10, 1e-16},
		{"float64 from float64", tensor.Of([]float64{1}, 1), tensor.Of([]float64{1e-10}, 1),
			tensor.Float64, 1e-10, 1e-16},
	} {
		got, err := interp.New(g, tc.float).Run(t.Context(), values{"x": tc.x}, values{"w": tc.w})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		var y float64
		if tc.float == tensor.Float32 {
			y = float64(tensor.Data[float32](got["y"])[0])
		} else {
			y = tensor.Data[float64](got["y"])[0]
			if got["mask"].DType() != tensor.Float64 || got["zeros"].DType() != tensor.Float64 {
				t.Errorf("%s: outputs are %v and %v", tc.name, got["mask"], got["zeros"])
			}
		}
		if math.Abs(y-tc.want) > tc.fits {
			t.Errorf("%s: got %v, want %v", tc.name, y, tc.want)
		}
	}
}

// TestOutputsAreTheCallers holds that changing an output changes neither what was
// fed nor a later run.
func TestOutputsAreTheCallers(t *testing.T) {
	b := graph.NewBuilder()
	x, w := b.Input("x", tensor.Float32, graph.N(2), graph.N(1)), b.Param("w", tensor.Float32, 1, 2)
	c := b.Const(tensor.Of([]float32{1, 2}, 2))
	outputs := []graph.Output{
		{Name: "input", Node: x}, {Name: "input, reshaped", Node: b.Reshape(x, graph.N(2))},
		{Name: "param, squeezed", Node: b.Squeeze(w, 0)}, {Name: "constant", Node: c},
		{Name: "constant, unsqueezed", Node: b.Unsqueeze(c, 0)}, {Name: "sum", Node: b.Add(c, c)},
	}
	p := interp.New(finish(t, b, outputs...), tensor.Float32)
	feed, params := values{"x": tensor.Of([]float32{3, 4}, 2, 1)}, values{"w": tensor.Of([]float32{5, 6}, 1, 2)}
	run := func() values {
		got, err := p.Run(context.Background(), feed, params)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := run()
	for _, v := range run() {
		clear(tensor.Data[float32](v))
	}
	if diff := cmp.Diff(want, run(), cmp.Comparer(tensor.Equal)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFloat64Errors: what is not fed is missed in either precision.
func TestFloat64Errors(t *testing.T) {
	for _, feed := range []values{nil, {"ids": nil}} {
		_, err := interp.New(lookup(t), tensor.Float64).Run(t.Context(), feed, values{"table": tensor.New(tensor.Float64, 3, 2)})
		if err == nil || !strings.Contains(err.Error(), "input ids (int64[seq]) is not fed") {
			t.Errorf("got %v", err)
		}
	}
}

func TestConcurrentRuns(t *testing.T) {
	p := interp.New(lookup(t), tensor.Float32)
	params := values{"table": tensor.Of([]float32{0, 0, 1, 1, 2, 2}, 3, 2)}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			got, err := p.Run(context.Background(), values{"ids": tensor.Of([]int64{int64(i % 3)}, 1)}, params)
			if err != nil || tensor.Data[float32](got["y"])[1] != float32(i%3) {
				t.Errorf("run %d: got %v, %v", i, got["y"], err)
			}
		})
	}
	wg.Wait()
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := interp.New(lookup(t), tensor.Float32).Run(ctx, values{"ids": tensor.New(tensor.Int64, 2)},
		values{"table": tensor.New(tensor.Float32, 3, 2)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// TestBatchedProducts compares products large enough to run in parallel with the
// definition.
func TestBatchedProducts(t *testing.T) {
	const batch, m, k, n = 6, 33, 70, 41
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.N(2), graph.N(3), graph.N(m), graph.N(k))
	y := b.Input("y", tensor.Float32, graph.N(3), graph.N(k), graph.N(n))
	g := finish(t, b, graph.Output{Name: "z", Node: b.MatMul(x, y)})
	xs, ys := tensor.New(tensor.Float32, 2, 3, m, k), tensor.New(tensor.Float32, 3, k, n)
	for i := range tensor.Data[float32](xs) {
		tensor.Data[float32](xs)[i] = float32(i%7) - 3
	}
	for i := range tensor.Data[float32](ys) {
		tensor.Data[float32](ys)[i] = float32(i%5) - 2
	}
	got, err := interp.New(g, tensor.Float32).Run(context.Background(), values{"x": xs, "y": ys}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := tensor.New(tensor.Float32, 2, 3, m, n) // small integers: exact
	for a := range batch {
		for i := range m {
			for j := range n {
				for l := range k {
					x, y := tensor.Data[float32](xs)[(a*m+i)*k+l], tensor.Data[float32](ys)[(a%3*k+l)*n+j]
					tensor.Data[float32](want)[(a*m+i)*n+j] += x * y
				}
			}
		}
	}
	if !tensor.Equal(got["z"], want) {
		t.Error("the product differs from the definition")
	}
}

func TestNilContext(t *testing.T) {
	var none context.Context
	_, err := interp.New(lookup(t), tensor.Float32).Run(none, values{"ids": tensor.New(tensor.Int64, 2)},
		values{"table": tensor.New(tensor.Float32, 3, 2)})
	if err == nil || !strings.Contains(err.Error(), "the context is nil") {
		t.Errorf("got %v", err)
	}
}

// Overwrite: a ScatterND that is the last to read an input changes the caller's memory,
// and gives it as its value; one that is not leaves it, also where what is read later is
// another value in the same memory.
func TestOverwrite(t *testing.T) {
	for _, tc := range []struct {
		name  string
		later func(b *graph.Builder, x, y *graph.Node) *graph.Node // unless nil, the output z
		want  []float32                                            // the input afterwards
		z     []float32
	}{
		{"last", nil, []float32{1, 7, 3}, nil},
		{"read later", func(b *graph.Builder, x, y *graph.Node) *graph.Node { return b.Add(x, y) },
			[]float32{1, 2, 3}, []float32{2, 9, 6}},
		{"seen later", func(b *graph.Builder, x, y *graph.Node) *graph.Node {
			return b.Squeeze(b.Add(b.Unsqueeze(x, 0), b.Unsqueeze(y, 0)), 0)
		}, []float32{1, 2, 3}, []float32{2, 9, 6}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := graph.NewBuilder()
			x := b.Input("x", tensor.Float32, seq)
			b.Unsqueeze(x, 0) // so that it comes before y, where it is read later
			y := b.Op("ScatterND", []*graph.Node{x, b.Const(tensor.Of([]int64{1}, 1, 1)), b.Const(tensor.Of([]float32{7}, 1))})
			outputs := []graph.Output{{Name: "y", Node: y}}
			if tc.later != nil {
				outputs = append(outputs, graph.Output{Name: "z", Node: tc.later(b, x, y)})
			}
			g, err := b.Build(outputs...)
			if err != nil {
				t.Fatal(err)
			}
			feed := tensor.Of([]float32{1, 2, 3}, 3)
			out, err := interp.New(g, tensor.Float32, "x").Run(t.Context(), map[string]*tensor.Tensor{"x": feed}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if same := out["y"] == feed; same != (tc.later == nil) {
				t.Errorf("the output is the input: %v", same)
			}
			if diff := cmp.Diff(tc.want, tensor.Data[float32](feed)); diff != "" {
				t.Errorf("the input afterwards (-want +got):\n%s", diff)
			}
			if tc.later == nil {
				return
			}
			if diff := cmp.Diff(tc.z, tensor.Data[float32](out["z"])); diff != "" {
				t.Errorf("what is read later (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOverwriteFromItself: what is written is read before.
func TestOverwriteFromItself(t *testing.T) {
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.N(2))
	g := finish(t, b, graph.Output{Name: "y", Node: b.Op("ScatterND", []*graph.Node{x, b.Const(tensor.Of([]int64{1, 0}, 2, 1)), x})})
	feed := values{"x": tensor.Of([]float32{1, 2}, 2)}
	out, err := interp.New(g, tensor.Float32, "x").Run(t.Context(), feed, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float32{2, 1}, tensor.Data[float32](out["y"])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
