package runtime

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Sampling says how tokens are chosen. The zero value is greedy: the most
// probable token, of several the one with the lowest id.
type Sampling struct {
	// Temperature divides the logits before the softmax; 0 is greedy.
	Temperature float64

	// TopK leaves only the k most probable tokens; 0 leaves all.
	TopK int

	// TopP leaves only the most probable tokens whose probabilities first sum up
	// to p or more (Holtzman et al. 2020, arXiv 1904.09751), counted after TopK;
	// 0 and 1 leave all.
	TopP float64

	// Seed starts the random numbers. Each row of a batch has a stream of its
	// own, made from the seed and the row's index.
	Seed uint64
}

// Check reports what is out of range, and settings that do not go together.
func (o Sampling) Check() error {
	switch {
	case !(o.Temperature >= 0) || math.IsInf(o.Temperature, 0):
		return fmt.Errorf("temperature is %v, expected 0 (greedy) or a positive number", o.Temperature)
	case o.TopK < 0:
		return fmt.Errorf("top-k is %d, expected 0 (all) or more", o.TopK)
	case !(o.TopP >= 0 && o.TopP <= 1):
		return fmt.Errorf("top-p is %v, expected 0 (all) to 1", o.TopP)
	case o.Temperature == 0 && (o.TopK > 1 || o.TopP > 0 && o.TopP < 1):
		return fmt.Errorf("top-k %d and top-p %v need a temperature above 0: temperature 0 "+
			"always takes the most probable token", o.TopK, o.TopP)
	}
	return nil
}

// sampler chooses tokens of one row. Its memory is reused.
type sampler struct {
	Sampling
	random *rand.Rand
	list   []candidate
}

type candidate struct {
	id     int
	weight float64 // relative to that of the most probable token
}

func newSampler(o Sampling, row int) *sampler {
	return &sampler{Sampling: o, random: rand.New(rand.NewPCG(o.Seed, uint64(row)))}
}

// choose returns a token id for logits [V].
func (s *sampler) choose(logits []float32) (int64, error) {
	best, err := largest(logits)
	if err != nil || s.Temperature == 0 {
		return int64(best), err
	}
	top := float64(logits[best])
	s.list = s.list[:0]
	for id, v := range logits {
		s.list = append(s.list, candidate{id, math.Exp((float64(v) - top) / s.Temperature)})
	}
	s.truncate()
	at := s.random.Float64() * total(s.list)
	for _, c := range s.list {
		if at -= c.weight; at < 0 {
			return int64(c.id), nil
		}
	}
	return int64(best), nil // rounding has left a rest
}

// truncate applies TopK and TopP.
func (s *sampler) truncate() {
	nucleus := s.TopP > 0 && s.TopP < 1
	if s.TopK == 0 && !nucleus {
		return
	}
	slices.SortFunc(s.list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id))
	})
	if s.TopK > 0 {
		s.list = s.list[:min(s.TopK, len(s.list))]
	}
	if !nucleus {
		return
	}
	rest := s.TopP * total(s.list)
	for i, c := range s.list {
		if rest -= c.weight; rest <= 0 {
			s.list = s.list[:i+1]
			return
		}
	}
}

func total(list []candidate) float64 {
	sum := 0.0
	for _, c := range list {
		sum += c.weight
	}
	return sum
}
