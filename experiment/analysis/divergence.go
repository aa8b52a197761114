package analysis

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/eval"
)

// Diverge compares the attention of m with that of another model that reads the same tokens: a
// finding for each layer, over all queries of the sequences. A length that m, the other model or
// the task does not have gives one finding with NA set.
func Diverge(ctx context.Context, m, other *Model, r Request, onSequence func()) ([]eval.Finding, error) {
	err := r.Check()
	if err == nil {
		err = sameShape(m, other)
	}
	if err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	found, err := diverge(ctx, m, other, r, onSequence)
	if unavailable(err) {
		f := r.finding(m, eval.FindDivergence)
		f.NA, f.Reason, f.Divergence = true, err.Error(), with(other)
		return []eval.Finding{f}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("analysis: models %s and %s: task %s: length %d: %w", m.Label, other.Label, r.Task.Name,
			r.Length, err)
	}
	return found, nil
}

// sameShape wants layers of both to stand beside one another, and tokens that mean the same.
func sameShape(m, other *Model) error {
	if !slices.Equal(m.Layers, other.Layers) {
		return fmt.Errorf("%s has attention in the layers %v, and %s in %v: which ones to compare is not known; "+
			"compare models of equally many layers", m.Label, m.Layers, other.Label, other.Layers)
	}
	if !slices.Equal(m.Card.Tokenizer, other.Card.Tokenizer) {
		return fmt.Errorf("%s and %s have other tokens; compare models of one task", m.Label, other.Label)
	}
	return nil
}

func with(other *Model) *eval.Divergence {
	return &eval.Divergence{With: other.Label, Encoding: other.Card.Name(), Seed: other.Card.Seed,
		DataSeed: other.Card.DataSeed}
}

// apart sums over sequences what is least over pairs of heads.
type apart struct{ js, published, null float64 }

func diverge(ctx context.Context, m, other *Model, r Request, onSequence func()) ([]eval.Finding, error) {
	sequences, err := r.sequences(ctx, m)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(r.Seed, uint64(r.Length)))
	sums := make([]apart, len(m.Layers))
	longest := 0
	for _, s := range sequences {
		a, err := r.read(ctx, m, s)
		if err != nil {
			return nil, err
		}
		b, err := r.read(ctx, other, s)
		if err != nil {
			return nil, err
		}
		for layer := range sums {
			sums[layer].add(&a, &b, layer, m.Heads, other.Heads, rng)
		}
		longest = max(longest, len(a.ids))
		if onSequence != nil {
			onSequence()
		}
	}
	var out []eval.Finding
	for layer, sum := range sums {
		f, n := r.finding(m, eval.FindDivergence), float64(len(sequences))
		f.Layer, f.N, f.SequenceTokens, f.Divergence = m.Layers[layer], len(sequences), longest, with(other)
		f.Divergence.JensenShannon, f.Divergence.Null = max(sum.js/n, 0), max(sum.null/n, 0)
		if published := sum.published / n; !math.IsInf(published, 0) {
			f.Divergence.Published = &published
		}
		out = append(out, f)
	}
	return out, nil
}

func (s *apart) add(a, b *inside, layer, heads, others int, rng *rand.Rand) {
	shuffled := shuffledRows(b, layer, others, rng)
	least := apart{math.Inf(1), math.Inf(1), math.Inf(1)}
	for h := range heads {
		for g := range others {
			var pair apart
			for t := range a.ids {
				p, q := a.row(layer, h, t), b.row(layer, g, t)
				pair.js += jensenShannon(p, q)
				pair.null += jensenShannon(p, shuffled[g][t])
				if g < h {
					pair.published += published(p, q)
				}
			}
			least.js, least.null = min(least.js, pair.js), min(least.null, pair.null)
			if g < h {
				least.published = min(least.published, pair.published)
			}
		}
	}
	n := float64(len(a.ids))
	s.js, s.null, s.published = s.js+least.js/n, s.null+least.null/n, s.published+least.published/n
}

// shuffledRows are the weights of each head and query in random order.
func shuffledRows(in *inside, layer, heads int, rng *rand.Rand) [][][]float32 {
	out := make([][][]float32, heads)
	for h := range out {
		for t := range in.ids {
			row := slices.Clone(in.row(layer, h, t))
			rng.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
			out[h] = append(out[h], row)
		}
	}
	return out
}

// jensenShannon is ½KL(P‖M) + ½KL(Q‖M) of weights divided by their sum, in nats; without any
// weight on one side, that is as far apart as can be, unless there is none on either.
func jensenShannon(p, q []float32) float64 {
	a, b := sumOf(p), sumOf(q)
	if a <= 0 || b <= 0 {
		if a == b {
			return 0
		}
		return math.Ln2
	}
	sum := 0.0
	for i := range p {
		x, y := float64(p[i])/a, float64(q[i])/b
		mean := (x + y) / 2
		if x > 0 {
			sum += x * math.Log(x/mean)
		}
		if y > 0 {
			sum += y * math.Log(y/mean)
		}
	}
	return sum / 2
}

// published is ½KL(M‖P) + ½KL(M‖Q), which the code of Kazemnejad et al. 2023 computes where the
// paper has jensenShannon: infinite where one of them is 0 and the other is not.
func published(p, q []float32) float64 {
	a, b := sumOf(p), sumOf(q)
	if a <= 0 || b <= 0 {
		return math.Inf(1)
	}
	sum := 0.0
	for i := range p {
		x, y := float64(p[i])/a, float64(q[i])/b
		if mean := (x + y) / 2; mean > 0 {
			sum += mean * (math.Log(mean/x) + math.Log(mean/y))
		}
	}
	return sum / 2
}

func sumOf(weights []float32) (sum float64) {
	for _, w := range weights {
		sum += float64(w)
	}
	return sum
}
