package pe

import (
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// learnedALiBi is ALiBi with trained slopes: it lowers the logit of query t and
// key j by e^(a_h)·(t − j), one a_h per head, shared by all layers and started
// at the logarithms of ALiBi's slopes (a variant in the code of Kazemnejad et
// al. 2023, arXiv 2305.19466).
type learnedALiBi struct {
	NoPE
	start []float64
	decay bool
}

// learnedALiBiSettings are the settings.
type learnedALiBiSettings struct {
	// The code of Kazemnejad et al. spares only parameters with "bias" in their name, and theirs has
	// none.
	Decay bool `json:"decay" about:"whether weight decay acts on a, which draws the slopes towards 1"`
}

func newLearnedALiBi(d Dims, p learnedALiBiSettings) (Encoding, error) {
	return learnedALiBi{decay: p.Decay, start: lists.Map(ALiBiSlopes(d.Heads), math.Log)}, nil
}

const slopeParam = "log_slope"

// Params implements Encoding: a [H].
func (e learnedALiBi) Params() []Param {
	return []Param{{Name: slopeParam, Shape: []int{len(e.start)}, Init: e.start, Decay: e.decay}}
}

// Bias implements Encoding: −e^(a_h)·(t − j), [1,H,T,S].
func (e learnedALiBi) Bias(s *Site) *graph.Node {
	m := s.B.Neg(s.B.Exp(s.Param(slopeParam)))
	m = s.B.Reshape(m, graph.N(1), graph.N(len(e.start)), graph.N(1), graph.N(1))
	return s.B.Mul(s.B.Cast(s.Distances(), tensor.Float32), m)
}
