package analysis

import (
	"math"
	"math/rand/v2"

	"github.com/nopezoo/zoo/eval"
)

// tally is a mean of scores beside that of their null model.
type tally struct {
	score, null float64
	n           int
}

func (y *tally) add(score, null float64) {
	y.score += score
	y.null += null
	y.n++
}

func (y *tally) role() eval.Role {
	if y.n == 0 {
		return eval.Role{}
	}
	n := float64(y.n)
	return eval.Role{Score: y.score / n, Null: y.null / n, Queries: y.n}
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

// role is the best place that at least half of the queries see, beside the null model's best.
func (p *places) role() eval.Role {
	var out eval.Role
	for at, n := range p.n {
		if 2*n < p.queries {
			continue
		}
		score, null := p.score[at]/float64(n), p.null[at]/float64(n)
		if out.Queries == 0 || score > out.Score {
			out.Score, out.At, out.Queries = score, at, n
		}
		out.Null = max(out.Null, null)
	}
	return out
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

// label is the role that stands out most.
func label(roles map[string]eval.Role) string {
	best, excess := eval.RoleMixed, eval.LabelExcess
	for _, name := range eval.Roles() {
		if e := roles[name].Excess(); e > excess+1e-9 || e >= excess && best == eval.RoleMixed {
			best, excess = name, e
		}
	}
	return best
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
