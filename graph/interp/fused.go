package interp

import (
	"cmp"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

func rmsNormalization[T float](c call) (*tensor.Tensor, error) {
	shape := c.in[0].Shape()
	x, gain := tensor.Data[T](c.in[0]), tensor.Data[T](c.in[1])
	out := make([]T, len(x))
	width := len(gain)
	eps := float64(graph.Attribute(c.node, "epsilon", float32(1e-5)))
	for at := 0; at < len(x); at += width {
		row := x[at : at+width]
		squares := 0.0
		for _, v := range row {
			squares += float64(v) * float64(v)
		}
		r := 1 / math.Sqrt(squares/float64(width)+eps)
		for i, v := range row {
			out[at+i] = T(float64(v) * r * float64(gain[i]))
		}
	}
	return tensor.Of(out, shape...), nil
}

// rotaryEmbedding turns pairs of features, (2c, 2c+1) when interleaved and
// (c, c+width/2) otherwise, and copies those beyond the rotated width.
func rotaryEmbedding[T float](c call) (*tensor.Tensor, error) {
	out := c.in[0].Clone()
	x, y := tensor.Data[T](c.in[0]), tensor.Data[T](out)
	cos, sin := tensor.Data[T](c.in[1]), tensor.Data[T](c.in[2])
	s := out.Shape()
	heads, length, features := s[1], s[2], s[3]
	width := int(graph.Attribute(c.node, "rotary_embedding_dim", int64(0)))
	width = cmp.Or(width, features)
	half := width / 2
	step, apart := 1, half
	if graph.Attribute(c.node, "interleaved", int64(0)) != 0 {
		step, apart = 2, 1
	}
	for row := range s[0] * heads * length { // row is (b·H + h)·T + t
		angle := (row/(heads*length)*length + row%length) * half
		at := row * features
		for k := range half {
			i := at + k*step
			a, b := x[i], x[i+apart]
			y[i] = a*cos[angle+k] - b*sin[angle+k]
			y[i+apart] = a*sin[angle+k] + b*cos[angle+k]
		}
	}
	return out, nil
}

// attention computes softmax(scale · q kᵀ + mask) v for each batch row and head.
// A query that may see nothing (every score is −∞) yields zeros.
func attention[T float](c call) (*tensor.Tensor, error) {
	qs, vs := c.in[0].Shape(), c.in[2].Shape()
	q, k, v := tensor.Data[T](c.in[0]), tensor.Data[T](c.in[1]), tensor.Data[T](c.in[2])
	rows, width, cols, values := qs[2], qs[3], vs[2], vs[3]
	scale := T(graph.Attribute(c.node, "scale", float32(1/math.Sqrt(float64(width)))))
	mask := attentionMask[T](c, []int{qs[0], qs[1], rows, cols})
	out := make([]T, qs[0]*qs[1]*rows*values)
	distribute(qs[0]*qs[1], rows*cols*(width+values), func(i int) {
		scores := make([]T, rows*cols)
		product(scale, matrix[T]{rows: rows, cols: width, data: q[i*rows*width:]},
			matrix[T]{rows: cols, cols: width, data: k[i*cols*width:], trans: true}, scores)
		for r := range rows {
			row := scores[r*cols : (r+1)*cols]
			mask(row, i*rows+r)
			weigh(row)
		}
		product(1, matrix[T]{rows: rows, cols: cols, data: scores},
			matrix[T]{rows: cols, cols: values, data: v[i*cols*values:]}, out[i*rows*values:(i+1)*rows*values])
	})
	return tensor.Of(out, qs[0], qs[1], rows, values), nil
}

// attentionMask returns a function that masks one row of scores, given its
// number among all rows [B·H·T].
func attentionMask[T float](c call, scores []int) func(row []T, number int) {
	if len(c.in) < 4 {
		return func([]T, int) {}
	}
	strides := spread(c.in[3].Shape(), scores)
	offset := func(number int) int {
		t := number % scores[2]
		h := number / scores[2] % scores[1]
		b := number / scores[2] / scores[1]
		return b*strides[0] + h*strides[1] + t*strides[2]
	}
	if c.in[3].DType() == tensor.Bool {
		seen := tensor.Data[bool](c.in[3])
		return func(row []T, number int) {
			for s, at := 0, offset(number); s < len(row); s++ {
				if !seen[at+s*strides[3]] {
					row[s] = T(math.Inf(-1))
				}
			}
		}
	}
	bias := tensor.Data[T](c.in[3])
	return func(row []T, number int) {
		for s, at := 0, offset(number); s < len(row); s++ {
			row[s] += bias[at+s*strides[3]]
		}
	}
}

// weigh replaces a row of scores by its softmax, zeros where all are −∞.
func weigh[T float](row []T) {
	top := largest(row, len(row), 1)
	if math.IsInf(top, -1) {
		clear(row)
		return
	}
	sum := 0.0
	for s, v := range row {
		e := math.Exp(float64(v) - top)
		row[s] = T(e)
		sum += e
	}
	for s := range row {
		row[s] = T(float64(row[s]) / sum)
	}
}
