package analysis

import (
	"math"
	"math/rand/v2"

	"github.com/nopezoo/zoo/eval"
)

// tally sums scores and their controls.
type tally struct {
	score, control float64
	n              int
}

func (y *tally) add(score, control float64, n int) {
	y.score, y.control, y.n = y.score+score, y.control+control, y.n+n
}

// role sets the means; nothing of no queries.
func (y *tally) role(o *eval.Observation, name string) {
	if n := float64(y.n); n > 0 {
		o.Values[name], o.Control[name], o.Values[name+"_queries"] = y.score/n, y.control/n, n
	}
}

// places sums weights by distance, or by position.
type places struct {
	byPlace []tally
	queries int
}

func (p *places) add(place int, score, control float64) {
	for len(p.byPlace) <= place {
		p.byPlace = append(p.byPlace, tally{})
	}
	p.byPlace[place].add(score, control, 1)
}

// role sets the best place that half of the queries see, and the best of the shuffled weights as control.
func (p *places) role(o *eval.Observation, name string) {
	best, control, bestPlace := 0.0, 0.0, -1
	for place, y := range p.byPlace {
		if 2*y.n < p.queries {
			continue
		}
		if score := y.score / float64(y.n); bestPlace < 0 || score > best {
			best, bestPlace = score, place
		}
		control = max(control, y.control/float64(y.n))
	}
	if bestPlace >= 0 {
		o.Values[name], o.Control[name], o.Values[name+"_queries"], o.Values[name+"_at"] = best, control, float64(p.byPlace[bestPlace].n), float64(bestPlace)
	}
}

// fixed sums the roles that the query's place decides, and no token.
type fixed struct {
	previous, first, even tally
	offset, position      places
	shuffled              []float32
}

// add takes a query's weights for the keys 0 … t, whose sum is mass.
func (f *fixed) add(weights []float32, mass float64, rng *rand.Rand) {
	t := len(weights) - 1
	n := float64(t + 1)
	f.shuffled = append(f.shuffled[:0], weights...)
	rng.Shuffle(len(f.shuffled), func(i, j int) {
		f.shuffled[i], f.shuffled[j] = f.shuffled[j], f.shuffled[i]
	})
	if t > 0 {
		f.previous.add(float64(weights[t-1]), mass/n, 1)
	}
	f.first.add(float64(weights[0]), mass/n, 1)
	f.offset.queries++
	f.position.queries++
	apart := 0.0
	for j, w := range weights {
		f.offset.add(t-j, float64(w), float64(f.shuffled[j]))
		f.position.add(j, float64(w), float64(f.shuffled[j]))
		apart += math.Abs(float64(w) - 1/n)
	}
	// Of Dirichlet(1, …, 1) a weight is Beta(1, n−1), whose mean distance from 1/n is
	// (2/n)(1−1/n)ⁿ.
	f.even.add(1-apart/2, 1-math.Pow(1-1/n, n), 1)
}

// matches lists, for each token, the keys that its content points at: earlier equal tokens, and the tokens after them.
type matches struct {
	duplicate, induction [][]int
}

func newMatches(ids []int64) matches {
	m := matches{make([][]int, len(ids)), make([][]int, len(ids))}
	seen := map[int64][]int{}
	for t, id := range ids {
		m.duplicate[t] = seen[id]
		for _, j := range seen[id] {
			m.induction[t] = append(m.induction[t], j+1) // at most t itself
		}
		seen[id] = append(seen[id], t)
	}
	return m
}
