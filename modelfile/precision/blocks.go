package precision

import (
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// blocks multiplies with integers of 8 or 4 bits, of which blocks have a scale each, by DequantizeLinear of opset 21: engines
// multiply so without making the matrix. ONNX Runtime does (MatMulNBits) where the matrix is [in, out] with blocks along the first
// axis, and what it multiplies has rank 3: of matrices and a bias it would make a Gemm, for which the matrix is made in each run.
// Minima of blocks are a second product, with the sums of a row over each block. Rows that token ids pick are
// in a table of their own, since a matrix that is also gathered is not multiplied so: in 8 bits, [tokens, width].
type blocks struct {
	b       *graph.Builder
	levels  levels
	weights map[string]*tensor.Tensor // float32
	made    map[string]*tensor.Tensor // of the new graph
}

// The names of what a matrix NAME becomes: NAME and NAME.scale, NAME.minimum where it has one, and where rows of it are picked
// NAME.rows and NAME.rows.scale.
const (
	scaleSuffix   = ".scale"
	minimumSuffix = ".minimum"
	rowsSuffix    = ".rows"
)

func (q blocks) fits(w *graph.Node) bool { return lengths(w)[1]%blockSize == 0 }

func (q blocks) product(x, w *graph.Node) *graph.Node {
	b := q.b
	if q.made[w.Name] == nil {
		q.store(w.Name)
	}
	size := q.made[w.Name].Shape()[0] / q.made[w.Name+scaleSuffix].Shape()[0]
	if len(x.Shape) == 2 {
		x = b.Unsqueeze(x, 0)
	}
	y := b.MatMul(x, q.wide(q.param(w.Name), q.param(w.Name+scaleSuffix), 0, size))
	if m := q.made[w.Name+minimumSuffix]; m != nil {
		sums := b.ReduceSum(b.Reshape(x, graph.N(1), x.Dim(1), graph.N(m.Shape()[0]), graph.N(size)), false, -1)
		y = b.Add(y, b.MatMul(sums, q.param(w.Name+minimumSuffix)))
	}
	return y
}

// store makes the weights of a product with a matrix.
func (q blocks) store(name string) {
	m := inBlocks(q.weights[name], q.levels)
	values, each := transposed(m.values, m.out, m.in), m.in/m.size
	q.made[name] = tensor.Of(values, m.in, m.out)
	if m.levels == fourBits {
		q.made[name] = tensor.Of(values, m.in, m.out).As(tensor.Int4)
	}
	q.made[name+scaleSuffix] = tensor.Of(transposed(m.scale, m.out, each), each, m.out)
	if m.minimum != nil {
		q.made[name+minimumSuffix] = tensor.Of(transposed(m.minimum, m.out, each), each, m.out)
	}
}

func (q blocks) rows(w, at *graph.Node) *graph.Node {
	m := inBlocks(q.weights[w.Name], eightBits)
	name := w.Name + rowsSuffix
	q.made[name] = tensor.Of(m.values, m.out, m.in)
	q.made[name+scaleSuffix] = tensor.Of(m.scale, m.out, m.in/m.size)
	return q.wide(q.b.Gather(q.param(name), at, 0), q.b.Gather(q.param(name+scaleSuffix), at, 0), -1, m.size)
}

// wide is float32 of integers with blocks along an axis.
func (q blocks) wide(values, scale *graph.Node, axis, size int) *graph.Node {
	return q.b.Op("DequantizeLinear", []*graph.Node{values, scale},
		graph.Attr{Name: "axis", Value: int64(axis)}, graph.Attr{Name: "block_size", Value: int64(size)})
}

func (q blocks) param(name string) *graph.Node {
	t := q.made[name]
	return q.b.Param(name, t.DType(), t.Shape()...)
}
