package train

import (
	"math"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/train/runfile"
)

// adamw is Adam with decoupled weight decay and bias correction (Loshchilov &
// Hutter 2019, arXiv 1711.05101, algorithm 2), in place and parallel. The result
// does not depend on the number of threads.
type adamw struct {
	recipe runfile.Recipe
	slots  []slot
	pieces []piece
}

// slot is one weight with its gradient and moments.
type slot struct {
	w, g, m, v []float32
	decay      bool
}

// newAdamW returns the optimizer of the weights and moments of a checkpoint, with
// gradients under the same names.
func newAdamW(c *runfile.Checkpoint, params []pe.Param, grads map[string]*tensor.Tensor) *adamw {
	o := &adamw{recipe: c.Config.Train}
	var weights [][]float32
	for _, p := range params {
		values := func(group map[string]*tensor.Tensor) []float32 { return tensor.Data[float32](group[p.Name]) }
		o.slots = append(o.slots, slot{w: values(c.Weights), g: values(grads), m: values(c.M), v: values(c.V), decay: p.Decay})
		weights = append(weights, values(c.Weights))
	}
	o.pieces = pieces(weights)
	return o
}

// chunk is the number of elements that one goroutine handles at a time. It is
// fixed, so that sums are formed in the same order on every machine.
const chunk = 1 << 15

// piece is a range of one slot.
type piece struct{ slot, from, to int }

// pieces cuts slots up.
func pieces(slots [][]float32) []piece {
	var out []piece
	for i, s := range slots {
		for from := 0; from < len(s); from += chunk {
			out = append(out, piece{i, from, min(from+chunk, len(s))})
		}
	}
	return out
}

// norm returns the global L2 norm of the gradients.
func (o *adamw) norm() float64 {
	sums := make([]float64, len(o.pieces))
	tensor.Parallel(len(sums), func(i int) {
		p := o.pieces[i]
		// Four sums in float64: wide enough for any gradient, and independent
		// additions that the processor can overlap.
		var a, b, c, d float64
		g := o.slots[p.slot].g[p.from:p.to]
		for ; len(g) >= 4; g = g[4:] {
			a += float64(g[0]) * float64(g[0])
			b += float64(g[1]) * float64(g[1])
			c += float64(g[2]) * float64(g[2])
			d += float64(g[3]) * float64(g[3])
		}
		for _, x := range g {
			a += float64(x) * float64(x)
		}
		sums[i] = a + b + c + d
	})
	var sum float64
	for _, s := range sums {
		sum += s
	}
	return math.Sqrt(sum)
}

// step updates the weights with learning rate lr; t counts updates from 1, and
// gradients are multiplied by gradScale (the clip factor) first.
func (o *adamw) step(t int, lr, gradScale float64) {
	tensor.Parallel(len(o.pieces), func(i int) {
		p := o.pieces[i]
		o.update(o.slots[p.slot], p.from, p.to, t, lr, gradScale)
	})
}

func (o *adamw) update(s slot, from, to, t int, lr, gradScale float64) {
	b1, b2 := betas(o.recipe)
	scale := float32(gradScale)
	step, eps, decayed := sizes(o.recipe, t, lr)
	keep := float32(1)
	if s.decay {
		keep = decayed
	}
	w, g, m, v := s.w[from:to], s.g[from:to], s.m[from:to], s.v[from:to]
	for i := range w {
		x := g[i] * scale
		mi := b1*m[i] + (1-b1)*x
		vi := b2*v[i] + (1-b2)*x*x
		m[i], v[i] = mi, vi
		w[i] = keep*w[i] - step*mi/(float32(math.Sqrt(float64(vi)))+eps)
	}
}

// betas returns the parts of the moments that an update keeps.
func betas(r runfile.Recipe) (b1, b2 float32) { return float32(r.Beta1), float32(r.Beta2) }

// sizes returns what changes from update to update: t counts them from 1, and lr is the
// learning rate of this one. With c1 and c2² the bias corrections 1−βᵗ, the update is
//
//	lr·(m/c1)/(√v/c2 + ε) = step·m/(√v + eps)
//
// and of a weight that decays keep is what is left of it.
func sizes(r runfile.Recipe, t int, lr float64) (step, eps, keep float32) {
	c1 := 1 - math.Pow(r.Beta1, float64(t))
	c2 := math.Sqrt(1 - math.Pow(r.Beta2, float64(t)))
	return float32(lr * c2 / c1), float32(r.Eps * c2), float32(1 - lr*r.WeightDecay)
}

// rate returns the learning rate of step s, counted from 0: a linear warm-up, and a
// linear decay from LR to FinalLR, which would come after the last step. The warm-up
// reaches LR at step Warmup−1, and the first step already moves; from zero it reaches
// LR at step Warmup, and the first update changes no weight, as in the library of
// Kazemnejad et al. 2023 (transformers 4.16).
func rate(r runfile.Recipe, s int) float64 {
	switch {
	case s < r.Warmup && r.WarmupFrom == "zero":
		return r.LR * float64(s) / float64(r.Warmup)
	case s < r.Warmup:
		return r.LR * float64(s+1) / float64(r.Warmup)
	case s >= r.Steps:
		return r.FinalLR
	}
	left := float64(r.Steps-s) / float64(max(1, r.Steps-r.Warmup))
	return r.FinalLR + (r.LR-r.FinalLR)*left
}
