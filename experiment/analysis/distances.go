package analysis

import (
	"math"

	"github.com/nopezoo/zoo/eval"
)

// distances gathers how far queries look back.
type distances struct {
	queries                        int
	byDistance                     []float64 // weight of all queries, each of which counts alike
	entropy, evenEntropy, evenMean float64
	local, start                   float64
}

// The regions of the paper's figure, of a distance over the tokens that may be seen.
const (
	localBelow = 0.075
	startAbove = 0.825
)

// add takes a query's weights for the keys 0 … t, whose sum is mass.
func (d *distances) add(weights []float32, mass float64) {
	if mass <= 0 {
		return // it attends to nothing
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

// result returns nil where there was no query.
func (d *distances) result() *eval.Distances {
	if d.queries == 0 {
		return nil
	}
	n := float64(d.queries)
	out := eval.Distances{Queries: d.queries, Entropy: max(d.entropy/n, 0), EvenMean: d.evenMean / n,
		EvenEntropy: d.evenEntropy / n, Local: d.local / n, Start: d.start / n}
	for distance, weight := range d.byDistance {
		out.Mean += float64(distance) * weight / n
	}
	out.P10, out.P50, out.P90 = d.quantile(0.1), d.quantile(0.5), d.quantile(0.9)
	return &out
}

// quantile is the least distance up to which lies a share of all weight.
func (d *distances) quantile(share float64) float64 {
	sum, below := 0.0, share*float64(d.queries)*(1-1e-6) // sums of float32 weights are not exactly 1
	for distance, weight := range d.byDistance {
		if sum += weight; sum >= below {
			return float64(distance)
		}
	}
	return float64(len(d.byDistance) - 1)
}
