package analysis

import (
	"math"

	"github.com/nopezoo/zoo/eval"
)

// distances sums how far queries look back.
type distances struct {
	queries                        int
	byDistance                     []float64 // weight of all queries, 1 each
	entropy, evenEntropy, evenMean float64
	local, start                   float64
}

// Regions of a distance over the tokens that a query sees (Kazemnejad et al. 2023, figure 5).
const (
	localBelow = 0.075
	startAbove = 0.825
)

// add takes a query's weights for the keys 0 … t, whose sum is mass.
func (d *distances) add(weights []float32, mass float64) {
	if mass <= 0 {
		return // nothing to attend to
	}
	t := len(weights) - 1
	for len(d.byDistance) <= t {
		d.byDistance = append(d.byDistance, 0)
	}
	top := t
	for j, w := range weights {
		p := float64(w) / mass
		d.byDistance[t-j] += p
		if p > 0 {
			d.entropy -= p * math.Log(p)
		}
		if w > weights[top] {
			top = j
		}
	}
	d.queries++
	d.evenEntropy += math.Log(float64(t + 1))
	d.evenMean += float64(t) / 2
	switch share := float64(t-top) / float64(t+1); {
	case share < localBelow:
		d.local++
	case share > startAbove:
		d.start++
	}
}

// result sets the distances, and even attention's as control, under names with a prefix.
func (d *distances) result(o *eval.Observation, prefix string) {
	n := float64(max(d.queries, 1))
	mean := 0.0
	for distance, weight := range d.byDistance {
		mean += float64(distance) * weight / n
	}
	for name, v := range map[string]float64{
		"queries": float64(d.queries), "distance": mean, "distance_p10": d.quantile(0.1), "distance_p50": d.quantile(0.5),
		"distance_p90": d.quantile(0.9), "entropy": max(d.entropy/n, 0), "top_local": d.local / n, "top_start": d.start / n,
	} {
		o.Values[prefix+name] = v
	}
	o.Control[prefix+"distance"], o.Control[prefix+"entropy"] = d.evenMean/n, d.evenEntropy/n
}

// quantile is the least distance with a share of all weight up to it.
func (d *distances) quantile(share float64) float64 {
	sum, below := 0.0, share*float64(d.queries)*(1-1e-6) // sums of float32 weights are not exactly 1
	for distance, weight := range d.byDistance {
		if sum += weight; sum >= below {
			return float64(distance)
		}
	}
	return float64(max(len(d.byDistance)-1, 0))
}
