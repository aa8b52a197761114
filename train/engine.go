package train

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	sum      map[string]*tensor.Tensor // gradients of the batch; its first run leaves them here
	part     map[string]*tensor.Tensor // gradients of each further run; nil where there is none
	recipe   Recipe
	opt      ort.Options
	unrolled bool
	steps    map[int]*step // by sequence length where unrolled, else under 0
}

// newEngine prepares and compiles the step of m. Gradients are left in grads; split says that a batch takes several
// runs, whose gradients are to be added.
func newEngine(m models.Model, weights, grads map[string]*tensor.Tensor, split bool, r Recipe, opt ort.Options) (*engine, error) {
	arch, _ := models.Find(m.Config().Encoding)
	// Between runs the cores belong to the optimizer, and to other sessions where the
	// model is unrolled: threads that go on spinning would take them.
	opt.ConfigEntries = map[string]string{"session.force_spinning_stop": "1"}
	e := &engine{model: m, weights: weights, sum: grads, recipe: r, opt: opt, unrolled: arch.Unrolled, steps: map[int]*step{}}
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
		outputs := s.first
		if i > 0 {
			outputs = s.further
		}
		if err := s.run(ctx, b, outputs); err != nil {
			return 0, err
		}
		loss += float64(s.loss[0])
		if i > 0 {
			e.accumulate()
		}
	}
	return loss, nil
}

// accumulate adds the gradients of a further run to the batch's.
func (e *engine) accumulate() {
	params := e.model.Params()
	sums := make([][]float32, len(params))
	for i, p := range params {
		sums[i] = tensor.Data[float32](e.sum[p.Name])
	}
	all := pieces(sums)
	parallel(len(all), func(i int) {
		p := all[i]
		part := tensor.Data[float32](e.part[params[p.slot].Name])[p.from:p.to]
		for k, v := range part {
			sums[p.slot][p.from+k] += v
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
	first   []*ort.Value          // loss and one gradient per weight, as the session declares them, into the batch's
	further []*ort.Value          // the same, into the engine's part; empty without
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
	for _, p := range e.model.Params() {
		if s.fixed[p.Name], err = ort.NewValue(e.weights[p.Name]); err != nil {
			return err
		}
	}
	if s.first, err = s.into(loss, e.sum); err == nil && e.part != nil {
		s.further, err = s.into(loss, e.part)
	}
	return err
}

// into binds the outputs of the session.
func (s *step) into(loss *tensor.Tensor, grads map[string]*tensor.Tensor) (out []*ort.Value, err error) {
	for _, o := range s.session.Outputs() {
		t := loss
		if o.Name != lossOutput {
			t = grads[strings.TrimPrefix(o.Name, gradPrefix)]
		}
		v, err := ort.NewValue(t)
		if err != nil {
			return out, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (s *step) run(ctx context.Context, b Batch, outputs []*ort.Value) error {
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
	return s.session.RunValues(ctx, inputs, outputs)
}

func (s *step) close() {
	for _, v := range s.fixed {
		v.Close()
	}
	for _, v := range slices.Concat(s.first, s.further) {
		v.Close()
	}
	s.session.Close()
}
