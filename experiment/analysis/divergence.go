package analysis

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/eval"
)

// diverge observes in each layer how far the attention of the other model is apart.
func (r request) diverge(ctx context.Context, onSequence func()) ([]eval.Observation, error) {
	sequences, err := r.sequences(ctx)
	if err != nil {
		return nil, err
	}
	rng := r.rng()
	sums := make([]apart, len(r.model.layers))
	for _, s := range sequences {
		a, err := r.read(ctx, s, readOptions{})
		if err != nil {
			return nil, err
		}
		b, err := r.other.read(ctx, a.ids, readOptions{})
		if err != nil {
			return nil, err
		}
		for layer := range sums {
			sums[layer].add(&a, &b, layer, r.model.heads, r.other.heads, rng)
		}
		onSequence()
	}
	var out []eval.Observation
	for layer, sum := range sums {
		o, n := r.observation(r.model.layers[layer], len(sequences), longest(sequences)), float64(len(sequences))
		o.Values["js"], o.Control["js"] = sum.js/n, sum.null/n
		if published := sum.published / n; !math.IsInf(published, 0) {
			o.Values["js_published"] = published
		}
		out = append(out, o)
	}
	return out, nil
}

// sameShape wants equally many layers with attention, and one vocabulary.
func sameShape(m, other *Model) error {
	if !slices.Equal(m.layers, other.layers) {
		return fmt.Errorf("%s has attention in the layers %v, and %s in %v: which ones to compare is not known; "+
			"compare models of equally many layers", m.Label, m.layers, other.Label, other.layers)
	}
	if !slices.Equal(m.Card.Tokenizer, other.Card.Tokenizer) {
		return fmt.Errorf("%s and %s have other tokens; compare models of one task", m.Label, other.Label)
	}
	return nil
}

// apart sums the least divergences over pairs of heads, over sequences.
type apart struct{ js, published, null float64 }

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

// jensenShannon is ½KL(P‖M) + ½KL(Q‖M) of weights divided by their sum, in nats: its greatest, ln 2, where one side alone has no
// weight.
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
	return max(sum/2, 0) // rounding may leave less than 0 of nearly equal weights
}

// published is ½KL(M‖P) + ½KL(M‖Q), as the code of Kazemnejad et al. 2023 computes it where the paper has jensenShannon: infinite
// where one weight alone is 0.
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
