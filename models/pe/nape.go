package pe

import (
	"cmp"
	"fmt"
)

// napeSettings are the settings of NAPE: the first heads have ALiBi with the slopes 1, 1/2, 1/3, …, and the others
// nothing (Vasylenko et al. 2025, arXiv 2506.16640; deep-spin/asentmax). So some heads are bound to what is near, and the
// others go by content over any distance.
type napeSettings struct {
	Biased int `json:"biased" about:"number m of heads with a slope; default half of the heads, rounded down"`
}

// newNAPE makes an alibi of other slopes: 1/(h+1) for head h < m, counted from 0, and 0 for the others.
func newNAPE(d Dims, p napeSettings) (Encoding, error) {
	p.Biased = cmp.Or(p.Biased, d.Heads/2)
	if p.Biased < 1 || p.Biased > d.Heads {
		return nil, fmt.Errorf("biased %d: want 1 to %d, the number of heads", p.Biased, d.Heads)
	}
	slopes := make([]float64, d.Heads)
	for h := range p.Biased {
		slopes[h] = 1 / float64(h+1)
	}
	return alibi{slopes: slopes}, nil
}
