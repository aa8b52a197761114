package train

import (
	"math"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// AdamW is Adam with decoupled weight decay and bias correction (Loshchilov &
// Hutter 2019, arXiv 1711.05101, algorithm 2), in place and parallel. The result
// does not depend on the number of threads.
type AdamW struct {
	Beta1, Beta2, Eps, Decay float64

	slots []slot
}

// slot is one weight with its gradient and moments.
type slot struct {
	name       string
	w, g, m, v []float32
	decay      bool
}

// newAdamW allocates zero moments for the weights.
func newAdamW(c Recipe, params []pe.Param, weights, grads map[string]*tensor.Tensor) *AdamW {
	o := &AdamW{Beta1: c.Beta1, Beta2: c.Beta2, Eps: c.Eps, Decay: c.WeightDecay}
	for _, p := range params {
		n := tensor.Numel(p.Shape)
		o.slots = append(o.slots, slot{
			name: p.Name, w: tensor.Data[float32](weights[p.Name]), g: tensor.Data[float32](grads[p.Name]),
			m: make([]float32, n), v: make([]float32, n), decay: p.Decay,
		})
	}
	return o
}

// chunk is the number of elements that one goroutine handles at a time. It is
// fixed, so that sums are formed in the same order on every machine.
const chunk = 1 << 15

// piece is a range of one slot.
type piece struct{ slot, from, to int }

func (o *AdamW) pieces() []piece {
	weights := make([][]float32, len(o.slots))
	for i, s := range o.slots {
		weights[i] = s.w
	}
	return pieces(weights)
}

// pieces cuts slots up.
func pieces(slots [][]float32) []piece {
	var out []piece
	for i, s := range slots {
		for at := 0; at < len(s); at += chunk {
			out = append(out, piece{i, at, min(at+chunk, len(s))})
		}
	}
	return out
}

// Norm returns the global L2 norm of the gradients.
func (o *AdamW) Norm() float64 {
	all := o.pieces()
	sums := make([]float64, len(all))
	tensor.Parallel(len(all), func(i int) {
		p := all[i]
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

// Step updates the weights with learning rate lr; t counts updates from 1, and
// gradients are multiplied by gradScale (the clip factor) first.
func (o *AdamW) Step(t int, lr, gradScale float64) {
	all := o.pieces()
	tensor.Parallel(len(all), func(i int) {
		p := all[i]
		o.update(o.slots[p.slot], p.from, p.to, t, lr, gradScale)
	})
}

func (o *AdamW) update(s slot, from, to, t int, lr, gradScale float64) {
	b1, b2 := float32(o.Beta1), float32(o.Beta2)
	scale := float32(gradScale)
	// With c1, c2 the bias corrections 1−βᵗ, the update is
	// lr·(m/c1)/(√(v/c2)+ε) = step·m/(√v + eps).
	c1 := 1 - math.Pow(o.Beta1, float64(t))
	c2 := math.Sqrt(1 - math.Pow(o.Beta2, float64(t)))
	step, eps := float32(lr*c2/c1), float32(o.Eps*c2)
	keep := float32(1)
	if s.decay {
		keep = float32(1 - lr*o.Decay)
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
