package graph_test

import (
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

func TestMatrixFLOPs(t *testing.T) {
	b := graph.NewBuilder()
	B, T := graph.Sym("batch"), graph.Sym("seq")
	x := b.Input("x", tensor.Float32, B, T, graph.N(8))
	rows := b.Gemm(b.Reshape(x, B.Mul(T), graph.N(8)), b.Param("w", tensor.Float32, 5, 8), false, true)
	scores := b.MatMul(x, b.Transpose(x, 0, 2, 1))
	head := b.Unsqueeze(x, 1)
	mixed := b.Op("Attention", []*graph.Node{head, head, head}, graph.Attr{Name: "scale", Value: float32(1)})
	g, err := b.Build(graph.Output{Name: "rows", Node: rows}, graph.Output{Name: "scores", Node: scores},
		graph.Output{Name: "mixed", Node: mixed})
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.MatrixFLOPs(map[string]int{"batch": 2, "seq": 3})
	// Gemm 2·(2·3)·5·8, MatMul 2·2·3·3·8, Attention 2·(2·3·3·8 twice)
	if want := 480.0 + 288 + 576; err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if got, err := g.MatrixFLOPs(map[string]int{"batch": 2}); err == nil || got != 0 {
		t.Errorf("got %v, %v for an unknown length", got, err)
	}
}

// TestMatrixFLOPsOfUnequalSides has no two lengths of a product alike.
func TestMatrixFLOPsOfUnequalSides(t *testing.T) {
	for _, tc := range []struct {
		name  string
		build func(m maker) *graph.Node
		want  float64
	}{
		{"Gemm", func(m maker) *graph.Node { return m.Gemm(m.w(5, 3), m.w(3, 7), false, false) }, 2 * 5 * 3 * 7},
		{"Gemm, left turned", func(m maker) *graph.Node { return m.Gemm(m.w(3, 5), m.w(3, 7), true, false) }, 2 * 5 * 3 * 7},
		{"Gemm, right turned", func(m maker) *graph.Node { return m.Gemm(m.w(5, 3), m.w(7, 3), false, true) },
			2 * 5 * 3 * 7},
		{"Gemm, both turned", func(m maker) *graph.Node { return m.Gemm(m.w(3, 5), m.w(7, 3), true, true) },
			2 * 5 * 3 * 7},
		{"MatMul, left of all", func(m maker) *graph.Node { return m.MatMul(m.w(5, 3), m.w(2, 11, 3, 7)) },
			2 * 2 * 11 * 5 * 3 * 7},
		{"MatMulInteger", func(m maker) *graph.Node {
			return m.Op("MatMulInteger", []*graph.Node{bytes(m, "x", "5", "3"), m.Param("w", tensor.Int8, 3, 7), bytes(m, "z")})
		}, 2 * 5 * 3 * 7},
		{"Attention", func(m maker) *graph.Node {
			return m.Op("Attention", []*graph.Node{m.w(2, 3, 5, 7), m.w(2, 3, 11, 7), m.w(2, 3, 11, 13)}, graph.Attr{Name: "scale", Value: float32(1)})
		}, 2 * 2 * 3 * 5 * 11 * (7 + 13)},
		{"rearrangement from the left", func(m maker) *graph.Node {
			return m.MatMul(m.f(shape{2, 2}, 0, -1, 1, 0), m.w(2, 3))
		}, 0},
		{"constant of 16 bits", func(m maker) *graph.Node {
			turn := m.Const(f32(shape{2, 2}, 0, -1, 1, 0).As(tensor.Float16))
			return m.MatMul(turn, m.Param("w", tensor.Float16, 2, 3))
		}, 2 * 2 * 2 * 3},
		{"constants by batch row", func(m maker) *graph.Node {
			return m.MatMul(m.f(shape{1, 2, 2}, 0, -1, 1, 0), m.w(2, 3))
		}, 2 * 2 * 2 * 3},
		{"selection of no square", func(m maker) *graph.Node {
			return m.MatMul(m.w(5, 2), m.f(shape{2, 3}, 0, 0, 1, 1, 0, 0))
		}, 0},
		{"one entry in a row, two in a column", func(m maker) *graph.Node {
			return m.MatMul(m.w(5, 2), m.f(shape{2, 3}, 0, 0, 1, 0, 0, 1))
		}, 2 * 5 * 2 * 3},
	} {
		m := newMaker()
		if got, err := build(t, m.Builder, tc.build(m)).MatrixFLOPs(nil); err != nil || got != tc.want {
			t.Errorf("%s: %v, %v; want %v", tc.name, got, err, tc.want)
		}
	}
}

// A product with a constant that only moves and negates is no work, also in the
// gradient, which turns it over; with another constant it is.
func TestMatrixFLOPsOfRearrangement(t *testing.T) {
	for _, tc := range []struct {
		name     string
		constant []float32 // [3,3]
		want     float64
	}{
		{"signed permutation", []float32{0, -1, 0, 1, 0, 0, 0, 0, 0}, 0},
		{"sum of two", []float32{1, 0, 0, 1, 0, 0, 0, 0, 1}, 2 * 5 * 3 * 3},
		{"copy", []float32{1, 1, 0, 0, 0, 0, 0, 0, 1}, 2 * 5 * 3 * 3},
		{"scaling", []float32{2, 0, 0, 0, 1, 0, 0, 0, 1}, 2 * 5 * 3 * 3},
	} {
		b := graph.NewBuilder()
		x := b.Input("x", tensor.Float32, graph.N(5), graph.N(3))
		c := b.Const(tensor.Of(tc.constant, 3, 3))
		g, err := b.Build(graph.Output{Name: "y", Node: b.MatMul(x, c)},
			graph.Output{Name: "back", Node: b.MatMul(x, b.Transpose(c, 1, 0))})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := g.MatrixFLOPs(nil); err != nil || got != 2*tc.want {
			t.Errorf("%s: %v, %v; want %v", tc.name, got, err, 2*tc.want)
		}
	}
}
