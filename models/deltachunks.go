package models

import (
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// longestChunk bounds the chunks of deltaChunks: longer ones are more work, shorter ones
// more operators. With decays by channel a chunk of n tokens takes n·n·K numbers.
const longestChunk, longestByChannel = 32, 16

// deltaChunks is the recurrence of a DeltaNet over sequences of a known length T, from a
// state of 0, by products of matrices: q, k and v are [B,H,T,K], β [B,H,T], log α [B,H,T] or [B,H,T,K], and
// the result is [B,H,T,K].
//
// The sequence is cut into chunks (arXiv 2412.06464, section 3.3). Written with the change
// u_t = β_t (v_t − α_t S_(t−1) k_t), a step is S_t = α_t S_(t−1) + u_t k_tᵀ. Let S be the
// state before a chunk and γ_t the product of α from its first token to t. The rows U of
// the chunk solve
//
//	(I + A) U = β ∘ (V − γ ∘ K Sᵀ)    where A_ij = β_i γ_i/γ_j k_i·k_j for j < i, else 0
//
// so U = X − W Sᵀ with X = (I + A)⁻¹ (β ∘ V) and W = (I + A)⁻¹ (β ∘ γ ∘ K), which need no
// state and are computed for all chunks at once. The outputs are
//
//	o_i = γ_i S q_i + Σ_{j≤i} γ_i/γ_j (k_j·q_i) u_j
//
// Quotients of γ are taken as differences of logarithms, and are at most 1. With an α for each channel γ_i/γ_j is a factor
// of each term of the products with k_j.
func deltaChunks(b *graph.Builder, length int, q, k, v, beta, decay *graph.Node) *graph.Node {
	byChannel, longest, width := len(decay.Shape) == 4, longestChunk, graph.N(1)
	if byChannel {
		longest, width = longestByChannel, q.Dim(3)
	}
	batch, heads, head, n := q.Dim(0), q.Dim(1), q.Dim(3), chunkOf(length, longest)
	cut := func(x *graph.Node, last graph.Dim) *graph.Node {
		return b.Reshape(x, batch, heads, graph.N(length/n), graph.N(n), last)
	}
	q, k, v, beta = cut(q, head), cut(k, head), cut(v, head), cut(beta, graph.N(1))
	log := b.CumSum(cut(decay, width), 3) // of γ
	gamma := b.Exp(log)
	later := b.Mul(pattern(b, n, func(i, j int) bool { return j > i }), b.Float(masked))
	earlier := pattern(b, n, func(i, j int) bool { return j < i })

	step := b.Mul(k, beta)
	var a, weights *graph.Node
	if byChannel {
		between := b.Exp(b.Add(b.Sub(b.Unsqueeze(log, 4), b.Unsqueeze(log, 3)), b.Unsqueeze(later, 2))) // γ_i/γ_j, [..., n,n,K]
		terms := b.Mul(between, b.Unsqueeze(k, 3))
		products := b.MatMul(terms, b.Concat(5, b.Unsqueeze(step, 5), b.Unsqueeze(q, 5))) // [..., n,n,2]
		column := func(i int) *graph.Node {
			return b.Reshape(b.Slice(products, 5, graph.N(i), graph.N(i+1)), batch, heads, graph.N(length/n), graph.N(n), graph.N(n))
		}
		a, weights = b.Mul(column(0), earlier), column(1)
	} else {
		between := b.Exp(b.Add(b.Sub(log, b.Transpose(log, 0, 1, 2, 4, 3)), later)) // γ_i/γ_j
		keys := b.Transpose(k, 0, 1, 2, 4, 3)
		a = b.Mul(b.MatMul(step, keys), b.Mul(between, earlier))
		weights = b.Mul(b.MatMul(q, keys), between)
	}
	inverse := unitInverse(b, a, n)
	u := b.MatMul(inverse, b.Mul(v, beta))
	if n == length {
		return b.Reshape(b.MatMul(weights, u), batch, heads, graph.N(length), head)
	}
	w := b.MatMul(inverse, b.Mul(step, gamma))
	end := b.Slice(log, 3, graph.N(n-1), graph.N(n))
	before := chunkStates(b, b.Mul(k, b.Exp(b.Sub(end, log))), w, u, b.Exp(end))
	u = b.Sub(u, b.MatMul(w, before))
	o := b.Add(b.MatMul(b.Mul(q, gamma), before), b.MatMul(weights, u))
	return b.Reshape(o, batch, heads, graph.N(length), head)
}

// chunkStates returns Sᵀ before each chunk, [B,H,N,K,K]. With the notation of deltaChunks
// and E_j = γ_n/γ_j k_j, n being the chunk's last token, the next state is
//
//	Sᵀ' = (γ_n I − Eᵀ W) Sᵀ + Eᵀ X
func chunkStates(b *graph.Builder, e, w, x, gamma *graph.Node) *graph.Node {
	e = b.Transpose(e, 0, 1, 2, 4, 3)
	head, _ := e.Dim(3).Int()
	same := pattern(b, head, func(i, j int) bool { return i == j })
	kept := partsAlong(b, b.Sub(b.Mul(gamma, same), b.MatMul(e, w)), 2)
	added := partsAlong(b, b.MatMul(e, x), 2)
	list := []*graph.Node{b.Expand(b.Float(0), added[0].Shape...), added[0]}
	for i := 1; i < len(added)-1; i++ {
		list = append(list, b.Add(b.MatMul(kept[i], list[i]), added[i]))
	}
	for i := range list {
		list[i] = b.Unsqueeze(list[i], 2)
	}
	return b.Concat(2, list...)
}

// chunkOf returns the length of the chunks of a sequence: the greatest that divides it, and is no longer than longest.
func chunkOf(length, longest int) int {
	n := min(length, longest)
	for length%n != 0 {
		n--
	}
	return n
}

// unitInverse returns (I + a)⁻¹ for a [..., n, n] with numbers below the diagonal alone.
// Each block of one row on the diagonal is its own inverse; each round joins pairs of them:
//
//	⎡P 0⎤⁻¹   ⎡   P⁻¹       0 ⎤
//	⎣R Q⎦   = ⎣−Q⁻¹ R P⁻¹  Q⁻¹⎦
//
// The series of powers of a would be shorter to write, but is useless in float32: keys that
// are alike make powers as large as 3ⁿ, whose sum is of order 1.
func unitInverse(b *graph.Builder, a *graph.Node, n int) *graph.Node {
	inverse := pattern(b, n, func(i, j int) bool { return i == j })
	for size := 1; size < n; size *= 2 {
		corner := b.Mul(a, pattern(b, n, func(i, j int) bool { return i/size%2 == 1 && j/size == i/size-1 })) // R
		if size > 1 {
			corner = b.MatMul(b.MatMul(inverse, corner), inverse)
		}
		inverse = b.Sub(inverse, corner)
	}
	return inverse
}

// pattern returns a matrix [n,n] with 1 where it is wanted, and 0 elsewhere.
func pattern(b *graph.Builder, n int, want func(i, j int) bool) *graph.Node {
	t := tensor.New(tensor.Float32, n, n)
	for i := range n {
		for j := range n {
			if want(i, j) {
				tensor.Data[float32](t)[i*n+j] = 1
			}
		}
	}
	return b.Const(t)
}
