package theory

import (
	"context"
	"math"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

// runner runs a model: it returns the logits of each row of token ids, float32 [tokens, vocabulary].
// A session of package runtime is one.
type runner interface {
	Logits(ctx context.Context, ids [][]int64) ([]*tensor.Tensor, error)
}

// Positions runs a model of Theorem 1 on a sequence of its greatest length, and returns the position that it
// recovers at each t = 1 … Max.
func (m *Model) Positions(ctx context.Context, r runner) ([]float64, error) {
	ids := m.sequence(func(i int) int64 { return m.Words[i%len(m.Words)] })
	logits, err := r.Logits(ctx, [][]int64{ids})
	if err != nil {
		return nil, err
	}
	out := make([]float64, m.Max)
	for i := range out {
		out[i] = float64(tensor.Data[float32](logits[0])[i*m.Config.VocabSize+int(m.Position)])
	}
	return out, nil
}

// pair compares two equal words in one head of a model of Theorem 2.
type pair struct {
	Head     int
	Slope    float64
	Distance int
	// Logits are, for the queries t = Max/2 and t = Max, the attention logit of the word at the distance less
	// the logit of the word at t itself.
	Logits [2]float64
	ALiBi  float64 // what ALiBi's formula gives: −Slope·Distance
	Error  float64 // of the worse of the two logits, absolute
}

// vanishing is the logit difference below which a float32 weight may lose digits.
const vanishing = -60

// Distances runs a model of Theorem 2 on sequences of one word, and compares its attention logits with
// ALiBi: by head, and in each at distances that are powers of two. The logits are read off the attention weights,
// so the distances of a head end where those vanish.
func (m *Model) Distances(ctx context.Context, r runner) ([]pair, error) {
	var out []pair
	for d := 1; d < m.Max/2-1 && -slices.Min(m.Slopes)*float64(d) > vanishing; d *= 2 {
		middle, err := m.against(ctx, r, m.Max/2, d)
		if err != nil {
			return nil, err
		}
		end, err := m.against(ctx, r, m.Max, d)
		if err != nil {
			return nil, err
		}
		for h, slope := range m.Slopes {
			p := pair{Head: h, Slope: slope, Distance: d, ALiBi: -slope * float64(d)}
			p.Logits = [2]float64{middle[h], end[h]}
			if p.ALiBi >= vanishing {
				p.Error = max(math.Abs(p.Logits[0]-p.ALiBi), math.Abs(p.Logits[1]-p.ALiBi))
				out = append(out, p)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b pair) int { return a.Head - b.Head })
	return out, nil
}

// against returns, for each head, the attention logit of query t and the word at distance d, less the logit of the
// equal word at t itself.
func (m *Model) against(ctx context.Context, r runner, t, d int) ([]float64, error) {
	var weights [2][]float32
	for i, marked := range []int{t - 1 - d, t - 1} {
		ids := m.sequence(func(k int) int64 {
			if k == marked {
				return m.Marked[0]
			}
			return m.Words[0]
		})
		logits, err := r.Logits(ctx, [][]int64{ids[:t]})
		if err != nil {
			return nil, err
		}
		weights[i] = tensor.Data[float32](logits[0])[(t-1)*m.Config.VocabSize:]
	}
	out := make([]float64, len(m.Heads))
	for h, token := range m.Heads {
		out[h] = math.Log(float64(weights[0][token]) / float64(weights[1][token]))
	}
	return out, nil
}

// sequence is <bos> and words up to the greatest length.
func (m *Model) sequence(word func(i int) int64) []int64 {
	ids := []int64{m.BOS}
	for i := 1; i < m.Max; i++ {
		ids = append(ids, word(i))
	}
	return ids
}
