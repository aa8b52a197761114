package train

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// errLost means that weights and moments belong to no update.
var errLost = errors.New("train: the weights were lost in an update that failed; " +
	"resume the run from its last checkpoint")

// graphOptimizer runs the update graph, with each output in the memory of its input. All that
// a step needs lies in buffers of its own; weights and moments leave them only for
// checkpoints and evaluations.
type graphOptimizer struct {
	recipe  runfile.Recipe
	params  []pe.Param
	session *session
	host    map[string]*tensor.Tensor // the checkpoint's, by the names that are stored
	// The update graph's inputs and outputs: its numbers, which are [1], and the rest, which
	// is the state under the names of host, and gradients.
	numbers map[string]*tensor.Tensor
	buffers map[string]*buffer
	bound   map[string]engine.Value // all of them
	memory  values
	nothing *buffer // whose views memory.nothing are, on a device
	newer   bool    // the buffers have updates that host lacks
	lost    bool    // an update failed halfway
}

func newGraphOptimizer(c *runfile.Checkpoint, params []pe.Param, r runfile.Recipe, opt engine.Options) (*graphOptimizer, error) {
	o := &graphOptimizer{recipe: r, params: params, host: c.Tensors(),
		numbers: map[string]*tensor.Tensor{}, buffers: map[string]*buffer{}}
	opt.ProfilePrefix = "" // it is for the step graph's trace
	err := o.compile(opt)
	if err == nil {
		err = o.allocate()
	}
	if err != nil {
		o.close()
		return nil, fmt.Errorf("train: the optimizer in a graph: %w", err)
	}
	return o, nil
}

func (o *graphOptimizer) compile(opt engine.Options) error {
	g, err := updateGraph(o.params, o.recipe, lanes(o.recipe))
	if err != nil {
		return err
	}
	o.session, err = newSession(g, opt)
	return err
}

// allocate makes the memory of a run and binds it to the update graph.
func (o *graphOptimizer) allocate() (err error) {
	for _, name := range []string{stepSizeInput, epsilonInput, keepInput, oneInput, clipInput, normOutput, factorOutput} {
		o.numbers[name] = tensor.New(tensor.Float32, 1)
	}
	if o.bound, err = bind(o.session, o.numbers); err != nil {
		return err
	}
	if err := o.allocateNothing(); err != nil {
		return err
	}
	// group makes a buffer for each weight, under its name with a prefix.
	group := func(prefix string) (map[string]engine.Value, error) {
		values := map[string]engine.Value{}
		for _, p := range o.params {
			b, err := newBuffer(o.session.Model, p.Shape)
			if err != nil {
				return nil, err
			}
			o.buffers[prefix+p.Name], o.bound[prefix+p.Name], values[p.Name] = b, b.value, b.value
		}
		return values, nil
	}
	if o.memory.weights, err = group(""); err != nil {
		return err
	}
	for _, moment := range []string{runfile.FirstMoment, runfile.SecondMoment} {
		if _, err := group(moment); err != nil {
			return err
		}
	}
	for lane := range lanes(o.recipe) {
		sum, err := group(gradOf(lane))
		if err != nil {
			return err
		}
		o.memory.sums = append(o.memory.sums, sum)
	}
	return nil
}

// allocateNothing makes what stands for no gradients: views of one piece of memory.
func (o *graphOptimizer) allocateNothing() (err error) {
	values := nothing(o.params)
	device, ok := o.session.Model.(engine.DeviceModel)
	if !ok {
		o.memory.nothing, err = bind(o.session, values)
		return err
	}
	most := o.params[0]
	for _, p := range o.params {
		if tensor.Numel(p.Shape) > tensor.Numel(most.Shape) {
			most = p
		}
	}
	if o.nothing, err = newBuffer(device, most.Shape); err != nil {
		return err
	}
	if err := o.nothing.write(values[most.Name]); err != nil {
		return err
	}
	o.memory.nothing = map[string]engine.Value{}
	for _, p := range o.params {
		if o.memory.nothing[p.Name], err = device.View(o.nothing.value, p.Shape...); err != nil {
			return err
		}
	}
	return nil
}

func (o *graphOptimizer) values() values { return o.memory }

func (o *graphOptimizer) apply(u update) (norm float64, err error) {
	if o.lost {
		return 0, errLost
	}
	set := func(name string, x float32) { tensor.Data[float32](o.numbers[name])[0] = x }
	size, epsilon, keep := sizes(o.recipe, u.number, u.rate)
	set(stepSizeInput, size)
	set(epsilonInput, epsilon)
	set(keepInput, keep)
	set(oneInput, 1)
	set(clipInput, noClip)
	if o.recipe.Clip > 0 {
		set(clipInput, float32(o.recipe.Clip))
	}
	in := lists.Map(o.session.inputs, func(name string) engine.Value { return o.input(name, u.lanes) })
	out := lists.Map(o.session.outputs, func(name string) engine.Value { return o.bound[strings.TrimPrefix(name, updatedPrefix)] })
	o.newer, o.lost = true, true
	if err := engine.Run(context.Background(), o.session, in, out); err != nil {
		return 0, err
	}
	norm = float64(tensor.Data[float32](o.numbers[normOutput])[0])
	o.lost = !finite(norm)
	return norm, nil
}

// input returns what stands for an input of the update graph: of lanes that have no
// gradients this time, nothing.
func (o *graphOptimizer) input(name string, lanes int) engine.Value {
	for lane := lanes; lane < len(o.memory.sums); lane++ {
		if weight, ok := strings.CutPrefix(name, gradOf(lane)); ok {
			return o.memory.nothing[weight]
		}
	}
	return o.bound[name]
}

func (o *graphOptimizer) download() error {
	switch {
	case o.lost:
		return errLost
	case !o.newer:
		return nil
	}
	for name, t := range o.host {
		if err := o.buffers[name].read(t); err != nil {
			return fmt.Errorf("train: fetch %s from the optimizer: %w", name, err)
		}
	}
	o.newer = false
	return nil
}

func (o *graphOptimizer) upload() error {
	for name, t := range o.host {
		if err := o.buffers[name].write(t); err != nil {
			return fmt.Errorf("train: hand %s to the optimizer: %w", name, err)
		}
	}
	o.newer, o.lost = false, false
	return nil
}

func (o *graphOptimizer) name() string { return journal.OptimizerGraph }

func (o *graphOptimizer) close() {
	closeAll(o.bound)
	closeAll(o.memory.nothing)
	if o.nothing != nil {
		o.nothing.value.Close()
	}
	if o.session != nil {
		o.session.Close()
	}
}
