package summary

import (
	"math"
	"slices"

	"github.com/nopezoo/zoo/eval"
)

// cell is the rows of one model on one task at one length. Ratios lie in 0..1.
type cell struct {
	n                   int     // different prompts; 0 if the length was not available
	accuracy, low, high float64 // by the measure: exact match, or tokens right (byTokens)
	tokenAccuracy       float64 // NaN where the targets have no tokens
	editDistance        float64
	loss                float64 // NaN where one is not finite
	chance              float64 // accuracy of a guesser
}

// latest returns rows, in their order, without those that were measured again later in the same place.
func latest(rows []eval.Row) (kept []eval.Row, replaced int) {
	type place struct {
		eval.Key
		model, encoding, ort string
		spinning, untimed    bool
	}
	seen := map[place]bool{}
	for _, r := range slices.Backward(rows) {
		k := place{r.Key(), r.Model, r.Encoding, r.ORTVersion, r.Spinning, r.Untimed}
		k.Schema, k.N, k.Warmup, k.Repeats = 0, 0, 0, 0 // how much was measured
		if seen[k] {
			replaced++
			continue
		}
		seen[k] = true
		kept = append(kept, r)
	}
	slices.Reverse(kept)
	return kept, replaced
}

// pool adds up rows of one model on one task at one length, wherever they were measured. Of one seed's rows, which hold the
// same prompts, the one with the most counts, of equals the last. A row of all prompts leaves nothing to add. Other seeds have
// a few prompts in common: n is the expected number of different ones.
func pool(rows []eval.Row) cell {
	var best []eval.Row // one for each seed and depth
	for _, r := range rows {
		if r.N == 0 {
			continue
		}
		i := slices.IndexFunc(best, func(o eval.Row) bool { return o.Seed == r.Seed && depthOf(o) == depthOf(r) })
		switch {
		case i < 0:
			best = append(best, r)
		case different(r) >= different(best[i]):
			best = append(slices.Delete(best, i, i+1), r)
		}
	}
	most := -1
	for i, r := range best {
		if most < 0 || different(r) >= different(best[most]) {
			most = i
		}
	}
	if most >= 0 && holdsAll(best[most]) {
		best = best[most : most+1]
	}
	return pooled(best)
}

// pooled adds rows up that hold different samples.
func pooled(rows []eval.Row) cell {
	var c cell
	var samples, correct, tokens, tokensCorrect, held, there int
	for _, r := range rows {
		samples += r.N
		correct += r.Correct
		tokens += r.Tokens
		tokensCorrect += r.TokensCorrect
		c.editDistance += r.EditDistance * float64(r.N)
		c.chance = r.Chance
		if r.Loss == nil {
			c.loss = math.NaN()
		} else {
			c.loss += *r.Loss * float64(r.Tokens)
		}
		held += different(r)
		there = max(there, prompts(r))
	}
	if c.n = held; len(rows) > 1 && there > 0 {
		missed := 1.0 // the probability that a prompt is in none of the rows
		for _, r := range rows {
			missed *= 1 - min(1, float64(different(r))/float64(there))
		}
		c.n = int(math.Round((1 - missed) * float64(there)))
	}
	c.accuracy = ratio(correct, samples)
	c.low, c.high = eval.Wilson(c.accuracy, float64(c.n))
	c.editDistance /= float64(max(samples, 1))
	c.loss /= float64(max(tokens, 1))
	if c.tokenAccuracy = math.NaN(); tokens > 0 {
		c.tokenAccuracy = ratio(tokensCorrect, tokens)
	}
	return c
}

// byTokens is the cell with tokens right in the place of exact match. A sequence's tokens hang together: the interval is of
// prompts.
func (c cell) byTokens() cell {
	c.accuracy, c.chance = c.tokenAccuracy, 0
	if c.low, c.high = eval.Wilson(c.accuracy, float64(c.n)); math.IsNaN(c.accuracy) {
		c.low, c.high = 0, 1
	}
	return c
}

// different is the number of different prompts; rows of schema 1 may repeat some.
func different(r eval.Row) int {
	if r.Distinct > 0 {
		return min(r.N, r.Distinct)
	}
	return r.N
}

// prompts is the number of different prompts that there are, 0 for unknown. A row of schema 1 that repeats some holds all.
func prompts(r eval.Row) int {
	if r.Schema == 1 && different(r) < r.N {
		return different(r)
	}
	return r.Prompts
}

// holdsAll reports whether the samples are all there are.
func holdsAll(r eval.Row) bool { return prompts(r) > 0 && prompts(r) <= different(r) }

// ratio returns k/n, or 0 for n = 0.
func ratio(k, n int) float64 { return float64(k) / float64(max(n, 1)) }
