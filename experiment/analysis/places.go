package analysis

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/lists"
)

// placeMeans are the mean states [D] after each number of layers at each place of a sequence: over many, what the place has whatever
// the tokens.
type placeMeans [][][]float64

// placesOf are the means over other sequences of the same length than the tried ones; nil where the task has none.
func (r request) placesOf(ctx context.Context, tried []eval.Sequence, onSequence func()) (placeMeans, error) {
	others, err := r.othersThan(ctx, tried)
	if err != nil || len(others) == 0 {
		return nil, err
	}
	states, err := r.readAll(ctx, others, onSequence)
	if err != nil {
		return nil, err
	}
	return lists.Make(len(states[0].hidden), func(layers int) [][]float64 { return meansOf(states, layers) }), nil
}

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

// step is from the mean state at a place to that at the next; nil where there is none.
func (p placeMeans) step(layers, place int) []float64 {
	if p == nil || place+1 >= len(p[layers]) {
		return nil
	}
	return floats.SubTo(make([]float64, len(p[layers][0])), p[layers][place+1], p[layers][place])
}

// asLong is a vector in a random direction, as long as another one.
func asLong(as []float64, rng *rand.Rand) []float64 {
	out := lists.Map(as, func(float64) float64 { return rng.NormFloat64() })
	floats.Scale(floats.Norm(as, 2)/floats.Norm(out, 2), out)
	return out
}

// stepAt is a readOptions.shift that adds a step to the state at a place after so many layers.
func (in *inside) stepAt(layers, place int, step []float64) [][]float32 {
	out := in.noShift()
	for i, v := range step {
		out[layers][place*len(step)+i] = float32(v)
	}
	return out
}

// swapAt adds a step to the state at a place, and takes it off the next one.
func (in *inside) swapAt(layers, place int, step []float64) [][]float32 {
	out := in.stepAt(layers, place, step)
	for i, v := range step {
		out[layers][(place+1)*len(step)+i] = -float32(v)
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

// patch counts queries by what they predict: what is right at the next one, where places were moved by one, and what is right.
type patch struct{ moved, kept, queries float64 }

func (p *patch) add(in *inside, s eval.Sequence, t int) {
	p.queries++
	switch in.predicts(t) {
	case s.IDs[t+2]:
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

// patches count queries of the answer with what the next place has (patched), queries of which the key that they copy and the next
// key have what the other's place has (swapped), and both with steps as long in random directions.
type patches struct{ patched, swapped, patchedRandom, swappedRandom patch }

// try patches queries of a sequence after so many layers.
func (c *patches) try(s eval.Sequence, in *inside, layers int, p placeMeans, rng *rand.Rand, run func(shift [][]float32) (inside, error)) error {
	back := copiedFrom(s)
	for _, t := range patched(s, rng) {
		for _, at := range []struct {
			place         int
			shift         func(layers, place int, step []float64) [][]float32
			moved, random *patch
		}{{t, in.stepAt, &c.patched, &c.patchedRandom}, {t + 1 - back, in.swapAt, &c.swapped, &c.swappedRandom}} {
			step := p.step(layers, at.place)
			if step == nil || at.place > t {
				continue
			}
			for _, into := range []struct {
				step []float64
				*patch
			}{{step, at.moved}, {asLong(step, rng), at.random}} {
				after, err := run(at.shift(layers, at.place, into.step))
				if err != nil {
					return err
				}
				into.add(&after, s, t)
			}
		}
	}
	return nil
}

func (c *patches) set(values, control map[string]float64) {
	c.patched.set(values, "patched")
	c.patchedRandom.set(control, "patched")
	c.swapped.set(values, "swapped")
	c.swappedRandom.set(control, "swapped")
}
