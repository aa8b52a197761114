package analysis

import (
	"math"
	"math/rand/v2"

	"github.com/nopezoo/zoo/eval"
)

// tally is a mean of scores beside the mean of their controls.
type tally struct {
	score, null float64
	n           int
}

func (y *tally) add(score, null float64) {
	y.score += score
	y.null += null
	y.n++
}

// role sets the mean beside its control; nothing of no queries.
func (y *tally) role(o *eval.Observation, name string) {
	if n := float64(y.n); n > 0 {
		o.Values[name], o.Control[name], o.Values[name+"_queries"] = y.score/n, y.null/n, n
	}
}

// places gathers weights by a fixed distance, or by a fixed position.
type places struct {
	score, null []float64
	n           []int
	queries     int
}

func (p *places) add(at int, score, null float64) {
	for len(p.n) <= at {
		p.score, p.null, p.n = append(p.score, 0), append(p.null, 0), append(p.n, 0)
	}
	p.score[at] += score
	p.null[at] += null
	p.n[at]++
}

// role sets the best place that at least half of the queries see, beside the best of shuffled weights.
func (p *places) role(o *eval.Observation, name string) {
	best, null, queries, at := 0.0, 0.0, 0, 0
	for place, n := range p.n {
		if 2*n < p.queries {
			continue
		}
		if score := p.score[place] / float64(n); queries == 0 || score > best {
			best, queries, at = score, n, place
		}
		null = max(null, p.null[place]/float64(n))
	}
	if queries > 0 {
		o.Values[name], o.Control[name], o.Values[name+"_queries"], o.Values[name+"_at"] = best, null, float64(queries), float64(at)
	}
}

// fixed gathers the roles that no token but the query's place decides.
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
		f.previous.add(float64(weights[t-1]), mass/n)
	}
	f.first.add(float64(weights[0]), mass/n)
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
	f.even.add(1-apart/2, 1-math.Pow(1-1/n, n))
}

// matches lists, for each token, the keys before it that its content points at: equal tokens,
// and tokens that follow one.
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
