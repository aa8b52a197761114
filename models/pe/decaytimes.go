package pe

import (
	"cmp"
	"fmt"
	"math"
)

// decayTimes are settings of encodings whose gates let less through with each token in between.
// The decay time of a head is the number of tokens after which e⁻¹ is left.
type decayTimes struct {
	// DecayTimeMin and DecayTimeMax are the times of the first and the last head. The others'
	// lie between, at equal ratios; an only head has the maximum.
	DecayTimeMin float64 `json:"decay_time_min" about:"decay time of the first head, in tokens; default 2"`
	DecayTimeMax float64 `json:"decay_time_max" about:"decay time of the last head, in tokens; default 128"`
}

// minDecayTime leaves hardly a trace of the token before.
const minDecayTime = 0.1

// logits returns for each head the x with which a gate σ(x) has its decay time T, log σ(x) = −1/T
// (the authors of FoX start gates there that do not depend on the token).
func (p decayTimes) logits(heads int) ([]float64, error) {
	first, last := cmp.Or(p.DecayTimeMin, 2), cmp.Or(p.DecayTimeMax, 128)
	if !(first >= minDecayTime && first <= last && last <= maxPositions) {
		return nil, fmt.Errorf("decay_time_min %v and decay_time_max %v: want %v ≤ minimum ≤ maximum ≤ %d",
			first, last, minDecayTime, maxPositions)
	}
	x := make([]float64, heads)
	for h := range x {
		time := last
		if heads > 1 {
			time = first * math.Pow(last/first, float64(h)/float64(heads-1))
		}
		x[h] = -math.Log(math.Expm1(1 / time))
	}
	return x, nil
}
