package pe_test

import (
	"context"
	"math"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// xposProduct returns the product of a query and a key after the hook, each at its position, computed in float32.
func xposProduct(t *testing.T, settings string, q, k []float32, queryAt, keyAt int64) float64 {
	t.Helper()
	d := pe.Dims{Model: len(q), Heads: 1, Head: len(q)}
	b := graph.NewBuilder()
	s := site(b, d, false)
	shape := []graph.Dim{s.Batch, graph.N(1), s.Seq, graph.N(len(q))}
	x, y := newEncoding(t, "xpos", settings, d).QK(s,
		b.Input("q", tensor.Float32, shape...), b.Input("k", tensor.Float32, shape...))
	g, err := b.Build(graph.Output{Name: "x", Node: x}, graph.Output{Name: "y", Node: y})
	if err != nil {
		t.Fatal(err)
	}
	rows := func(v []float32) *tensor.Tensor {
		return tensor.Of(append(append([]float32(nil), v...), v...), 1, 1, 2, len(v))
	}
	out, err := interp.New(g, tensor.Float32).Run(context.Background(), map[string]*tensor.Tensor{
		"q": rows(q), "k": rows(k), "position_ids": tensor.Of([]int64{queryAt, keyAt}, 1, 2),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range q {
		sum += float64(tensor.Data[float32](out["x"])[i]) * float64(tensor.Data[float32](out["y"])[len(q)+i])
	}
	return sum
}

// At the start of a text, far from the place where factors are 1, products are off by less than 1e-5: exponents near 50
// are rounded by 4e-6.
func TestXPosAtTheStart(t *testing.T) {
	q, k := []float32{1, 0, 0, 0}, []float32{1, 0, 0, 0}
	for distance := range int64(40) {
		want := math.Cos(float64(distance)) * math.Pow(0.4/1.4, float64(distance)/512)
		near(t, "product", []float64{xposProduct(t, ``, q, k, 39, 39-distance)}, []float64{want}, 1e-5)
	}
}

// At a distance of one scale base pair c of four has faded by ζ_c = (c/4 + 0.4)/1.4 =
// 0.285714, 0.464286, 0.642857, 0.821429. What is not the factor is RoPE's product.
func TestXPosFactors(t *testing.T) {
	for _, settings := range []string{`{"scale_base":8}`, `{"scale_base":8,"layout":"interleaved"}`} {
		for c, zeta := range []float64{0.285714, 0.464286, 0.642857, 0.821429} {
			x := make([]float32, 8)
			x[c] = 1
			if settings != `{"scale_base":8}` {
				x[c], x[2*c] = 0, 1
			}
			turned := math.Cos(8 * math.Pow(10000, -float64(c)/4))
			near(t, settings, []float64{xposProduct(t, settings, x, x, 20, 12)}, []float64{zeta * turned}, 1e-6)
		}
	}
}

// The product depends on the distance alone from the first position to the last of the
// longest sequence, finite in float32 and to its precision: the far ends of the factors
// cancel. 1e-3 allows for float32 angles of up to 40,000 radians.
func TestXPosIsExactAtAnyPosition(t *testing.T) {
	q, k := []float32{0.3, -1, 2, 0.5, -0.7, 1.1}, []float32{1, 0.25, -2, 0.75, 1.5, -0.1}
	longest := int64(newEncoding(t, "xpos", ``, pe.Dims{Model: 6, Heads: 1, Head: 6}).(pe.Bounded).MaxLength())
	if longest != 40960 {
		t.Fatalf("the longest sequence has %d tokens, want 40960", longest)
	}
	for _, distance := range []int64{0, 1, 17, 300, 20000} {
		want := 0.0
		for c := range 3 {
			sin, cos := math.Sincos(float64(distance) * math.Pow(10000, -float64(c)/3))
			fade := math.Pow((float64(c)/3+0.4)/1.4, float64(distance)/512)
			a, b := float64(q[c])*cos-float64(q[c+3])*sin, float64(q[c+3])*cos+float64(q[c])*sin
			want += fade * (a*float64(k[c]) + b*float64(k[c+3]))
		}
		for _, at := range []int64{distance, 20480, 32768, longest - 1} {
			near(t, "product", []float64{xposProduct(t, ``, q, k, at, at-distance)}, []float64{want}, 1e-3)
		}
	}
}
