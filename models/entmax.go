package models

import (
	"github.com/nopezoo/zoo/graph"
)

// entmax is a value of Config.Attention.
const entmax = "entmax"

// entmaxSteps is how many steps of Newton's method find the support of entmax. Of rows of up to 32,768 normal, exponential
// and equal logits of any spread, 5 leave the weights exact to float32, and 4 an error of 1e-4.
const entmaxSteps = 6

// entmax returns the weights of logits [B,H,T,S] over their last axis by 1.5-entmax (Peters et al. 2019, arXiv 1905.05702)
// in the softmax's place:
//
//	w_j = max(z_j/2 − τ, 0)², where τ makes them sum to 1
//
// Keys with z_j/2 ≤ τ get exactly 0. A query that sees no key, because it is padding, gives 0 to all.
//
// ‖max(z/2 − t, 0)‖ falls with t and is convex, so Newton's steps towards the t where it is 1 rise from max z/2 − 1 and
// never pass τ. They only tell which keys have weight. Of these alone τ is a formula, of their number n, mean m and sum of
// squared deviations d: τ = m − √((1 − d)/n). A comparison has no gradient, so none goes back through the steps, and that
// of the formula is exact.
func (p *pass) entmax(logits, visible *graph.Node) *graph.Node {
	b, zero, one := p.b, p.b.Float(0), p.b.Float(1)
	half := b.Mul(b.Where(visible, logits, b.Float(masked)), b.Float(0.5))
	least := b.Sub(b.Max(b.ReduceMax(half, true, 3), b.Float(masked/4)), one) // above all logits where no key is seen
	for range entmaxSteps {
		above := b.Relu(b.Sub(half, least))
		sum, squares := b.ReduceSum(above, true, 3), b.ReduceSum(b.Mul(above, above), true, 3)
		step := b.Div(b.Sub(squares, b.Sqrt(squares)), b.Max(sum, one)) // the sum is 1 or more where a key is seen
		least = b.Add(least, step)
	}
	support := b.Greater(half, least)
	count := b.Max(b.ReduceSum(b.Where(support, one, zero), true, 3), one)
	mean := b.Div(b.ReduceSum(b.Where(support, half, zero), true, 3), count)
	off := b.Where(support, b.Sub(half, mean), zero)
	rest := b.Sub(one, b.ReduceSum(b.Mul(off, off), true, 3))
	threshold := b.Sub(mean, b.Sqrt(b.Div(b.Max(rest, zero), count)))
	root := b.Relu(b.Sub(half, threshold))
	return b.Mul(root, root)
}
