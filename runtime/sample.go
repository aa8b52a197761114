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
//
// The settings work in this order: RepetitionPenalty, FrequencyPenalty and PresencePenalty,
// LogitBias; Temperature; TopK, TopP, MinP, each on the tokens that the one before has left.
// Temperature 0 takes the token with the greatest logit after the penalties and the bias.
type Sampling struct {
	// Temperature divides the logits before the softmax; 0 is greedy.
	Temperature float64

	// TopK leaves only the k most probable tokens; 0 leaves all.
	TopK int

	// TopP leaves only the most probable tokens whose probabilities first sum up
	// to p or more (Holtzman et al. 2020, arXiv 1904.09751), counted after TopK;
	// 0 and 1 leave all.
	TopP float64

	// MinP leaves only the tokens that are at least this times as probable as the most
	// probable one (Nguyen et al. 2024, arXiv 2407.01082); 0 leaves all, 1 the most probable.
	MinP float64

	// RepetitionPenalty divides the logits above 0 of the tokens that the prompt or the
	// completion has, and multiplies their other logits (Keskar et al. 2019, arXiv 1909.05858,
	// section 4.1). 0 and 1 change nothing; above 1 tokens are less often repeated.
	RepetitionPenalty float64

	// FrequencyPenalty is subtracted from a token's logit once for each time that the
	// completion has it, and PresencePenalty once if it has it at all: as in OpenAI's API, where
	// they go from −2 to 2. The prompt's tokens do not count.
	FrequencyPenalty float64
	PresencePenalty  float64

	// LogitBias is added to the logits of token ids; −∞ rules a token out. It is not to be
	// changed during a call.
	LogitBias map[int64]float64

	// Seed starts the random numbers. Each row of a batch has a stream of its
	// own, made from the seed and the row's index: see also GenerateOptions.PerRow.
	Seed uint64
}

// check reports what is out of range, and settings that do not go together.
func (o Sampling) check() error {
	switch {
	case !(o.Temperature >= 0) || math.IsInf(o.Temperature, 0):
		return fmt.Errorf("temperature is %v, expected 0 (greedy) or a positive number", o.Temperature)
	case o.TopK < 0:
		return fmt.Errorf("top-k is %d, expected 0 (all) or more", o.TopK)
	case !(o.TopP >= 0 && o.TopP <= 1):
		return fmt.Errorf("top-p is %v, expected 0 (all) to 1", o.TopP)
	case !(o.MinP >= 0 && o.MinP <= 1):
		return fmt.Errorf("min-p is %v, expected 0 (all) to 1", o.MinP)
	case o.Temperature == 0 && (o.TopK > 1 || o.TopP > 0 && o.TopP < 1 || o.MinP > 0 && o.MinP < 1):
		return fmt.Errorf("top-k %d, top-p %v and min-p %v need a temperature above 0: temperature 0 "+
			"always takes the most probable token", o.TopK, o.TopP, o.MinP)
	}
	return o.checkPenalties()
}

// sampler chooses tokens of one row. Its memory is reused.
type sampler struct {
	Sampling
	penalties
	random *rand.Rand
	list   []candidate
}

type candidate struct {
	id     int
	weight float64 // relative to the most probable token's
}

// newSampler returns the sampler of a row with that prompt, whose random numbers are
// a stream of the seed.
func newSampler(o Sampling, stream int, prompt []int64) *sampler {
	return &sampler{Sampling: o, penalties: newPenalties(o, prompt),
		random: rand.New(rand.NewPCG(o.Seed, uint64(stream)))}
}

// choose returns a token id for logits [V].
func (s *sampler) choose(logits []float32) (int64, error) {
	changed, err := s.change(logits)
	if err != nil {
		return 0, err
	}
	id, err := s.draw(changed)
	if err == nil {
		s.note(id)
	}
	return id, err
}

// draw chooses by the temperature and what follows it.
func (s *sampler) draw(logits []float32) (int64, error) {
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

// truncate applies TopK, TopP and MinP.
func (s *sampler) truncate() {
	nucleus := s.TopP > 0 && s.TopP < 1
	if s.TopK > 0 || nucleus {
		slices.SortFunc(s.list, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id))
		})
	}
	if s.TopK > 0 {
		s.list = s.list[:min(s.TopK, len(s.list))]
	}
	if nucleus {
		rest := s.TopP * total(s.list)
		for i, c := range s.list {
			if rest -= c.weight; rest <= 0 {
				s.list = s.list[:i+1]
				break
			}
		}
	}
	if s.MinP > 0 {
		s.list = slices.DeleteFunc(s.list, func(c candidate) bool { return c.weight < s.MinP })
	}
}

func total(list []candidate) float64 {
	sum := 0.0
	for _, c := range list {
		sum += c.weight
	}
	return sum
}
