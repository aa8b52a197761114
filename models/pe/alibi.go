package pe

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// alibi lowers the logit of query t and key j by m_h·(t − j), with a fixed slope
// m_h per head (Press, Smith & Lewis 2021, arXiv 2108.12409, section 3).
// It uses slot distances, not the m_h·j shortcut, which padding would shift.
type alibi struct {
	NoPE
	slopes []float64
}

// alibiSettings are ALiBi's settings.
type alibiSettings struct {
	// Falcon has a factor of d_head^−½, since it scales the bias with the scores.
	Factor float64 `json:"factor,omitempty" about:"multiplies all slopes; default 1"`
}

func newALiBi(d Dims, p alibiSettings) (Encoding, error) {
	p.Factor = cmp.Or(p.Factor, 1)
	if !(p.Factor > 0 && p.Factor <= maxScaling) {
		return nil, fmt.Errorf("factor %v: want a positive number up to %d", p.Factor, maxScaling)
	}
	return alibi{slopes: lists.Map(ALiBiSlopes(d.Heads), func(m float64) float64 { return m * p.Factor })}, nil
}

// ALiBiSlopes returns the slopes of h heads: 2^(−8i/h), i = 1 … h, when h is a
// power of two. Otherwise the slopes of the largest power of two P below h, followed
// by the 1st, 3rd, … slope of the 2P series.
func ALiBiSlopes(heads int) []float64 {
	p := 1
	for 2*p <= heads {
		p *= 2
	}
	var m []float64
	for i := range p {
		m = append(m, math.Exp2(-8*float64(i+1)/float64(p)))
	}
	for i := range heads - p {
		m = append(m, math.Exp2(-8*float64(2*i+1)/float64(2*p)))
	}
	return m
}

// Bias implements Encoding: −m_h·(t − j), [1,H,T,S].
func (a alibi) Bias(s *Site) *graph.Node {
	slopes := lists.Map(a.slopes, func(m float64) float64 { return -m })
	m := constant(s.B, slopes, 1, len(slopes), 1, 1)
	return s.B.Mul(s.B.Cast(s.Distances(), tensor.Float32), m)
}

// HeadSlopes implements Sloped.
func (a alibi) HeadSlopes() []float64 { return a.slopes }
