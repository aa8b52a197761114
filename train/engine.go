package train

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime/ort"
)

// engine runs the step graph through ONNX Runtime. Weights and gradients are
// views of Go memory, so the optimizer works on what the next run reads.
type engine struct {
	model    models.Model
	weights  map[string]*tensor.Tensor
	part     map[string]*tensor.Tensor // gradients of one run
	sum      map[string]*tensor.Tensor // gradients of the batch; same tensors as part where a batch is one run
	recipe   Recipe
	opt      ort.Options
	unrolled bool
	steps    map[int]*step // by sequence length where unrolled, else under 0
}

// newEngine prepares and compiles the step of m. Gradients are left in grads; split says that a batch takes several
// runs, whose gradients are to be added.
func newEngine(m models.Model, weights, grads map[string]*tensor.Tensor, split bool, r Recipe, opt ort.Options) (*engine, error) {
	arch, _ := models.Find(m.Config().Encoding)
	// Unrolled models take turns with several sessions. Idle threads that spin
	// would take the cores from the next one.
	opt.NoSpinning = opt.NoSpinning || arch.Unrolled
	e := &engine{model: m, weights: weights, part: grads, sum: grads, recipe: r, opt: opt, unrolled: arch.Unrolled, steps: map[int]*step{}}
	if split {
		e.part = map[string]*tensor.Tensor{}
		for _, p := range m.Params() {
			e.part[p.Name] = tensor.New(tensor.Float32, p.Shape...)
		}
	}
	first := 0
	if e.unrolled {
		first = unrolledBucket // the others as they come up; what is wrong shows now
	}
	_, err := e.step(first)
	return e, err
}

// step returns the compiled step for sequences of n tokens; 0 is any.
func (e *engine) step(n int) (*step, error) {
	if s := e.steps[n]; s != nil {
		return s, nil
	}
	s, err := compile(e, n)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	e.steps[n] = s
	return s, nil
}

// run computes loss and gradients of the batches that make one update.
func (e *engine) run(ctx context.Context, batches []Batch) (loss float64, err error) {
	for i, b := range batches {
		n := 0
		if e.unrolled {
			n = b.IDs.Shape()[1]
		}
		s, err := e.step(n)
		if err != nil {
			return 0, err
		}
		if err := s.run(ctx, b); err != nil {
			return 0, err
		}
		loss += float64(s.loss[0])
		if len(batches) > 1 {
			e.accumulate(i == 0)
		}
	}
	return loss, nil
}

// accumulate adds the gradients of one run to the batch's, or starts with them.
func (e *engine) accumulate(first bool) {
	params := e.model.Params()
	parallel(len(params), func(i int) {
		name := params[i].Name
		sum, part := tensor.Data[float32](e.sum[name]), tensor.Data[float32](e.part[name])
		if first {
			copy(sum, part)
			return
		}
		for k, v := range part {
			sum[k] += v
		}
	})
}

func (e *engine) close() {
	for _, s := range e.steps {
		s.close()
	}
}

// step is one compiled step graph, bound to the engine's weights and gradients.
type step struct {
	session *ort.Session
	fixed   map[string]*ort.Value // the weights, by input name
	outputs []*ort.Value          // loss and one gradient per weight, as the session declares them
	loss    []float32
	dropout *dropout // nil without
}

func compile(e *engine, steps int) (*step, error) {
	g, err := StepGraph(e.model, steps, e.recipe.Dropout > 0)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := export.Write(&buf, g, nil, export.Options{ParamsAsInputs: true}); err != nil {
		return nil, err
	}
	session, err := ort.New(buf.Bytes(), e.opt)
	if err != nil {
		return nil, err
	}
	s := &step{session: session, fixed: map[string]*ort.Value{}}
	if e.recipe.Dropout > 0 {
		s.dropout = newDropout(g, e.recipe.Dropout, e.recipe.Seed)
	}
	if err := s.bind(e); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// bind ties weights, loss and gradients to the session.
func (s *step) bind(e *engine) (err error) {
	loss := tensor.New(tensor.Float32, 1)
	s.loss = tensor.Data[float32](loss)
	of := map[string]*tensor.Tensor{lossOutput: loss}
	for _, p := range e.model.Params() {
		if s.fixed[p.Name], err = ort.NewValue(e.weights[p.Name]); err != nil {
			return err
		}
		of[gradPrefix+p.Name] = e.part[p.Name]
	}
	for _, out := range s.session.Outputs() {
		v, err := ort.NewValue(of[out.Name])
		if err != nil {
			return err
		}
		s.outputs = append(s.outputs, v)
	}
	return nil
}

func (s *step) run(ctx context.Context, b Batch) error {
	feed := map[string]*tensor.Tensor{
		"input_ids": b.IDs, "position_ids": b.Positions, labelsInput: b.Labels, weightsInput: b.Weights,
	}
	if s.dropout != nil {
		factors, err := s.dropout.factors(b)
		if err != nil {
			return err
		}
		maps.Copy(feed, factors)
	}
	var inputs []*ort.Value
	for _, in := range s.session.Inputs() {
		v, ok := s.fixed[in.Name]
		if !ok {
			var err error
			if v, err = ort.NewValue(feed[in.Name]); err != nil {
				return fmt.Errorf("train: %w", err)
			}
			defer v.Close()
		}
		inputs = append(inputs, v)
	}
	return s.session.RunValues(ctx, inputs, s.outputs)
}

func (s *step) close() {
	for _, v := range s.fixed {
		v.Close()
	}
	for _, v := range s.outputs {
		v.Close()
	}
	s.session.Close()
}
