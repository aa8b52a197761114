package analysis

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/nopezoo/zoo/eval"
)

// Causal asks whether a model uses the position that a probe reads off its hidden states (see eval.Causal): after
// each number of layers it replaces what the states have in the probe's direction, on sequences of the task, and counts
// what the rest of the model then gets right. The direction is fitted as Probe's, on the task's sequences of
// fitLength. A length that the model or the task does not have gives one finding with NA set.
func Causal(ctx context.Context, m *Model, r Request, fitLength int, onSequence func()) ([]eval.Finding, error) {
	r.Tokens = eval.TaskTokens
	return r.findings(m, eval.FindCausal, func() ([]eval.Finding, error) { return causal(ctx, m, r, fitLength, onSequence) })
}

func causal(ctx context.Context, m *Model, r Request, fitLength int, onSequence func()) ([]eval.Finding, error) {
	if m.words != nil {
		return nil, errors.New("the model has tokens of its own, and no task whose answers could be right")
	}
	fitted, tried, err := r.fitAndTry(ctx, m, fitLength)
	if err != nil {
		return nil, err
	}
	inputs, err := m.states(ctx, r, fitted, onSequence)
	if err != nil {
		return nil, err
	}
	var outputs []inside
	var before eval.CausalScore
	for _, s := range tried {
		in, err := r.read(ctx, m, s)
		if err != nil {
			return nil, err
		}
		count(&before, &in, s)
		outputs = append(outputs, in.statesAlone())
	}
	out := make([]eval.Finding, len(inputs[0].hidden))
	directions := make([]direction, len(out))
	for layers := range out {
		f := r.finding(m, eval.FindCausal)
		f.Layer, f.N, f.Causal = layers, len(tried), &eval.Causal{FitLength: fitLength, Before: before}
		p, err := fitProbe(inputs, layers)
		if err != nil {
			return nil, err
		}
		d := p.direction()
		after, err := fitProbe(ablated(inputs, layers, d), layers)
		if err != nil {
			return nil, err
		}
		same := fitLength == r.Length
		f.Causal.FitStates, f.Causal.R2 = p.states, p.try(outputs, layers, same).R2
		f.Causal.R2After = after.try(ablated(outputs, layers, d), layers, same).R2
		directions[layers], out[layers] = d, f
	}
	rng := rand.New(rand.NewPCG(r.Seed, uint64(r.Length)))
	for i, s := range tried {
		for layers, d := range directions {
			c := out[layers].Causal
			out[layers].SequenceTokens = max(out[layers].SequenceTokens, len(s.IDs)-1)
			states := outputs[i].hidden[layers]
			random := randomDirection(len(d.unit), rng)
			ablate := d.toMean(states)
			patch := d.toOther(states, rng)
			for _, change := range []struct {
				into  *eval.CausalScore
				by    []float64
				along []float64
			}{
				{&c.Ablated, ablate, d.unit}, {&c.AblatedControl, ablate, random},
				{&c.Patched, patch, d.unit}, {&c.PatchedControl, patch, random},
			} {
				in, err := m.read(ctx, s.IDs[:len(s.IDs)-1], readOptions{shift: m.shifts(&outputs[i], layers, change.by, change.along)})
				if err != nil {
					return nil, err
				}
				count(change.into, &in, s)
			}
		}
		if onSequence != nil {
			onSequence()
		}
	}
	return out, nil
}

// count adds what a run got right of a sequence's answer.
func count(c *eval.CausalScore, in *inside, s eval.Sequence) {
	right := true
	for t := s.Prompt - 1; t < len(in.ids); t++ {
		c.Tokens++
		if in.predicts(t) == s.IDs[t+1] {
			c.TokensCorrect++
		} else {
			right = false
		}
	}
	if right {
		c.Correct++
	}
}

// direction is that in which a probe reads positions off states [D].
type direction struct {
	unit []float64 // of length 1
	mean float64   // along it, of the states fitted on
}

// direction is the regression's, in the states as they are.
func (p *probe) direction() direction {
	d := direction{unit: make([]float64, len(p.mean))}
	norm := 0.0
	for i := range d.unit {
		d.unit[i] = p.regression.At(i, 0) * p.scale[i]
		norm += d.unit[i] * d.unit[i]
	}
	if norm == 0 { // nothing to read: nothing is changed
		return d
	}
	for i := range d.unit {
		d.unit[i] /= math.Sqrt(norm)
		d.mean += d.unit[i] * p.mean[i]
	}
	return d
}

// along is how much of each state [T,D] there is in the direction.
func (d direction) along(states []float32) []float64 {
	out := make([]float64, len(states)/len(d.unit))
	for i, v := range states {
		out[i/len(d.unit)] += float64(v) * d.unit[i%len(d.unit)]
	}
	return out
}

// toMean is how far states [T,D] have to be moved along the direction to be where those that it was fitted on are in the
// mean.
func (d direction) toMean(states []float32) []float64 {
	out := d.along(states)
	for t, v := range out {
		out[t] = d.mean - v
	}
	return out
}

// toOther is how far they have to be moved for each to be where another one is.
func (d direction) toOther(states []float32, rng *rand.Rand) []float64 {
	along := d.along(states)
	out := make([]float64, len(along))
	// Sattolo's: a single cycle, in which none stays in its place.
	order := make([]int, len(along))
	for t := range order {
		order[t] = t
	}
	for t := len(order) - 1; t > 0; t-- {
		j := rng.IntN(t)
		order[t], order[j] = order[j], order[t]
	}
	for t, v := range along {
		out[t] = along[order[t]] - v
	}
	return out
}

// randomDirection is one of length 1, all equally likely.
func randomDirection(width int, rng *rand.Rand) []float64 {
	out, norm := make([]float64, width), 0.0
	for i := range out {
		out[i] = rng.NormFloat64()
		norm += out[i] * out[i]
	}
	for i := range out {
		out[i] /= math.Sqrt(norm)
	}
	return out
}

// shifts is readOptions.shift that moves each state after so many layers by so much along a direction, and no other.
func (m *Model) shifts(in *inside, layers int, by, along []float64) [][]float32 {
	out := make([][]float32, len(in.hidden))
	for i := range out {
		out[i] = make([]float32, len(in.hidden[i]))
	}
	for t, v := range by {
		for i, u := range along {
			out[layers][t*len(along)+i] = float32(v * u)
		}
	}
	return out
}

// ablated is states after so many layers without what is in a direction.
func ablated(all []inside, layers int, d direction) []inside {
	out := make([]inside, len(all))
	for k, in := range all {
		out[k] = inside{ids: in.ids, hidden: make([][]float32, layers+1)}
		changed := make([]float32, len(in.hidden[layers]))
		by, width := d.toMean(in.hidden[layers]), len(d.unit)
		for i, v := range in.hidden[layers] {
			changed[i] = float32(float64(v) + by[i/width]*d.unit[i%width])
		}
		out[k].hidden[layers] = changed
	}
	return out
}
