package analysis

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/lists"
)

// placeSamples are the sequences that the mean states of places are of, where the task has as many: of few, a step between two means
// has more of these sequences' tokens than of the places.
const placeSamples = 200

// placeMeans are the mean states [D] after each number of layers at each place that sequences of both halves have.
type placeMeans struct {
	all    [][][]float64 // by layers and place
	halves [2][][][]float64
}

// placesOf are the means over other sequences of the same length than the tried ones; nil where the task has fewer than two.
func (r request) placesOf(ctx context.Context, tried []eval.Sequence, onSequence func()) (*placeMeans, error) {
	r.samples = placeSamples
	others, err := r.othersThan(ctx, tried)
	if err != nil || len(others) < 2 {
		return nil, err
	}
	states, err := r.readAll(ctx, others, onSequence)
	if err != nil {
		return nil, err
	}
	return newPlaceMeans(states), nil
}

func newPlaceMeans(states []inside) *placeMeans {
	means := func(states []inside) [][][]float64 {
		return lists.Make(len(states[0].hidden), func(layers int) [][]float64 { return meansOf(states, layers) })
	}
	half := len(states) / 2
	p := &placeMeans{means(states), [2][][][]float64{means(states[:half]), means(states[half:])}}
	for layers, all := range p.all {
		p.all[layers] = all[:min(len(p.halves[0][layers]), len(p.halves[1][layers]))]
	}
	return p
}

// meansOf are the mean states at each place over the sequences that have it.
func meansOf(states []inside, layers int) (means [][]float64) {
	width := len(states[0].hidden[layers]) / len(states[0].ids)
	for place := 0; ; place++ {
		mean, n := make([]float64, width), 0.0
		for _, in := range states {
			if place < len(in.ids) {
				n++
				for i, v := range in.hidden[layers][place*width:][:width] {
					mean[i] += float64(v)
				}
			}
		}
		if n == 0 {
			return means
		}
		floats.Scale(1/n, mean)
		means = append(means, mean)
	}
}

// step is from the mean state at a place to that so many places on; nil where there is none.
func (p *placeMeans) step(layers, place, on int) []float64 {
	if p == nil || place+on >= len(p.all[layers]) {
		return nil
	}
	return difference(p.all[layers][place+on], p.all[layers][place])
}

// noPlace is the difference of two means of one place, over half of the sequences each: of their tokens alone.
func (p *placeMeans) noPlace(layers, place int) []float64 {
	return difference(p.halves[0][layers][place], p.halves[1][layers][place])
}

// shared is the product of the steps of both halves from a place to the next: the squared length of the step without what it has of the
// sequences' tokens, in expectation, since these differ between the halves.
func (p *placeMeans) shared(layers, place int) float64 {
	step := func(half int) []float64 {
		return difference(p.halves[half][layers][place+1], p.halves[half][layers][place])
	}
	return floats.Dot(step(0), step(1))
}

func difference(a, b []float64) []float64 { return floats.SubTo(make([]float64, len(a)), a, b) }

// asLong is a vector with the length of another one.
func asLong(v, as []float64) []float64 {
	return floats.ScaleTo(make([]float64, len(v)), floats.Norm(as, 2)/max(floats.Norm(v, 2), 1e-30), v)
}

// stepAt is a readOptions.shift that adds a step to the state at a place after so many layers.
func (in *inside) stepAt(layers, place int, step []float64) [][]float32 {
	out := in.noShift()
	for i, v := range step {
		out[layers][place*len(step)+i] = float32(v)
	}
	return out
}

// swapAt adds a step to the state at a place, and takes it off that so many places on.
func (in *inside) swapAt(layers, place, on int, step []float64) [][]float32 {
	out := in.stepAt(layers, place, step)
	for i, v := range step {
		out[layers][(place+on)*len(step)+i] = -float32(v)
	}
	return out
}

// copiedFrom is how many tokens before each token of the answer, but the last, the prompt has the same; 0 where it is not so.
func copiedFrom(s eval.Sequence) int {
	end := len(s.IDs) - 1
	for back := end - s.Prompt; back <= s.Prompt; back++ {
		same := back > 0 && end > s.Prompt
		for t := s.Prompt; same && t < end; t++ {
			same = t-back < s.Prompt && s.IDs[t] == s.IDs[t-back]
		}
		if same {
			return back
		}
	}
	return 0
}

