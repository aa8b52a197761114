package eval

import (
	"errors"
	"fmt"
	"math"
)

// LogitFit says how much of a head's attention logits is a term of the content plus a term of the relative
// distance (Kazemnejad et al. 2023, theorem 2): the logit of query t and key j is fitted as
//
//	a(t) + c(token t, token j) + f(t−j)
//
// by least squares on one half of the sequences, and tried on the other. a is a constant of each query, which no softmax
// heeds, c any number for two tokens, f any number for a distance. All R² are of what is left of the logits when each
// query's mean is taken off: 1 where they are told exactly, 0 where nothing is, and less for worse.
type LogitFit struct {
	Head  int     `json:"head"`  // counts from 0
	Heads int     `json:"heads"` // of the layer
	Pairs int     `json:"pairs"` // of a query and a key that the fit was tried on
	SD    float64 `json:"sd"`    // of the logits of a query, in nats; where it is 0 there is nothing to tell, and R² is 0

	Distance float64 `json:"r2_distance"` // R² of a + f
	Content  float64 `json:"r2_content"`  // R² of a + c
	Both     float64 `json:"r2_both"`     // R² of a + c + f
	// Null is Both of the same head with its logits shuffled among the keys of each query.
	Null float64 `json:"r2_null"`

	// Shape is f of the fit with both, from distance 0 on, where it is 0. Slope is how much the straight
	// line nearest to it falls with each token of distance, in nats, and Straight that line's R²; both weigh a
	// distance by its pairs, and leave out distance 0.
	Shape    []float64 `json:"shape"`
	Slope    float64   `json:"slope"`
	Straight float64   `json:"r2_straight"`
}

// maxShape bounds LogitFit.Shape.
const maxShape = 1 << 16

func (l *LogitFit) check() error {
	if l.Head < 0 || l.Head >= l.Heads {
		return fmt.Errorf("head is %d of %d", l.Head, l.Heads)
	}
	for _, v := range []float64{l.Distance, l.Content, l.Both, l.Null} {
		if !(v <= 1+1e-9 && v >= -mostOfAnything) {
			return fmt.Errorf("r2 is %g, expected at most 1", v)
		}
	}
	if len(l.Shape) > maxShape {
		return fmt.Errorf("shape has %d distances, expected at most %d", len(l.Shape), maxShape)
	}
	for _, v := range append([]float64{l.SD, l.Slope, l.Straight}, l.Shape...) {
		if !(math.Abs(v) <= mostOfAnything) {
			return fmt.Errorf("sd, slope or shape is %g, expected a number", v)
		}
	}
	return nil
}

// Causal says whether a model uses the position that a probe reads off its hidden states after a number of
// layers. The direction u is that of the ridge regression of Probe, of length 1. Each state's part along u is replaced, and the
// rest of the model runs on what is left; beside it each state is moved as far in a direction that was drawn at
// random, another one for each sequence.
type Causal struct {
	FitLength int     `json:"fit_length"` // the task's measure, as Finding.Length
	FitStates int     `json:"fit_states"`
	R2        float64 `json:"r2"` // of the regression, at this length
	// R2After is that of another regression that was fitted after the part along u was taken away: what else
	// tells the position. Where it is as large as R2, nothing was taken away, and a task that goes on says nothing.
	R2After float64 `json:"r2_after"`

	Before         CausalScore `json:"before"`
	Ablated        CausalScore `json:"ablated"` // the part along u is the mean over the states fitted on
	AblatedControl CausalScore `json:"ablated_control"`
	Patched        CausalScore `json:"patched"` // the part along u is that of another token of the sequence
	PatchedControl CausalScore `json:"patched_control"`
}

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
	for _, v := range []float64{c.R2, c.R2After} {
		if !(v <= 1+1e-9 && v >= -mostOfAnything) {
			return errors.New("r2 is not a number of at most 1")
		}
	}
	return nil
}
