package interp

import (
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// quantizeLinear divides in the type of the numbers, as ONNX Runtime does.
func quantizeLinear[T float](c call) (*tensor.Tensor, error) {
	x, scale, zero := tensor.Data[T](c.in[0]), tensor.Data[T](c.in[1]), tensor.Data[uint8](c.in[2])
	shape := c.in[0].Shape()
	outer, n, inner := around(shape, c.axis(1, len(shape)))
	out := make([]uint8, len(x))
	for o := range outer {
		for k := range n {
			at := (o*n + k) * inner
			for i, v := range x[at : at+inner] {
				q := math.RoundToEven(float64(v/scale[k])) + float64(zero[k])
				out[at+i] = uint8(max(0, min(255, q))) // NaN, which has no place among integers, is any of them
			}
		}
	}
	return tensor.Of(out, shape...), nil
}

func dequantizeLinear(c call) (*tensor.Tensor, error) {
	if c.float == tensor.Float64 {
		return dequantized[float64](c), nil
	}
	return dequantized[float32](c), nil
}

func dequantized[T float](c call) *tensor.Tensor {
	scale, shape := tensor.Data[T](c.in[1]), c.in[0].Shape()
	if c.in[0].DType() == tensor.Uint8 {
		out := make([]T, c.in[0].Len())
		for i, v := range tensor.Data[uint8](c.in[0]) {
			out[i] = T(v) * scale[0]
		}
		return tensor.Of(out, shape...)
	}
	x := tensor.Data[int8](c.in[0].As(tensor.Int8))
	size := int(graph.Attribute(c.node, "block_size", int64(0)))
	outer, n, inner := around(shape, c.axis(1, len(shape)))
	out := make([]T, len(x))
	distribute(outer*n, inner, func(row int) { // a scale's rows follow one another, as those of its block do
		from, at := scale[row/size*inner:][:inner], row*inner
		for i, v := range x[at : at+inner] {
			out[at+i] = T(v) * from[i]
		}
	})
	return tensor.Of(out, shape...)
}

func matMulInteger(c call) (*tensor.Tensor, error) {
	x, y, zero := tensor.Data[uint8](c.in[0]), tensor.Data[int8](c.in[1]), int32(tensor.Data[uint8](c.in[2])[0])
	rows, inner, cols := c.in[0].Shape()[0], c.in[0].Shape()[1], c.in[1].Shape()[1]
	out := make([]int32, rows*cols)
	distribute(rows, inner*cols, func(r int) {
		sums := out[r*cols : (r+1)*cols]
		for k, v := range x[r*inner : (r+1)*inner] {
			if factor := int32(v) - zero; factor != 0 {
				for i, w := range y[k*cols : (k+1)*cols] {
					sums[i] += factor * int32(w)
				}
			}
		}
	})
	return tensor.Of(out, rows, cols), nil
}

// half rounds the numbers of a value that is float16 or bfloat16 in the graph, in place; the
// interpreter holds them in its own precision.
func half(t *tensor.Tensor, as tensor.DType) {
	switch t.DType() {
	case tensor.Float32:
		tensor.Round(tensor.Data[float32](t), as)
	case tensor.Float64:
		x := tensor.Data[float64](t)
		rounded := make([]float32, len(x))
		for i, v := range x {
			rounded[i] = float32(v)
		}
		tensor.Round(rounded, as)
		for i, v := range rounded {
			x[i] = float64(v)
		}
	}
}
