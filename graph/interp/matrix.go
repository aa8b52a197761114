package interp

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// matrix is a row-major matrix that may enter a product transposed.
type matrix[T float] struct {
	rows, cols int // as stored
	data       []T
	trans      bool
}

func (m matrix[T]) shape() (rows, cols int) {
	if m.trans {
		return m.cols, m.rows
	}
	return m.rows, m.cols
}

// product writes alpha · x y into out, which is zeros before.
func product[T float](alpha T, x, y matrix[T], out []T) {
	rows, inner := x.shape()
	_, cols := y.shape()
	if rows == 0 || cols == 0 || inner == 0 {
		return
	}
	switch out := any(out).(type) {
	case []float32:
		blas32.Gemm(flag(x.trans), flag(y.trans), float32(alpha), general32(any(x).(matrix[float32])),
			general32(any(y).(matrix[float32])), 0, blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: out})
	case []float64:
		blas64.Gemm(flag(x.trans), flag(y.trans), float64(alpha), general64(any(x).(matrix[float64])),
			general64(any(y).(matrix[float64])), 0, blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: out})
	}
}

func general32(m matrix[float32]) blas32.General {
	return blas32.General{Rows: m.rows, Cols: m.cols, Stride: m.cols, Data: m.data}
}

func general64(m matrix[float64]) blas64.General {
	return blas64.General{Rows: m.rows, Cols: m.cols, Stride: m.cols, Data: m.data}
}

func flag(trans bool) blas.Transpose {
	if trans {
		return blas.Trans
	}
	return blas.NoTrans
}

func gemm[T float](c call) (*tensor.Tensor, error) {
	side := func(i int, trans string) matrix[T] {
		s := c.in[i].Shape()
		return matrix[T]{s[0], s[1], tensor.Data[T](c.in[i]), graph.Attribute(c.node, trans, int64(0)) != 0}
	}
	x, y := side(0, "transA"), side(1, "transB")
	rows, _ := x.shape()
	_, cols := y.shape()
	out := make([]T, rows*cols)
	product(1, x, y, out)
	return tensor.Of(out, rows, cols), nil
}

// matMul rounds the sums alone where its values are float16 or bfloat16.
func matMul[T float](c call) (*tensor.Tensor, error) {
	out := matMulFull[T](c)
	if c.node.DType.Halves() {
		half(out, c.node.DType)
	}
	return out, nil
}

func matMulFull[T float](c call) *tensor.Tensor {
	xs, ys := c.in[0].Shape(), c.in[1].Shape()
	xBatch, yBatch := xs[:len(xs)-2], ys[:len(ys)-2]
	m, k, n := xs[len(xs)-2], xs[len(xs)-1], ys[len(ys)-1]
	batch := broadcastShapes(xBatch, yBatch)
	shape := append(append([]int{}, batch...), m, n)
	x, y, out := tensor.Data[T](c.in[0]), tensor.Data[T](c.in[1]), make([]T, tensor.Numel(shape))
	if tensor.Numel(yBatch) == 1 { // one tall product
		tall := matrix[T]{rows: tensor.Numel(batch) * m, cols: k, data: x}
		product(1, tall, matrix[T]{rows: k, cols: n, data: y}, out)
		return tensor.Of(out, shape...)
	}
	var pairs [][2]int // which matrix of x meets which matrix of y
	w := newWalk(batch, spread(xBatch, batch), spread(yBatch, batch))
	w.rows(func(count int, at []int) {
		for i := range count {
			pairs = append(pairs, [2]int{at[0] + i*w.step(0), at[1] + i*w.step(1)})
		}
	})
	distribute(len(pairs), m*k*n, func(i int) {
		left := matrix[T]{rows: m, cols: k, data: x[pairs[i][0]*m*k:]}
		right := matrix[T]{rows: k, cols: n, data: y[pairs[i][1]*k*n:]}
		product(1, left, right, out[i*m*n:(i+1)*m*n])
	})
	return tensor.Of(out, shape...)
}

// distribute calls f(0) … f(n−1), each costing about work multiplications, on all
// processors where that is worth it.
func distribute(n, work int, f func(i int)) {
	const worthwhile = 1 << 17
	if n < 2 || n*work < worthwhile {
		for i := range n {
			f(i)
		}
		return
	}
	tensor.Parallel(n, f)
}
