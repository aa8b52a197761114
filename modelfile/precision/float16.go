package precision

import (
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// float16 multiplies in float16. The product is a MatMul, not a Gemm: ONNX Runtime's CPU
// provider computes the former in float32 and rounds once, and has for the latter a kernel
// that adds up in float16 and takes a hundred times as long.
type float16 struct{ b *graph.Builder }

func (f float16) declare(p *graph.Node) *graph.Node {
	return f.b.ParamOf(p.Name, tensor.Float16, lengths(p)...)
}

func (f float16) product(x, w *graph.Node) *graph.Node {
	y := f.b.MatMul(f.b.Cast(x, tensor.Float16), f.b.Transpose(w, 1, 0))
	return f.b.Cast(y, tensor.Float32)
}

func (f float16) rows(w, at *graph.Node) *graph.Node {
	return f.b.Cast(f.b.Gather(w, at, 0), tensor.Float32)
}

func (f float16) wide(w *graph.Node) *graph.Node { return f.b.Cast(w, tensor.Float32) }
