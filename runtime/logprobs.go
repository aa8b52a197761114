package runtime

import (
	"errors"
	"fmt"
	"math"
)

// LogProbs are natural logarithms of probabilities at one token of a completion: as the model gives
// them, over all its tokens and before anything of Sampling is applied.
// A token that the model rules out has −∞.
type LogProbs struct {
	Chosen float64        // of the token that was chosen
	Top    []tokenLogProb // of the most probable tokens, the greatest and of equal ones the lowest id first
}

// tokenLogProb is the natural logarithm of the probability of a token.
type tokenLogProb struct {
	ID      int64
	LogProb float64
}

// mostTop is how many tokens a step tells at most, apart from the chosen one.
const mostTop = 1000

func (o GenerateOptions) checkLogProbs() error {
	switch {
	case o.TopLogProbs < 0 || o.TopLogProbs > mostTop:
		return fmt.Errorf("the number of top log-probabilities is %d, expected 0 (none) to %d", o.TopLogProbs, mostTop)
	case o.TopLogProbs > 0 && !o.LogProbs:
		return errors.New("TopLogProbs needs LogProbs")
	}
	return nil
}

// set computes the log-probabilities for a token that was chosen by logits [V], with so many
// at the top. Its memory is reused.
func (l *LogProbs) set(logits []float32, id int64, top int) error {
	greatest, sum, err := softmaxSum(logits)
	if err != nil {
		return err
	}
	log := func(id int64) float64 { return float64(logits[id]) - greatest - math.Log(sum) }
	l.Chosen = log(id)
	l.Top = l.Top[:0]
	if top == 0 {
		return nil
	}
	for id, v := range logits { // LogProb is the logit until all are found
		at := len(l.Top)
		if at == top {
			if float64(v) <= l.Top[at-1].LogProb {
				continue
			}
			at--
		} else {
			l.Top = append(l.Top, tokenLogProb{})
		}
		for ; at > 0 && l.Top[at-1].LogProb < float64(v); at-- {
			l.Top[at] = l.Top[at-1]
		}
		l.Top[at] = tokenLogProb{int64(id), float64(v)}
	}
	for i := range l.Top {
		l.Top[i].LogProb = log(l.Top[i].ID)
	}
	return nil
}