// mostPatched bounds the queries of a sequence that are patched, each in runs of its own.
const mostPatched = 4

// patched draws queries among the answer's tokens whose next query has another right token, which is not the last.
func patched(s eval.Sequence, rng *rand.Rand) []int {
	var out []int
	for t := s.Prompt; t+3 < len(s.IDs); t++ {
		if s.IDs[t+1] != s.IDs[t+2] {
			out = append(out, t)
		}
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(len(out), mostPatched)]
}

// patch counts queries by what they predict: what is right so many places on, where places were moved by as many, and what is right.
type patch struct{ moved, kept, queries float64 }

func (p *patch) add(in *inside, s eval.Sequence, t, on int) {
	p.queries++
	switch in.predicts(t) {
	case s.IDs[t+1+on]:
		p.moved++
	case s.IDs[t+1]:
		p.kept++
	}
}

func (p *patch) set(numbers map[string]float64, name string) {
	if p.queries > 0 {
		numbers[name+"_queries"], numbers[name+"_moved"], numbers[name+"_kept"] = p.queries, p.moved, p.kept
	}
}

// far is how many places on a key is that changes places with the one to copy, beside the next one: beyond the trained lengths queries
// often predict the next symbol without a step, and seldom one so far on.
const far = 6

// patches count queries with the mean state's step to the next place (patched), and queries of which the key to copy and another one
// change places so: the next one (swapped), one further on (far), and the next one backwards (reversed). Controls have the difference of
// two means of one place instead, as long as the step.
type patches struct {
	patched, swapped, far, reversed            patch
	patchedControl, swappedControl, farControl patch

	step, place float64 // squared lengths of the steps to the next key's place, and of what is the place's of them, summed
}

// try patches queries of a sequence after so many layers.
func (c *patches) try(s eval.Sequence, in *inside, layers int, p *placeMeans, rng *rand.Rand, run func(shift [][]float32) (inside, error)) error {
	type change struct {
		shift [][]float32
		on    int
		into  *patch
	}
	back := copiedFrom(s)
	for _, t := range patched(s, rng) {
		var changes []change
		if step := p.step(layers, t, 1); step != nil {
			changes = append(changes, change{in.stepAt(layers, t, step), 1, &c.patched},
				change{in.stepAt(layers, t, asLong(p.noPlace(layers, t), step)), 1, &c.patchedControl})
		}
		key := t + 1 - back
		for _, k := range []struct {
			on          int
			by, control *patch
		}{{1, &c.swapped, &c.swappedControl}, {far, &c.far, &c.farControl}} {
			step := p.step(layers, key, k.on)
			if back == 0 || step == nil || t+2+k.on >= len(s.IDs) || s.IDs[t+1+k.on] == s.IDs[t+1] {
				continue
			}
			changes = append(changes, change{in.swapAt(layers, key, k.on, step), k.on, k.by},
				change{in.swapAt(layers, key, k.on, asLong(p.noPlace(layers, key), step)), k.on, k.control})
			if k.on == 1 {
				c.step, c.place = c.step+floats.Dot(step, step), c.place+p.shared(layers, key)
				floats.Scale(-1, step)
				changes = append(changes, change{in.swapAt(layers, key, 1, step), 1, &c.reversed})
			}
		}
		for _, change := range changes {
			after, err := run(change.shift)
			if err != nil {
				return err
			}
			change.into.add(&after, s, t, change.on)
		}
	}
	return nil
}

func (c *patches) set(values, control map[string]float64) {
	c.patched.set(values, "patched")
	c.patchedControl.set(control, "patched")
	c.swapped.set(values, "swapped")
	c.swappedControl.set(control, "swapped")
	c.reversed.set(values, "reversed")
	c.far.set(values, "far")
	c.farControl.set(control, "far")
	if n := c.swapped.queries; n > 0 {
		values["step"], values["place"] = c.step/n, c.place/n
	}
}
