package models

import (
	"math"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// masked stands for −∞ in float32 attention logits: finite, so that a row that
// may see nothing yields a harmless average instead of NaN.
const masked = -1e9

// rmsNorm returns x / √(mean(x²) + eps) ∘ gain over the last axis of x [..., D].
func rmsNorm(b *graph.Builder, x, gain *graph.Node, eps float64, m Mode) *graph.Node {
	if m.Fused {
		return b.Op("RMSNormalization", []*graph.Node{x, gain}, graph.Attr{Name: "axis", Value: int64(-1)},
			graph.Attr{Name: "epsilon", Value: float32(eps)})
	}
	return scaled(b, x, gain, eps, m)
}

// scaled returns x / √(mean(x²) + eps) ∘ gain. With a cache it is in the words that ONNX Runtime makes one operator of.
func scaled(b *graph.Builder, x, gain *graph.Node, eps float64, m Mode) *graph.Node {
	if m.Cache {
		power := b.ReduceMean(b.Pow(x, 2), true, -1)
		return b.Mul(b.Div(x, b.Sqrt(b.Add(power, b.Float(eps)))), gain)
	}
	power := b.ReduceMean(b.Mul(x, x), true, -1)
	r := b.Op("Reciprocal", []*graph.Node{b.Sqrt(b.Add(power, b.Float(eps)))})
	return b.Mul(b.Mul(x, r), gain)
}

// layerNorm returns (x − mean(x)) / √(var(x) + eps) ∘ gain + bias, without a bias that is nil, over the last axis of x
// [..., D], where var is the mean square of x − mean(x) (Ba et al. 2016, arXiv 1607.06450).
// No profile has an operator for it: in the form below ONNX Runtime makes one of it.
func layerNorm(b *graph.Builder, x, gain, bias *graph.Node, eps float64, m Mode) *graph.Node {
	return addBias(b, scaled(b, b.Sub(x, b.ReduceMean(x, true, -1)), gain, eps, m), bias)
}

// addBias adds a bias, if there is one.
func addBias(b *graph.Builder, x, bias *graph.Node) *graph.Node {
	if bias == nil {
		return x
	}
	return b.Add(x, bias)
}

// linear returns x Wᵀ for x [N,in] and W [out,in].
func linear(b *graph.Builder, x, w *graph.Node) *graph.Node { return b.Gemm(x, w, false, true) }

// activate applies the named activation function.
func activate(b *graph.Builder, name string, x *graph.Node) *graph.Node {
	switch name {
	case "relu":
		return b.Relu(x)
	case "relu2": // So et al. 2021, arXiv 2109.08668
		y := b.Relu(x)
		return b.Mul(y, y)
	case "silu": // x·σ(x), Hendrycks & Gimpel 2016, arXiv 1606.08415
		return b.Mul(x, b.Sigmoid(x))
	}
	// gelu (Hendrycks & Gimpel 2016, arXiv 1606.08415, section 2), exact: ½x(1 + erf(x/√2)).
	if name == exactGELU {
		return b.Mul(b.Mul(x, b.Float(0.5)), b.Add(b.Op("Erf", []*graph.Node{b.Div(x, b.Float(math.Sqrt2))}), b.Float(1)))
	}
	// gelu in its tanh form (the same section):
	// ½x(1 + tanh(√(2/π)(x + 0.044715x³))).
	cube := b.Mul(b.Mul(x, x), x)
	inner := b.Mul(b.Add(x, b.Mul(cube, b.Float(0.044715))), b.Float(math.Sqrt(2/math.Pi)))
	return b.Mul(b.Mul(x, b.Float(0.5)), b.Add(b.Tanh(inner), b.Float(1)))
}

// splitHeads turns [B·T, H·K] into [B,H,T,K].
func splitHeads(b *graph.Builder, x *graph.Node, batch, seq graph.Dim, heads, head int) *graph.Node {
	return b.Transpose(b.Reshape(x, batch, seq, graph.N(heads), graph.N(head)), 0, 2, 1, 3)
}

// joinHeads turns [B,H,T,K] into [B·T, H·K].
func joinHeads(b *graph.Builder, x *graph.Node) *graph.Node {
	batch, heads, seq, head := x.Dim(0), x.Dim(1), x.Dim(2), x.Dim(3)
	return b.Reshape(b.Transpose(x, 0, 2, 1, 3), batch.Mul(seq), heads.Mul(head))
}

// input declares an input of the contract of model files. Its axes keep their names,
// and other lengths for some: name, length, name, length, …
func input(b *graph.Builder, p card.Port, lengths ...string) *graph.Node {
	shape := make([]graph.Dim, len(p.Shape))
	for i, axis := range p.Shape {
		var err error
		if shape[i], err = graph.ParseDim(strings.NewReplacer(lengths...).Replace(axis)); err != nil {
			return b.Fail(err)
		}
	}
	dtype := tensor.Int64
	if p.DType == card.Float32 {
		dtype = tensor.Float32
	}
	return b.Input(p.Name, dtype, shape...)
}
