package graph_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// maker shortens the building of graphs in tables.
type maker struct {
	*graph.Builder
	targets *[]*graph.Node // what w and x have made
}

func (m maker) f(shape []int, v ...float32) *graph.Node { return m.Const(tensor.Of(v, shape...)) }

func (m maker) i(shape []int, v ...int64) *graph.Node { return m.Const(tensor.Of(v, shape...)) }

func (m maker) b(shape []int, v ...bool) *graph.Node { return m.Const(tensor.Of(v, shape...)) }

func (m maker) vec(v ...float32) *graph.Node { return m.f([]int{len(v)}, v...) }

// w declares the next parameter: w0, w1, ….
func (m maker) w(shape ...int) *graph.Node {
	n := m.Param(fmt.Sprint("w", len(*m.targets)), tensor.Float32, shape...)
	*m.targets = append(*m.targets, n)
	return n
}

// x declares the next float32 input: x0, x1, ….
func (m maker) x(shape ...string) *graph.Node {
	n := m.Input(fmt.Sprint("x", len(*m.targets)), tensor.Float32, dims(shape...)...)
	*m.targets = append(*m.targets, n)
	return n
}

// ids declares the int64 input ids.
func (m maker) ids(shape ...string) *graph.Node {
	return m.Input("ids", tensor.Int64, dims(shape...)...)
}

// newMaker returns a maker with a builder of its own.
func newMaker() maker { return maker{graph.NewBuilder(), new([]*graph.Node)} }

// dims reads axes; a bad one panics, the tables being constant.
func dims(text ...string) []graph.Dim {
	var out []graph.Dim
	for _, s := range text {
		d, err := graph.ParseDim(s)
		if err != nil {
			panic(err)
		}
		out = append(out, d)
	}
	return out
}

func f32(shape []int, v ...float32) *tensor.Tensor { return tensor.Of(v, shape...) }

func i64(shape []int, v ...int64) *tensor.Tensor { return tensor.Of(v, shape...) }

func boolean(shape []int, v ...bool) *tensor.Tensor { return tensor.Of(v, shape...) }

type shape = []int

var nan = float32(math.NaN())

// everyOp checks that a table has a row for each operator that needs one.
func everyOp[R any](t *testing.T, table []R, op func(R) string, needed func(string) bool) {
	t.Helper()
	have := map[string]bool{}
	for _, row := range table {
		have[op(row)] = true
	}
	for _, name := range graph.Ops() {
		if needed(name) && !have[name] {
			t.Errorf("no row for %s", name)
		}
		delete(have, name)
	}
	for name := range have {
		t.Errorf("a row for %s, which is not in graph.Ops", name)
	}
}

func always(string) bool { return true }
