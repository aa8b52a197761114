package analysis

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/lists"
)

// heads observes what each head attends to, by layer.
func (r request) heads(ctx context.Context, onSequence func()) ([]eval.Observation, error) {
	sequences, err := r.sequences(ctx)
	if err != nil {
		return nil, err
	}
	return r.attention(ctx, sequences, onSequence)
}

// attention observes the heads on sequences, which it sorts.
func (r request) attention(ctx context.Context, sequences []eval.Sequence, onSequence func()) ([]eval.Observation, error) {
	m := r.model
	all := make([]head, len(m.layers)*m.heads)
	for i := range all {
		all[i].rng = rand.New(rand.NewPCG(r.seed, uint64(i)))
	}
	correct := 0
	// A group has sequences with their queries at the same places; its sums alone are kept.
	slices.SortStableFunc(sequences, compareShapes)
	for from := 0; from < len(sequences); {
		first, tokens := sequences[from], len(sequences[from].IDs)-1
		groups := lists.Make(len(all), func(int) *group { return newGroup(first.Prompt-1, tokens) })
		for ; from < len(sequences) && compareShapes(sequences[from], first) == 0; from++ {
			in, err := r.read(ctx, sequences[from], readOptions{})
			if err != nil {
				return nil, err
			}
			mistake := -1
			if r.tokens == eval.TaskTokens {
				if mistake = firstMistake(&in, sequences[from]); mistake < 0 {
					correct++
				}
			}
			match := newMatches(in.ids)
			for i := range all {
				all[i].add(groups[i], &in, i/m.heads, i%m.heads, match, mistake)
				if r.maps && all[i].weights == nil {
					all[i].weights = shrink(&in, i/m.heads, i%m.heads)
				}
			}
			onSequence()
		}
		for i := range all {
			all[i].end(groups[i])
		}
	}
	var out []eval.Observation
	for i := range all {
		o := r.observation(m.layers[i/m.heads], len(sequences), longest(sequences))
		o.Head, o.Heads, o.Series = i%m.heads, m.heads, all[i].weights
		if r.tokens == eval.TaskTokens {
			o.Values["correct"] = float64(correct)
		}
		all[i].result(&o)
		out = append(out, o)
	}
	return out, nil
}

// firstMistake is the first query with the greatest logit for a wrong token, −1 for none.
func firstMistake(in *inside, s eval.Sequence) int {
	for t := s.Prompt - 1; t < len(in.ids); t++ {
		if in.predicts(t) != s.IDs[t+1] {
			return t
		}
	}
	return -1
}

// head sums what one head attends to over sequences.
type head struct {
	rng        *rand.Rand
	all, first distances // over all queries; over first mistakes
	mass       float64
	queries    int
	fixed      fixed

	duplicate, induction tally
	position, content    float64 // variances of weights by position and by content, times sequences
	grouped              bool    // two sequences have equally many tokens

	weights [][]float64 // of one sequence, where asked for
}

// group sums the weights of a head over sequences whose queries are at the same places.
type group struct {
	n       int
	from    int         // first query
	sum     [][]float64 // by query, for the keys 0 … t
	squares []float64   // by query

	duplicate, induction []content // by query
}

// content sums the weights of a query on keys that content points at.
type content struct {
	score float64 // over sequences
	keys  []int   // of all sequences
	n     int     // sequences that have such keys
}

func newGroup(from, tokens int) *group {
	queries := tokens - from
	g := &group{from: from, squares: make([]float64, queries), duplicate: make([]content, queries), induction: make([]content, queries)}
	for t := from; t < tokens; t++ {
		g.sum = append(g.sum, make([]float64, t+1))
	}
	return g
}

// add takes the weights of a sequence. mistake is its first query with a wrong answer, −1 for none.
func (h *head) add(g *group, in *inside, layer, number int, m matches, mistake int) {
	g.n++
	for i := range g.sum {
		t := g.from + i
		weights := in.row(layer, number, t)
		mass := sumOf(weights)
		for j, w := range weights {
			g.sum[i][j] += float64(w)
			g.squares[i] += float64(w) * float64(w)
		}
		h.mass += mass
		h.queries++
		h.all.add(weights, mass)
		if t == mistake {
			h.first.add(weights, mass)
		}
		h.fixed.add(weights, mass, h.rng)
		g.duplicate[i].add(weights, m.duplicate[t])
		g.induction[i].add(weights, m.induction[t])
	}
}

func (c *content) add(weights []float32, keys []int) {
	if len(keys) == 0 {
		return
	}
	for _, j := range keys {
		c.score += float64(weights[j])
	}
	c.keys = append(c.keys, keys...)
	c.n++
}

// end adds a group's sums. A single sequence does not tell position from content.
func (h *head) end(g *group) {
	if g.n < 2 {
		return
	}
	h.grouped = true
	n := float64(g.n)
	for i, sum := range g.sum {
		between, within, mean := 0.0, g.squares[i], 0.0
		for _, s := range sum {
			mean += s / n / float64(len(sum))
		}
		for _, s := range sum {
			between += n * (s/n - mean) * (s/n - mean)
			within -= s * s / n
		}
		within = max(within, 0) / (n - 1)
		h.content += n * within
		h.position += between - within // n times the variance of the means, less their errors'
		h.duplicate.add(g.duplicate[i].scores(sum, n))
		h.induction.add(g.induction[i].scores(sum, n))
	}
}

// scores are a query's weights on the keys, and the mean weights of the other sequences at the same keys.
func (c *content) scores(sum []float64, n float64) (score, control float64, sequences int) {
	all := 0.0
	for _, j := range c.keys {
		all += sum[j]
	}
	return c.score, (all - c.score) / (n - 1), c.n
}

// flat is the variance of a query's weights below which rounding alone parts them.
const flat = 1e-12

// result sets the numbers and controls.
func (h *head) result(o *eval.Observation) {
	o.Values["mass"] = h.mass / float64(max(h.queries, 1))
	h.all.result(o, "")
	if h.first.queries > 0 {
		h.first.result(o, "mistake_")
	}
	h.fixed.previous.role(o, eval.RolePrevious)
	h.fixed.first.role(o, eval.RoleFirst)
	h.fixed.even.role(o, eval.RoleEven)
	h.duplicate.role(o, eval.RoleDuplicate)
	h.induction.role(o, eval.RoleInduction)
	h.fixed.offset.role(o, eval.RoleOffset)
	h.fixed.position.role(o, eval.RolePosition)
	if !h.grouped {
		return
	}
	o.Values["positional"] = 1
	if total := max(h.position, 0) + h.content; total > flat*float64(h.queries) {
		o.Values["positional"] = max(h.position, 0) / total
	}
}
