package graph

import (
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

func matrixOps() operators {
	return operators{
		"MatMul": {min: 2, max: 2, since: 1, infer: inferMatMul, multiplyAdds: matMulMultiplyAdds, vjp: vjpMatMul},
		// Opset 11 made the third input optional, which is left out here.
		"Gemm": {min: 2, max: 2, since: 11, attrs: attributes{"transA": flag, "transB": flag}, infer: inferGemm, vjp: vjpGemm,
			multiplyAdds: func(n *Node) Dim {
				_, inner := n.gemmDims(0, "transA")
				return product(n.Shape).Mul(inner)
			}},
		"MatMulInteger": {min: 3, max: 3, since: 10, infer: inferMatMulInteger, multiplyAdds: matMulMultiplyAdds},
	}
}

func vjpMatMul(b *Builder, n, g *Node) []*Node {
	x, y := b.again(n.Inputs[0]), b.again(n.Inputs[1])
	return []*Node{b.MatMul(g, b.swapLast(y)), b.MatMul(b.swapLast(x), g)}
}

func inferMatMul(n *Node) error {
	x, y := n.Inputs[0], n.Inputs[1]
	if err := n.wantDType(0, tensor.Float32, tensor.Float16, tensor.BFloat16); err != nil {
		return err
	}
	if y.DType != x.DType || x.rank() < 2 || y.rank() < 2 {
		return n.errorf("needs two values of rank 2 or more, both float32, both float16 or both bfloat16")
	}
	if x.Dim(-1) != y.Dim(-2) {
		return n.errorf("inner axes %s and %s differ", x.Dim(-1), y.Dim(-2))
	}
	batch, err := n.broadcast(x.Shape[:x.rank()-2], y.Shape[:y.rank()-2])
	n.DType, n.Shape = x.DType, append(batch, x.Dim(-2), y.Dim(-1))
	return err
}

func inferMatMulInteger(n *Node) error {
	x, y, zero := n.Inputs[0], n.Inputs[1], n.Inputs[2]
	if x.DType != tensor.Uint8 || y.DType != tensor.Int8 || zero.DType != tensor.Uint8 || zero.rank() != 0 {
		return n.errorf("needs uint8 values, int8 ones, and a uint8 number that stands for zero among the first")
	}
	if x.rank() != 2 || y.rank() != 2 || x.Dim(1) != y.Dim(0) {
		return n.errorf("needs two matrices whose inner axes agree")
	}
	n.DType, n.Shape = tensor.Int32, []Dim{x.Dim(0), y.Dim(1)}
	return nil
}

// gemmDims returns rows and columns of a Gemm operand as it enters the product.
func (n *Node) gemmDims(i int, trans string) (rows, cols Dim) {
	x := n.Inputs[i]
	if Attribute(n, trans, int64(0)) != 0 {
		return x.Dim(1), x.Dim(0)
	}
	return x.Dim(0), x.Dim(1)
}

func inferGemm(n *Node) error {
	for i, x := range n.Inputs {
		if err := n.wantDType(i, tensor.Float32); err != nil {
			return err
		}
		if x.rank() != 2 {
			return n.errorf("needs matrices")
		}
	}
	m, k := n.gemmDims(0, "transA")
	k2, cols := n.gemmDims(1, "transB")
	if k != k2 {
		return n.errorf("inner axes %s and %s differ (transA=%d, transB=%d)",
			k, k2, Attribute(n, "transA", int64(0)), Attribute(n, "transB", int64(0)))
	}
	n.DType, n.Shape = tensor.Float32, []Dim{m, cols}
	return nil
}

// vjpGemm: for Y = A'B' with A' = A or Aᵀ and B' = B or Bᵀ, dA' = G B'ᵀ and
// dB' = A'ᵀ G; each is one Gemm again, without a Transpose.
func vjpGemm(b *Builder, n, g *Node) []*Node {
	x, y := b.again(n.Inputs[0]), b.again(n.Inputs[1])
	ta, tb := Attribute(n, "transA", int64(0)) != 0, Attribute(n, "transB", int64(0)) != 0
	var gx, gy *Node
	if ta {
		gx = b.Gemm(y, g, tb, true)
	} else {
		gx = b.Gemm(g, y, false, !tb)
	}
	if tb {
		gy = b.Gemm(g, x, true, ta)
	} else {
		gy = b.Gemm(x, g, !ta, false)
	}
	return []*Node{gx, gy}
}

// MatMul multiplies the last two axes, [..., M, K] × [..., K, N] → [..., M, N];
// leading axes broadcast.
func (b *Builder) MatMul(x, y *Node) *Node { return b.Op("MatMul", []*Node{x, y}) }

// Gemm multiplies two matrices, transposing either first when asked to.
func (b *Builder) Gemm(x, y *Node, transA, transB bool) *Node {
	var attrs []Attr
	if transA {
		attrs = append(attrs, Attr{"transA", int64(1)})
	}
	if transB {
		attrs = append(attrs, Attr{"transB", int64(1)})
	}
	return b.Op("Gemm", []*Node{x, y}, attrs...)
}

// times returns c·x. A product with a weight, whose shape is known, is multiplied by
// way of the weight, which is much the smaller.
func (b *Builder) times(x *Node, c float64) *Node {
	if x.Op != "Gemm" || x.Inputs[1].Op != OpParam {
		return b.Mul(x, b.Float(c))
	}
	return b.Op("Gemm", []*Node{x.Inputs[0], b.Mul(x.Inputs[1], b.Float(c))}, x.Attrs...)
}

// swapLast transposes the last two axes.
func (b *Builder) swapLast(x *Node) *Node {
	perm := identity(x.rank())
	if k := len(perm); k >= 2 {
		perm[k-1], perm[k-2] = perm[k-2], perm[k-1]
	}
	return b.Transpose(x, perm...)
}

func identity(n int) []int {
	return lists.Make(n, func(i int) int { return i })
}

// inverse returns the permutation that undoes perm.
func inverse(perm []int64) []int {
	inv := make([]int, len(perm))
	for i, p := range perm {
		inv[p] = i
	}
	return inv
}

func isPermutation(perm []int64, rank int) bool {
	s := slices.Sorted(slices.Values(perm))
	for i, p := range s {
		if p != int64(i) {
			return false
		}
	}
	return len(s) == rank
}
