package eval

import (
	"errors"
	"fmt"
)

// Causal says whether a model uses the position that probes read off its hidden states after a number of
// layers. The first direction is that of the ridge regression of Probe; each next one is that of a regression on states
// without those before it, until one reads no more than Taken of the first, or there are 16. What each state has in these directions
// is replaced, and the rest of the model runs on what is left; beside it each state is moved as far in directions that were drawn
// at random, others for each sequence.
type Causal struct {
	FitLength int     `json:"fit_length"` // the task's measure, as Finding.Length
	FitStates int     `json:"fit_states"`
	R2        float64 `json:"r2"` // of the first regression, at this length
	// Directions is how many were taken; absent from files of before, which have one.
	Directions int `json:"directions,omitempty"`
	// R2After is that of a regression that was fitted without all of them: what else tells the position. Where it is as
	// large as R2, little was taken away, and a task that goes on says nothing.
	R2After float64 `json:"r2_after"`

	Before         CausalScore `json:"before"`
	Ablated        CausalScore `json:"ablated"` // what is along them is the mean over the states fitted on
	AblatedControl CausalScore `json:"ablated_control"`
	Patched        CausalScore `json:"patched"` // what is along them is that of another token of the sequence
	PatchedControl CausalScore `json:"patched_control"`
}

// Taken is the share of R2 up to which R2After says that the position was taken away.
const Taken = 0.5

// CausalScore counts what has the greatest logit after the right tokens before.
type CausalScore struct {
	Correct       int `json:"correct"`        // sequences of Finding.N with nothing wrong
	TokensCorrect int `json:"tokens_correct"` // of Tokens
	Tokens        int `json:"tokens"`         // of the answers, end tokens included
}

// Share is the share of the answers' tokens that are right, 0 where there are none.
func (s CausalScore) Share() float64 { return float64(s.TokensCorrect) / float64(max(s.Tokens, 1)) }

func (c *Causal) check(n int) error {
	for _, s := range []CausalScore{c.Before, c.Ablated, c.AblatedControl, c.Patched, c.PatchedControl} {
		if !possible(s.Correct, n) || !possible(s.TokensCorrect, s.Tokens) {
			return fmt.Errorf("%d correct of %d, or %d tokens of %d, is impossible", s.Correct, n, s.TokensCorrect, s.Tokens)
		}
	}
	if c.Directions < 0 {
		return fmt.Errorf("directions are %d", c.Directions)
	}
	for _, v := range []float64{c.R2, c.R2After} {
		if !(v <= 1+1e-9 && v >= -mostOfAnything) {
			return errors.New("r2 is not a number of at most 1")
		}
	}
	return nil
}
