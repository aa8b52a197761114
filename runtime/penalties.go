package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/nopezoo/zoo/runtime/engine"
)

// The ranges of what changes logits keep the changed ones far within float32.
const (
	mostPenalty    = 100
	mostBias       = 1000
	mostRepetition = 100
)

func (o Sampling) checkPenalties() error {
	if r := o.RepetitionPenalty; r != 0 && !(r >= 1./mostRepetition && r <= mostRepetition) {
		return fmt.Errorf("repetition penalty is %v, expected 1 (none) or another number from %v to %v, or 0 (none)", r,
			1./mostRepetition, mostRepetition)
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"frequency", o.FrequencyPenalty}, {"presence", o.PresencePenalty}} {
		if !(math.Abs(p.value) <= mostPenalty) {
			return fmt.Errorf("%s penalty is %v, expected 0 (none) or another number from %d to %d", p.name, p.value,
				-mostPenalty, mostPenalty)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(o.LogitBias)) {
		if b := o.LogitBias[id]; !(math.Abs(b) <= mostBias || math.IsInf(b, -1)) {
			return fmt.Errorf("the logit bias of token id %d is %v, expected a number from %d to %d, or −∞ (never)", id, b,
				-mostBias, mostBias)
		}
	}
	return nil
}

// checkBias checks the token ids of LogitBias against a vocabulary.
func (o Sampling) checkBias(vocab int) error {
	for _, id := range slices.Sorted(maps.Keys(o.LogitBias)) {
		if id < 0 || id >= int64(vocab) {
			return fmt.Errorf("the logit bias has token id %d, the vocabulary has ids 0 to %d", id, vocab-1)
		}
	}
	return nil
}

// penalties change the logits of one row before a token is chosen.
type penalties struct {
	repetition          float64 // 1 for none
	frequency, presence float64
	bias                map[int64]float64
	seen                map[int64]int // by token id, how often the completion has it, 0 for tokens of the prompt alone; nil where it does not matter
	logits              []float32     // those that are changed: the model's own stay as they are
}

func newPenalties(o Sampling, prompt []int64) penalties {
	p := penalties{repetition: cmp.Or(o.RepetitionPenalty, 1), frequency: o.FrequencyPenalty,
		presence: o.PresencePenalty, bias: o.LogitBias}
	if p.repetition != 1 || p.frequency != 0 || p.presence != 0 {
		p.seen = map[int64]int{}
	}
	if p.repetition != 1 {
		for _, id := range prompt {
			p.seen[id] = 0
		}
	}
	return p
}

// none reports whether the logits stay as they are.
func (p *penalties) none() bool { return p.seen == nil && len(p.bias) == 0 }

// note counts a token that was chosen.
func (p *penalties) note(id int64) {
	if p.seen != nil {
		p.seen[id]++
	}
}

// change returns the logits to choose by. The next call overwrites them.
func (p *penalties) change(logits []float32) ([]float32, error) {
	if p.none() {
		return logits, nil
	}
	if _, err := largest(logits); err != nil {
		return nil, err
	}
	p.logits = append(p.logits[:0], logits...)
	for id, count := range p.seen {
		v := float64(logits[id])
		if v > 0 {
			v /= p.repetition
		} else {
			v *= p.repetition
		}
		if count > 0 {
			v -= p.frequency*float64(count) + p.presence
		}
		p.logits[id] = float32(v)
	}
	for id, bias := range p.bias {
		p.logits[id] = float32(float64(p.logits[id]) + bias)
	}
	if _, err := largest(p.logits); err != nil {
		return nil, engine.Mark(errors.New("the logit bias rules out every token that the model gives a probability"), ErrInput)
	}
	return p.logits, nil
}
