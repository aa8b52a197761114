package analysis

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/lists"
)

// causal observes, after each number of layers, the answers when hidden states lose the position that a probe reads, and when queries and
// keys get another place.
func (r request) causal(ctx context.Context, onSequence func()) ([]eval.Observation, error) {
	return r.without(ctx, mostDirections, onSequence)
}

func (r request) without(ctx context.Context, most int, onSequence func()) ([]eval.Observation, error) {
	if r.model.words != nil {
		return nil, errors.New("the model has tokens of its own, and no task whose answers could be right")
	}
	_, tried, err := r.fitAndTry(ctx)
	if err != nil {
		return nil, err
	}
	mixed, err := r.mixed(ctx, tried) // of one length a place need not be an absolute position
	if err != nil {
		return nil, err
	}
	inputs, err := r.readAll(ctx, mixed, onSequence)
	if err != nil {
		return nil, err
	}
	means, err := r.placesOf(ctx, tried, onSequence)
	if err != nil {
		return nil, err
	}
	var before score
	outputs := make([]inside, len(tried))
	for i, s := range tried {
		in, err := r.read(ctx, s, readOptions{})
		if err != nil {
			return nil, err
		}
		before.add(&in, s)
		outputs[i] = inside{ids: in.ids, hidden: in.hidden}
		onSequence()
	}
	out := make([]eval.Observation, len(inputs[0].hidden))
	rng := r.rng()
	found := make([]directions, len(out))
	for layers := range out {
		out[layers] = r.observation(layers, len(tried), longest(tried))
		if found[layers], err = findDirections(inputs, outputs, most, rng, &out[layers]); err != nil {
			return nil, err
		}
	}
	scores := make([]struct {
		position         score
		shuffled, random [controls]score
	}, len(out))
	moved := make([]patches, len(out))
	for i, s := range tried {
		for layers, d := range found {
			c := &scores[layers]
			run := func(shift [][]float32) (inside, error) {
				defer onSequence()
				return r.read(ctx, s, readOptions{shift: shift})
			}
			ablate := func(along subspace, into *score) error {
				in, err := run(along.shiftToMean(&outputs[i], layers))
				if err == nil {
					into.add(&in, s)
				}
				return err
			}
			err := ablate(d.position, &c.position)
			for k := range controls {
				err = errors.Join(err, ablate(d.shuffled[k], &c.shuffled[k]), ablate(d.random[k], &c.random[k]))
			}
			if err := errors.Join(err, moved[layers].try(s, &outputs[i], layers, means, rng, run)); err != nil {
				return nil, err
			}
		}
	}
	for layers, o := range out {
		o.Values["tokens"] = before.tokens
		before.set(o.Values, "before")
		scores[layers].position.set(o.Values, "ablated")
		setAll(o.Control, "ablated", scores[layers].random[:])
		setAll(o.Values, "shuffled", scores[layers].shuffled[:])
		moved[layers].set(o.Values, o.Control)
	}
	return out, nil
}

// score counts tokens that have the greatest logit after the right ones before, and sequences without a mistake.
type score struct{ correct, right, tokens float64 }

// add counts a run's tokens of a sequence's answer.
func (c *score) add(in *inside, s eval.Sequence) {
	before := c.tokens - c.right
	for t := s.Prompt - 1; t < len(in.ids); t++ {
		c.tokens++
		if in.predicts(t) == s.IDs[t+1] {
			c.right++
		}
	}
	if c.tokens-c.right == before {
		c.correct++
	}
}

func (c *score) set(numbers map[string]float64, name string) {
	numbers[name+"_correct"], numbers[name+"_tokens"] = c.correct, c.right
}

// setAll sets the means of the scores, and the least and greatest number of right tokens.
func setAll(numbers map[string]float64, name string, scores []score) {
	var mean score
	right := make([]float64, len(scores))
	for i, c := range scores {
		mean.correct += c.correct / float64(len(scores))
		mean.right += c.right / float64(len(scores))
		right[i] = c.right
	}
	mean.set(numbers, name)
	numbers[name+"_least_tokens"], numbers[name+"_most_tokens"] = slices.Min(right), slices.Max(right)
}

// mostDirections are the directions of a subspace, of states that have as many: everywhere equally many, for where no position can be
// read, before the first layer, is a control of where it can.
const mostDirections = 16

