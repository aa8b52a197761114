package pe

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// sandwich adds the product of the sinusoids of two positions, which depends on their
// distance r only, and divides it by a number of each head (Chi et al. 2022, arXiv
// 2212.10356): Σ cos(r/10000^(2k/n)) over k = 1 … n/2, divided by 8h/H for heads h = 1 …
// H. It falls with the logarithm of the distance, roughly. At r = 0 the sum is n/2, which is
// taken off it, as NVIDIA NeMo does too: what all keys have alike, the softmax does not see.
type sandwich struct {
	NoPE
	heads int
	freq  []float64 // 10000^(−2k/n)
}

// sandwichSettings are the settings.
type sandwichSettings struct {
	// Features are as many for any width of the model, by default as many as in the paper.
	Features int `json:"features" about:"width n of the sinusoids; default 128"`
}

func newSandwich(d Dims, p sandwichSettings) (Encoding, error) {
	p.Features = cmp.Or(p.Features, 128)
	if p.Features < 2 || p.Features > 1<<12 || p.Features%2 != 0 {
		return nil, fmt.Errorf("features %d: want an even number from 2 to %d", p.Features, 1<<12)
	}
	freq := lists.Make(p.Features/2, func(i int) float64 { return math.Pow(10000, -2*float64(i+1)/float64(p.Features)) })
	return sandwich{heads: d.Heads, freq: freq}, nil
}

// Bias implements Encoding: (Σ cos(rω_k) − n/2)·H/8(h+1), [1 or B,H,T,S]. The sums are made once
// for each distance and looked up, or for each pair where positions are randomized.
func (e sandwich) Bias(s *Site) *graph.Node {
	b, n := s.B, len(e.freq)
	sums := func(r *graph.Node) *graph.Node { // of distances, whose last axis is 1
		cosines := b.Cos(b.Mul(b.Cast(r, tensor.Float32), constant(b, e.freq, n)))
		return b.Sub(b.ReduceSum(cosines, false, -1), b.Float(float64(n)))
	}
	var pairs *graph.Node // [1 or B,1,T,S]
	if s.Randomized {
		pairs = sums(b.Unsqueeze(s.Distances(), 4))
	} else {
		pairs = b.Gather(sums(b.Unsqueeze(s.B.Range(graph.N(0), s.Total), 1)), s.Past(), 0)
	}
	scale := lists.Make(e.heads, func(h int) float64 { return float64(e.heads) / float64(8*(h+1)) })
	return b.Mul(pairs, constant(b, scale, 1, e.heads, 1, 1))
}
