package pe

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// xpos is RoPE whose pairs also fade with the distance: the pair of query t and key j has
// the factor ζ_c^((t−j)/B) in pair c of n, ζ_c = (c/n + 0.4)/1.4 (Sun et al. 2022, arXiv
// 2212.10554; microsoft/torchscale, xpos_relative_position.py). The query
// carries ζ_c^((t−m)/B) and the key its inverse at j, so that keys are cached once and
// for all. The product does not depend on m, the position where both are 1; torchscale
// puts it in the middle of the sequence, which moves while a sequence grows. Here it is
// the middle of the longest sequence: 80·B tokens, where factors reach e^±50. With m = 0
// half as many tokens would reach as large ones. The price is the rounding of exponents at the
// start of a text, where products are off by 4e-6 of their size, against 1e-6 with m = 0.
type xpos struct {
	rope
	base int
}

// xposSettings are the settings.
type xposSettings struct {
	Theta  float64 `json:"theta" about:"base of the frequencies, as in rope; default 10000"`
	Layout string  `json:"layout" about:"pairs of features, as in rope"` // torchscale has "interleaved"
	// The default is the paper's, which trains on 1024 tokens. The longest sequence is 80 times as long.
	ScaleBase int `json:"scale_base" about:"B, in tokens; default 512"`
}

// xposSpan is the longest sequence in units of the scale base.
const xposSpan = 80

func newXPos(d Dims, p xposSettings) (Encoding, error) {
	p.ScaleBase = cmp.Or(p.ScaleBase, 512)
	if most := maxPositions / xposSpan; p.ScaleBase < 1 || p.ScaleBase > most {
		return nil, fmt.Errorf("scale_base %d: want 1 to %d", p.ScaleBase, most)
	}
	r, err := newRoPE(d, ropeSettings{Theta: p.Theta, Layout: p.Layout})
	if err != nil {
		return nil, err
	}
	return xpos{rope: r.(rope), base: p.ScaleBase}, nil
}

// MaxLength implements Bounded.
func (x xpos) MaxLength() int { return xposSpan * x.base }

// QK implements Encoding: both are rotated, the query multiplied by ζ^((t−m)/B), and the
// key divided by it.
func (x xpos) QK(s *Site, q, k *graph.Node) (*graph.Node, *graph.Node) {
	q, k = x.rope.QK(s, q, k)
	rate := make([]float64, x.head) // ln(ζ)/B of each feature
	for c, n := 0, x.width/2; c < n; c++ {
		i, j := x.pair(c)
		rate[i] = math.Log((float64(c)/float64(n)+0.4)/1.4) / float64(x.base)
		rate[j] = rate[i]
	}
	pos := s.B.Cast(s.Positions(), tensor.Float32)
	fromMiddle := s.B.Unsqueeze(s.B.Sub(pos, s.B.Float(float64(x.MaxLength()/2))), 1, 3) // [B,1,T,1]
	factor := s.B.Exp(s.B.Mul(fromMiddle, constant(s.B, rate, 1, 1, 1, x.head)))         // [B,1,T,K]
	return s.B.Mul(q, factor), s.B.Div(k, factor)
}
