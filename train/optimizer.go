package train

import (
	"math"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime/engine"

	"github.com/nopezoo/zoo/train/runfile"
)

// optimizer holds what a run changes from step to step, which are weights, moments and
// gradients, and makes the updates. Where it holds them is its own affair: the tensors of
// the checkpoint are what it began with, until it is told to bring them up to date.
type optimizer interface {
	// values are what step graphs read weights from and leave gradients in.
	values() values
	// apply makes one update of AdamW from the gradients in values, and returns their global
	// norm (L2) before clipping. Where that is not finite there is no update to go on from.
	apply(update) (norm float64, err error)
	// download brings the checkpoint's weights and moments up to date. It does nothing where
	// they are.
	download() error
	// upload takes over weights and moments from the checkpoint.
	upload() error
	// name is what metrics call it: see journal.Stats.
	name() string
	close()
}

// update is what changes from update to update, except weights, moments and gradients.
type update struct {
	number int     // from 1
	rate   float64 // learning rate
	lanes  int     // the first so many have gradients
}

// values is the memory of a run that step graphs work on, by the weights' names.
type values struct {
	weights map[string]engine.Value
	nothing map[string]engine.Value   // what the first run of a lane adds its gradients to
	sums    []map[string]engine.Value // of each lane, the gradients of its runs in an update
}

// newOptimizer returns the optimizer of a run that is as c is, before upload. Steps run on the model.
func newOptimizer(c *runfile.Checkpoint, params []pe.Param, r runfile.Recipe, inGraph bool, sessions engine.Options, m engine.Model) (optimizer, error) {
	if inGraph {
		return newGraphOptimizer(c, params, r, sessions)
	}
	return newHostOptimizer(c, params, m)
}

func (v values) close() {
	closeAll(v.weights)
	closeAll(v.nothing)
	for _, sum := range v.sums {
		closeAll(sum)
	}
}

// zeros makes a tensor for each weight.
func zeros(params []pe.Param) map[string]*tensor.Tensor {
	out := map[string]*tensor.Tensor{}
	for _, p := range params {
		out[p.Name] = tensor.New(tensor.Float32, p.Shape...)
	}
	return out
}

// nothing makes a tensor of −0 for each weight, all in the same memory: x + −0 is x to
// the bit, where −0 + 0 would be 0.
func nothing(params []pe.Param) map[string]*tensor.Tensor {
	most := 0
	for _, p := range params {
		most = max(most, tensor.Numel(p.Shape))
	}
	all := slices.Repeat([]float32{float32(math.Copysign(0, -1))}, most)
	out := map[string]*tensor.Tensor{}
	for _, p := range params {
		out[p.Name] = tensor.Of(all[:tensor.Numel(p.Shape)], p.Shape...)
	}
	return out
}
