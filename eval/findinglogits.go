package eval

import (
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