// controls are the draws of each kind of control.
const controls = 5

// directions are as many directions of each kind.
type directions struct {
	position subspace           // of probes of the position
	shuffled [controls]subspace // of probes of the same labels in random order within each sequence (Hewitt and Liang 2019, arXiv 1909.03368)
	random   [controls]subspace // at random, with the variance of position's
}

// findDirections finds the directions in which states tell the position, and their controls. It sets the R² of the probes, and the
// variance of states along the directions.
func findDirections(inputs, outputs []inside, most int, rng *rand.Rand, o *eval.Observation) (d directions, err error) {
	all := newSums(inputs, o.Layer)
	if d.position, err = findPosition(all, outputs, most, o); err != nil {
		return d, err
	}
	o.Values["variance"] = all.variance(d.position...)
	for k := range controls {
		labels := lists.Map(inputs, func(in inside) []int { return rng.Perm(len(in.ids)) })
		shuffled := all.labelled(inputs, o.Layer, func(k, t int) int { return labels[k][t] })
		if d.shuffled[k], _, err = shuffled.directions(len(d.position)); err != nil {
			return d, err
		}
		if d.random[k], err = alike(all, d.position, rng); err != nil {
			return d, err
		}
		o.Control["variance"] += all.variance(d.random[k]...) / controls
		o.Values["shuffled_variance"] += all.variance(d.shuffled[k]...) / controls
	}
	return d, nil
}

// findPosition finds the directions in which states tell the position by iterative nullspace projection (Ravfogel et al. 2020,
// arXiv 2004.07667): a probe's, then another's that is fitted without it, and so on. It sets the R² of the first probe, and of one that
// is fitted without all of them.
func findPosition(all *sums, outputs []inside, most int, o *eval.Observation) (subspace, error) {
	first, err := all.probe()
	if err != nil {
		return nil, err
	}
	found, rest, err := all.directions(most)
	if err != nil {
		return nil, err
	}
	last, err := rest.probe()
	if err != nil {
		return nil, err
	}
	o.Values["fit_states"], o.Values["directions"] = float64(first.states), float64(len(found))
	o.Values["r2"], o.Values["r2_after"] = first.r2(outputs, o.Layer), last.r2(ablated(outputs, o.Layer, found), o.Layer)
	return found, nil
}

// direction is a unit vector along which a probe reads positions off states [D].
type direction struct {
	unit []float64 // of length 1
	mean float64   // of the states fitted on, along it
}

// direction is the gradient of the regression over states; 0 where there is nothing to read.
func (p *probe) direction() direction {
	d := direction{unit: lists.Make(len(p.mean), func(i int) float64 { return p.regression.At(i, 0) * p.scale[i] })}
	if norm := floats.Norm(d.unit, 2); norm > 0 {
		floats.Scale(1/norm, d.unit)
	}
	d.mean = floats.Dot(d.unit, p.mean)
	return d
}

// along is the component of each state [T,D] in the direction.
func (d direction) along(states []float32) []float64 {
	out := make([]float64, len(states)/len(d.unit))
	for i, v := range states {
		out[i/len(d.unit)] += float64(v) * d.unit[i%len(d.unit)]
	}
	return out
}

// subspace has directions at right angles.
type subspace []direction

// add adds the part of a direction at right angles with the others; false where there is none.
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

// toMean are the moves of states [T,D] along each direction to the mean of the states fitted on.
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

// noShift is a readOptions.shift that leaves all states where they are.
func (in *inside) noShift() [][]float32 {
	return lists.Make(len(in.hidden), func(i int) []float32 { return make([]float32, len(in.hidden[i])) })
}

// shiftToMean is a readOptions.shift that moves the states after so many layers to the mean within the subspace.
func (s subspace) shiftToMean(in *inside, layers int) [][]float32 {
	out := in.noShift()
	for k, by := range s.toMean(in.hidden[layers]) {
		move(out[layers], by, s[k].unit)
	}
	return out
}

// move moves states [T,D] along a direction.
func move(states []float32, by, unit []float64) {
	for i := range states {
		states[i] += float32(by[i/len(unit)] * unit[i%len(unit)])
	}
}

// ablated are states after so many layers, at the mean within a subspace.
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
