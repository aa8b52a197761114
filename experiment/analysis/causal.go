package analysis

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/nopezoo/zoo/eval"
)

// Causal asks whether a model uses the position that a probe reads off its hidden states (see eval.Causal): after
// each number of layers it replaces what the states have in the probe's directions, on sequences of the task, and counts
// what the rest of the model then gets right. The directions are fitted as Probe's, on the task's sequences of
// fitLength. A length that the model or the task does not have gives one finding with NA set.
func Causal(ctx context.Context, m *Model, r Request, fitLength int, onSequence func()) ([]eval.Finding, error) {
	r.Tokens = eval.TaskTokens
	return r.findings(m, eval.FindCausal, func() ([]eval.Finding, error) { return causal(ctx, m, r, fitLength, mostDirections, onSequence) })
}

func causal(ctx context.Context, m *Model, r Request, fitLength, most int, onSequence func()) ([]eval.Finding, error) {
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
	found := make([]subspace, len(out))
	for layers := range out {
		f := r.finding(m, eval.FindCausal)
		f.Layer, f.N, f.Causal = layers, len(tried), &eval.Causal{FitLength: fitLength, Before: before}
		if found[layers], err = findPosition(inputs, outputs, layers, most, f.Causal); err != nil {
			return nil, err
		}
		out[layers] = f
	}
	rng := rand.New(rand.NewPCG(r.Seed, uint64(r.Length)))
	for i, s := range tried {
		for layers, position := range found {
			c := out[layers].Causal
			out[layers].SequenceTokens = max(out[layers].SequenceTokens, len(s.IDs)-1)
			states := outputs[i].hidden[layers]
			random := randomSubspace(len(position), len(states)/len(outputs[i].ids), rng)
			ablate := position.toMean(states)
			patch := position.toOther(states, rng)
			for _, change := range []struct {
				into  *eval.CausalScore
				by    [][]float64
				along subspace
			}{
				{&c.Ablated, ablate, position}, {&c.AblatedControl, ablate, random},
				{&c.Patched, patch, position}, {&c.PatchedControl, patch, random},
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

// mostDirections is how many directions are looked for.
const mostDirections = 16

// findPosition finds the directions in which states after so many layers tell the position: that of a probe, then that
// of another one which is fitted without it, and so on (iterative nullspace projection: Ravfogel et al. 2020,
// arXiv 2004.07667). It fills in what the probes read.
func findPosition(inputs, outputs []inside, layers, most int, c *eval.Causal) (subspace, error) {
	p, err := fitProbe(inputs, layers)
	if err != nil {
		return nil, err
	}
	c.FitStates, c.R2 = p.states, p.r2(outputs, layers)
	c.R2After = c.R2
	var found subspace
	for len(found) < most && found.add(p.direction()) {
		if p, err = fitProbe(ablated(inputs, layers, found), layers); err != nil {
			return nil, err
		}
		if c.R2After = p.r2(ablated(outputs, layers, found), layers); c.R2After <= eval.Taken*c.R2 {
			break
		}
	}
	c.Directions = len(found)
	return found, nil
}

// direction is one of those in which a probe reads positions off states [D].
type direction struct {
	unit []float64 // of length 1
	mean float64   // along it, of the states fitted on
}

// direction is the regression's, in the states as they are; 0 where there is nothing to read.
func (p *probe) direction() direction {
	d := direction{unit: make([]float64, len(p.mean))}
	for i := range d.unit {
		d.unit[i] = p.regression.At(i, 0) * p.scale[i]
	}
	if norm := floats.Norm(d.unit, 2); norm > 0 {
		floats.Scale(1/norm, d.unit)
	}
	d.mean = floats.Dot(d.unit, p.mean)
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

// subspace is directions at right angles.
type subspace []direction

// add adds a direction, as far as it is at right angles with those that are there; false for one that is not.
func (s *subspace) add(d direction) bool {
	d.unit = slices.Clone(d.unit)
	for _, other := range *s {
		shared := floats.Dot(d.unit, other.unit)
		floats.AddScaled(d.unit, -shared, other.unit)
		d.mean -= shared * other.mean
	}
	norm := floats.Norm(d.unit, 2)
	if norm < 1e-6 {
		return false
	}
	floats.Scale(1/norm, d.unit)
	*s = append(*s, direction{d.unit, d.mean / norm})
	return true
}

// toMean is how far states [T,D] have to be moved along each direction to be where those that it was fitted on are in the
// mean.
func (s subspace) toMean(states []float32) [][]float64 {
	out := make([][]float64, len(s))
	for k, d := range s {
		out[k] = d.along(states)
		for t, v := range out[k] {
			out[k][t] = d.mean - v
		}
	}
	return out
}

// toOther is how far they have to be moved for each to be where another one is.
func (s subspace) toOther(states []float32, rng *rand.Rand) [][]float64 {
	if len(s) == 0 {
		return nil
	}
	// Sattolo's: a single cycle, in which none stays in its place.
	order := make([]int, len(states)/len(s[0].unit))
	for t := range order {
		order[t] = t
	}
	for t := len(order) - 1; t > 0; t-- {
		j := rng.IntN(t)
		order[t], order[j] = order[j], order[t]
	}
	out := make([][]float64, len(s))
	for k, d := range s {
		along := d.along(states)
		out[k] = make([]float64, len(along))
		for t, v := range along {
			out[k][t] = along[order[t]] - v
		}
	}
	return out
}

// randomSubspace is of so many directions, all subspaces equally likely.
func randomSubspace(size, width int, rng *rand.Rand) subspace {
	var out subspace
	for len(out) < size {
		unit := make([]float64, width)
		for i := range unit {
			unit[i] = rng.NormFloat64()
		}
		out.add(direction{unit: unit})
	}
	return out
}

// shifts is readOptions.shift that moves each state after so many layers by so much along each direction, and no other.
func (m *Model) shifts(in *inside, layers int, by [][]float64, along subspace) [][]float32 {
	out := make([][]float32, len(in.hidden))
	for i := range out {
		out[i] = make([]float32, len(in.hidden[i]))
	}
	for k, d := range along {
		move(out[layers], by[k], d.unit)
	}
	return out
}

// move moves states [T,D] by so much along a direction.
func move(states []float32, by, unit []float64) {
	for i := range states {
		states[i] += float32(by[i/len(unit)] * unit[i%len(unit)])
	}
}

// ablated is states after so many layers without what is in a subspace.
func ablated(all []inside, layers int, s subspace) []inside {
	out := make([]inside, len(all))
	for k, in := range all {
		out[k] = inside{ids: in.ids, hidden: make([][]float32, layers+1)}
		changed := slices.Clone(in.hidden[layers])
		for i, by := range s.toMean(in.hidden[layers]) {
			move(changed, by, s[i].unit)
		}
		out[k].hidden[layers] = changed
	}
	return out
}
