package train

import (
	"fmt"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime/engine"

	"github.com/nopezoo/zoo/train/runfile"
)

// hostOptimizer keeps everything in Go's memory. Weights and moments are the checkpoint's
// tensors themselves: AdamW in Go changes them in place, and the next run reads them there.
type hostOptimizer struct {
	*adamw
	params []pe.Param
	sums   []map[string]*tensor.Tensor // gradients, by lane
	bound  values
}

func newHostOptimizer(c *runfile.Checkpoint, params []pe.Param, m engine.Model) (*hostOptimizer, error) {
	o := &hostOptimizer{params: params}
	for range lanes(c.Config.Train) {
		o.sums = append(o.sums, zeros(params))
	}
	o.adamw = newAdamW(c, params, o.sums[0])
	if err := o.bind(c, m); err != nil {
		o.close()
		return nil, fmt.Errorf("train: %w", err)
	}
	return o, nil
}

func (o *hostOptimizer) bind(c *runfile.Checkpoint, m engine.Model) (err error) {
	if o.bound.weights, err = bind(m, c.Weights); err != nil {
		return err
	}
	if o.bound.nothing, err = bind(m, nothing(o.params)); err != nil {
		return err
	}
	for _, sum := range o.sums {
		var v map[string]engine.Value
		v, err = bind(m, sum)
		o.bound.sums = append(o.bound.sums, v)
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *hostOptimizer) values() values { return o.bound }

func (o *hostOptimizer) apply(u update) (norm float64, err error) {
	for _, part := range o.sums[1:u.lanes] {
		o.add(part)
	}
	norm = o.norm()
	if !finite(norm) {
		return norm, nil
	}
	scale := 1.0
	if clip := o.recipe.Clip; clip > 0 && norm > clip {
		scale = clip / norm
	}
	o.step(u.number, u.rate, scale)
	return norm, nil
}

// add adds the gradients of a further lane to the first one's.
func (o *hostOptimizer) add(part map[string]*tensor.Tensor) {
	tensor.Parallel(len(o.pieces), func(i int) {
		p := o.pieces[i]
		to := o.slots[p.slot].g[p.from:p.to]
		for k, v := range tensor.Data[float32](part[o.params[p.slot].Name])[p.from:p.to] {
			to[k] += v
		}
	})
}

func (o *hostOptimizer) download() error { return nil }
func (o *hostOptimizer) upload() error   { return nil }
func (o *hostOptimizer) name() string    { return "" }
func (o *hostOptimizer) close()          { o.bound.close() }
