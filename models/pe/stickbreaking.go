package pe

import (
	"cmp"
	"fmt"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// stickBreaking replaces the softmax (Tan et al. 2025, arXiv 2410.17980): of a stick of length 1
// each key, from the nearest to the farthest, takes the fraction β = σ(z) of what the nearer ones
// left, so that the weight of query t and key j is β_tj·Π (1 − β_tk) over k = j+1 … t−1. That
// nearer keys come first is all that tells positions.
//
// A query does not break its own key off, and the first has no other. What is left of the stick
// goes to the query's own value, as in the tests of the authors' kernel
// (shawntan/stickbreaking-attention, tests/test_attn.py), so that weights sum to 1 and the first
// query sees its own value. Their large models (IBM/dolomite-engine) give it to a learned vector
// instead, and normalise.
type stickBreaking struct {
	NoPE
	current, remainder bool
	offsets            []float64 // of each head's logits; nil for none
}

// stickBreakingSettings are the settings.
type stickBreakingSettings struct {
	// Offset is "decay-times" (default), a fixed number for each head that is added to z, or
	// "none", the paper's.
	//
	// Where z is 0, as it almost is in a new model, each key takes half of the stick: the one 20
	// tokens back gets a millionth, and a gradient as small. With the
	// offsets keys leave as much as the decay times say. After 1,000 steps on copying the loss is
	// 0.001, without offsets it is 4.1, with one seed each (zoo train --preset tiny --pe stick-breaking --task copy
	// --steps 1000, with --set model.encoding_params.offset=none).
	Offset string `json:"offset" about:"added to z: decay-times (default), a number for each head, or none"`
	decayTimes
	// AttendCurrent lets a query break its own key off too, first of all.
	AttendCurrent bool `json:"attend_current" about:"whether a query breaks its own key off too, first of all"`
	// Remainder says what becomes of the rest of the stick: "value" (default), the query's own
	// value gets it, or "none", nothing does. Then the first query, unless it attends to itself,
	// gets 0 from this layer.
	Remainder string `json:"remainder" about:"the rest of the stick: value (default), to the query's own value, or none"`
}

func newStickBreaking(d Dims, p stickBreakingSettings) (Encoding, error) {
	remainder := cmp.Or(p.Remainder, "value")
	if remainder != "value" && remainder != "none" {
		return nil, fmt.Errorf("remainder %q: want value or none", remainder)
	}
	e := stickBreaking{current: p.AttendCurrent, remainder: remainder == "value"}
	switch p.Offset {
	case "", "decay-times":
		left, err := p.logits(d.Heads)
		for _, x := range left {
			e.offsets = append(e.offsets, -x) // what σ(−x) takes, σ(x) leaves
		}
		return e, err
	case "none":
		if p.decayTimes != (decayTimes{}) {
			return nil, fmt.Errorf("decay_time_min and decay_time_max belong to offset decay-times, not to none")
		}
		return e, nil
	default:
		return nil, fmt.Errorf("offset %q: want decay-times or none", p.Offset)
	}
}

// Bias implements Encoding: the offsets, [1,H,1,1], or none.
func (e stickBreaking) Bias(s *Site) *graph.Node {
	if e.offsets == nil {
		return nil
	}
	return constant(s.B, e.offsets, 1, len(e.offsets), 1, 1)
}

// Weigh implements Weigher, [B,H,T,S].
func (e stickBreaking) Weigh(s *Site, logits, visible *graph.Node) *graph.Node {
	b := s.B
	zero := b.Const(tensor.Of([]int64{0}))
	if !e.current {
		visible = b.And(visible, b.Greater(s.Distances(), zero))
	}
	// A logit like this has β = 0: no weight, and nothing taken from the stick. It is finite, so
	// that sums are.
	logits = b.Where(visible, logits, b.Float(-1e9))
	left := b.Neg(b.Softplus(logits)) // log (1−β)
	// log β is z + log (1−β). The sums run from the nearest key to the farthest, so that far ones
	// cost near ones no precision.
	weights := b.Exp(b.Add(logits, sumFrom(b, left)))
	if !e.remainder {
		return weights
	}
	rest := b.Exp(b.ReduceSum(left, true, 3)) // [B,H,T,1]
	own := b.Op("Equal", []*graph.Node{s.Distances(), zero})
	return b.Add(weights, b.Where(own, rest, b.Float(0)))
}
