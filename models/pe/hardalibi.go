package pe

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// hardALiBi gives the first heads windows, and leaves the others without an encoding:
// windowed head h, counted from 0, sees the distances 0 … h and nothing farther (Jelassi
// et al. 2024, arXiv 2402.01032; sjelassi/transformers_ssm_copy, hard_alibi_model.py). All
// keys are cached, those that are outside of a head's window too.
type hardALiBi struct {
	NoPE
	heads, windowed int
}

// hardALiBiSettings are the settings.
type hardALiBiSettings struct {
	// The paper has 8 windows for 16 heads.
	Windowed int `json:"windowed" about:"number m of heads with a window; default half of the heads, rounded down"`
}

func newHardALiBi(d Dims, p hardALiBiSettings) (Encoding, error) {
	p.Windowed = cmp.Or(p.Windowed, d.Heads/2)
	if p.Windowed < 1 || p.Windowed > d.Heads {
		return nil, fmt.Errorf("windowed %d: want 1 to %d, the number of heads", p.Windowed, d.Heads)
	}
	return hardALiBi{heads: d.Heads, windowed: p.Windowed}, nil
}

// outside stands for −∞ in a bias. It is finite, as the decoder's mask is, and no logit
// that is added to it shows.
const outside = -1e9

// Bias implements Encoding: 0 within a head's window, and outside it −10⁹, [1,H,T,S].
func (e hardALiBi) Bias(s *Site) *graph.Node {
	reach := make([]int64, e.heads)
	for h := range reach {
		reach[h] = math.MaxInt32
		if h < e.windowed {
			reach[h] = int64(h)
		}
	}
	far := s.B.Greater(s.Distances(), s.B.Const(tensor.Of(reach, 1, e.heads, 1, 1)))
	return s.B.Where(far, s.B.Float(outside), s.B.Float(0))
}
