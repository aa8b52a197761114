package models

import (
	"hash/fnv"
	"math/rand/v2"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// InitWeights draws the initial weights. Each weight has a stream of its own
// made from the seed and its name, so models that differ only in their encoding
// share the weights they have in common.
func InitWeights(params []pe.Param, seed uint64) map[string]*tensor.Tensor {
	out := make(map[string]*tensor.Tensor, len(params))
	for _, p := range params {
		h := fnv.New64a()
		h.Write([]byte(p.Name))
		rng := rand.New(rand.NewPCG(seed, h.Sum64()))
		t := tensor.New(tensor.Float32, p.Shape...)
		for i := range tensor.Data[float32](t) {
			v := p.Mean
			if p.Init != nil {
				v = p.Init[i]
			}
			if p.Std != 0 {
				v += p.Std * rng.NormFloat64()
			}
			tensor.Data[float32](t)[i] = float32(v)
		}
		out[p.Name] = t
	}
	return out
}

// Count returns the number of trained numbers.
func Count(params []pe.Param) int {
	n := 0
	for _, p := range params {
		n += tensor.Numel(p.Shape)
	}
	return n
}
