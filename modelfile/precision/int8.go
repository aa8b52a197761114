package precision

import (
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// int8s multiplies integers: each row of a weight is rounded to −64…64 times a scale of its
// own, and each row of what is multiplied to −127…127 times one, when the model runs. Of the
// forms that ONNX Runtime has this is the fastest except one scale for all rows
// (DynamicQuantizeLinear), with which tokens would depend on later ones of the same call. Rows
// of activations are uint8 around 128, for which the kernels are made.
//
// Weights do not go to ±127, since x64 processors without VNNI add up two products in 16
// bits, and 2·255·64 is what fits: so all processors, and all engines, get the same sums.
type int8s struct{ b *graph.Builder }

const (
	weightLevels = 64    // of a weight's integers above zero, and as many below
	levels       = 127   // of an activation's
	zero         = 128   // stands for 0 among the uint8
	tiny         = 1e-20 // the least that a row of activations is taken to reach
)

func (q int8s) declare(p *graph.Node) *graph.Node {
	return q.b.Param(p.Name, tensor.Int8, lengths(p)...)
}

// scale declares the scales of a weight's rows, [out].
func (q int8s) scale(w *graph.Node) *graph.Node {
	return q.b.Param(w.Name+scaleSuffix, tensor.Float32, lengths(w)[0])
}

func (q int8s) product(x, w *graph.Node) *graph.Node {
	b := q.b
	largest := b.ReduceMax(b.Op("Abs", []*graph.Node{x}), false, -1)
	scale := b.Div(b.Max(largest, b.Float(tiny)), b.Float(levels)) // [rows]
	offset := b.Const(tensor.Of([]uint8{zero}))
	rows := b.Op("QuantizeLinear", []*graph.Node{x, scale, b.Expand(offset, scale.Shape...)},
		graph.Attr{Name: "axis", Value: int64(0)})
	sums := b.Cast(b.Op("MatMulInteger", []*graph.Node{rows, b.Transpose(w, 1, 0), offset}), tensor.Float32)
	return b.Mul(b.Mul(sums, q.scale(w)), b.Unsqueeze(scale, 1))
}

func (q int8s) rows(w, at *graph.Node) *graph.Node {
	b := q.b
	scale := b.Gather(q.scale(w), at, 0)
	return b.Mul(b.Cast(b.Gather(w, at, 0), tensor.Float32), b.Unsqueeze(scale, -1))
}

func (q int8s) wide(w *graph.Node) *graph.Node {
	return q.b.Mul(q.b.Cast(w, tensor.Float32), q.b.Unsqueeze(q.scale(w), 1))
}

// quantized rounds each row of a matrix to the nearest of its levels. A row of zeros has
// the scale 0.
func quantized(w *tensor.Tensor) (q, scale *tensor.Tensor) {
	rows, width := w.Shape()[0], w.Shape()[1]
	q, scale = tensor.New(tensor.Int8, rows, width), tensor.New(tensor.Float32, rows)
	for r := range rows {
		from, to := tensor.Data[float32](w)[r*width:(r+1)*width], tensor.Data[int8](q)[r*width:(r+1)*width]
		largest := float32(0)
		for _, v := range from {
			largest = max(largest, v, -v)
		}
		s := largest / weightLevels
		tensor.Data[float32](scale)[r] = s
		for i, v := range from {
			if s > 0 {
				to[i] = int8(max(-weightLevels, min(weightLevels, math.Round(float64(v)/float64(s)))))
			}
		}
	}
	return q, scale
}
