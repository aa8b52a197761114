package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/train/runfile"
)

// AdamW against algorithm 2 of arXiv 1711.05101 in float64, over weights with and
// without decay and longer than one chunk.
func TestAdamW(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	params := []pe.Param{{Name: "a", Shape: []int{chunk + 7}, Decay: true}, {Name: "b", Shape: []int{3}}}
	weights, grads := map[string]*tensor.Tensor{}, map[string]*tensor.Tensor{}
	type state struct{ w, m, v []float64 }
	twin := map[string]*state{}
	for _, p := range params {
		n := p.Shape[0]
		weights[p.Name], grads[p.Name] = tensor.New(tensor.Float32, n), tensor.New(tensor.Float32, n)
		s := &state{make([]float64, n), make([]float64, n), make([]float64, n)}
		for i := range n {
			x := float32(rng.NormFloat64())
			tensor.Data[float32](weights[p.Name])[i], s.w[i] = x, float64(x)
		}
		twin[p.Name] = s
	}
	r := runfile.Recipe{Beta1: 0.9, Beta2: 0.98, Eps: 1e-8, WeightDecay: 0.1}
	c := &runfile.Checkpoint{Config: runfile.Config{Train: r}, Weights: weights, M: zeros(params), V: zeros(params)}
	o := newAdamW(c, params, grads)
	const lr, scale = 0.01, 0.5
	for step := 1; step <= 5; step++ {
		norm := 0.0
		for _, p := range params {
			g, s := tensor.Data[float32](grads[p.Name]), twin[p.Name]
			for i := range g {
				g[i] = float32(rng.NormFloat64())
				norm += float64(g[i]) * float64(g[i])
				x := float64(g[i]) * scale
				s.m[i] = r.Beta1*s.m[i] + (1-r.Beta1)*x
				s.v[i] = r.Beta2*s.v[i] + (1-r.Beta2)*x*x
				mh, vh := s.m[i]/(1-math.Pow(r.Beta1, float64(step))), s.v[i]/(1-math.Pow(r.Beta2, float64(step)))
				decay := 0.0
				if p.Decay {
					decay = r.WeightDecay
				}
				s.w[i] -= lr * (mh/(math.Sqrt(vh)+r.Eps) + decay*s.w[i])
			}
		}
		if got := o.norm(); math.Abs(got-math.Sqrt(norm)) > 1e-9*got {
			t.Errorf("step %d: norm %v, want %v", step, got, math.Sqrt(norm))
		}
		o.step(step, lr, scale)
	}
	for name, s := range twin {
		for i, got := range tensor.Data[float32](weights[name]) {
			if math.Abs(float64(got)-s.w[i]) > 1e-5 { // float32 over five steps of 0.01
				t.Fatalf("%s[%d] = %v, want %v", name, i, got, s.w[i])
			}
		}
	}
}

// BenchmarkAdamW is the optimizer's share of a step at the size of the preset
// small: 3.2 million parameters.
func BenchmarkAdamW(b *testing.B) {
	params := []pe.Param{{Name: "a", Shape: []int{3_200_000}, Decay: true}}
	weights := map[string]*tensor.Tensor{"a": tensor.New(tensor.Float32, 3_200_000)}
	grads := map[string]*tensor.Tensor{"a": tensor.New(tensor.Float32, 3_200_000)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range tensor.Data[float32](grads["a"]) {
		tensor.Data[float32](grads["a"])[i] = float32(rng.NormFloat64())
	}
	r := runfile.Recipe{Beta1: 0.9, Beta2: 0.98, Eps: 1e-8, WeightDecay: 0.1}
	c := &runfile.Checkpoint{Config: runfile.Config{Train: r}, Weights: weights, M: zeros(params), V: zeros(params)}
	o := newAdamW(c, params, grads)
	b.Run("norm", func(b *testing.B) {
		for b.Loop() {
			o.norm()
		}
	})
	b.Run("step", func(b *testing.B) {
		for t := 1; b.Loop(); t++ {
			o.step(t, 1e-3, 1)
		}
	})
}
