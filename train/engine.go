package train

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime/ort"
)

// engine runs the step graph through ONNX Runtime. Weights and gradients are
// views of Go memory, so the optimizer works on what the next run reads.
type engine struct {
	session *ort.Session
	fixed   map[string]*ort.Value // the weights, by input name
	outputs []*ort.Value          // loss and one gradient per weight, as the session declares them
	loss    []float32
	part    map[string]*tensor.Tensor // gradients of one micro-batch
	sum     map[string]*tensor.Tensor // gradients of the batch; same tensors as part where a batch is one run
	params  []pe.Param
	dropout *dropout // nil without
}

// newEngine compiles the step graph of m. Gradients are left in grads; split
// says that a batch takes several runs, whose gradients are to be added.
func newEngine(m *models.Decoder, weights, grads map[string]*tensor.Tensor, split bool, r Recipe, opt ort.Options) (*engine, error) {
	g, err := StepGraph(m, r.Dropout > 0)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := export.Write(&buf, g, nil, export.Options{ParamsAsInputs: true}); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	s, err := ort.New(buf.Bytes(), opt)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	e := &engine{session: s, fixed: map[string]*ort.Value{}, part: grads, sum: grads, params: m.Params()}
	if r.Dropout > 0 {
		e.dropout = newDropout(g, r.Dropout, r.Seed)
	}
	if split {
		e.part = map[string]*tensor.Tensor{}
		for _, p := range e.params {
			e.part[p.Name] = tensor.New(tensor.Float32, p.Shape...)
		}
	}
	if err := e.bind(weights); err != nil {
		e.close()
		return nil, fmt.Errorf("train: %w", err)
	}
	return e, nil
}

// bind ties weights, loss and gradients to the session.
func (e *engine) bind(weights map[string]*tensor.Tensor) (err error) {
	for _, p := range e.params {
		if e.fixed[p.Name], err = ort.NewValue(weights[p.Name]); err != nil {
			return err
		}
	}
	loss := tensor.New(tensor.Float32, 1)
	e.loss = tensor.Data[float32](loss)
	of := map[string]*tensor.Tensor{lossOutput: loss}
	for _, p := range e.params {
		of[gradPrefix+p.Name] = e.part[p.Name]
	}
	for _, out := range e.session.Outputs() {
		v, err := ort.NewValue(of[out.Name])
		if err != nil {
			return err
		}
		e.outputs = append(e.outputs, v)
	}
	return nil
}

// run computes loss and gradients of the batches that make one update.
func (e *engine) run(ctx context.Context, batches []Batch) (loss float64, err error) {
	for i, b := range batches {
		if err := e.runOne(ctx, b); err != nil {
			return 0, err
		}
		loss += float64(e.loss[0])
		if len(batches) > 1 {
			e.accumulate(i == 0)
		}
	}
	return loss, nil
}

// accumulate adds the gradients of one run to the batch's, or starts with them.
func (e *engine) accumulate(first bool) {
	parallel(len(e.params), func(i int) {
		name := e.params[i].Name
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

func (e *engine) runOne(ctx context.Context, b Batch) error {
	feed := map[string]*tensor.Tensor{
		"input_ids": b.IDs, "position_ids": b.Positions, labelsInput: b.Labels, weightsInput: b.Weights,
	}
	if e.dropout != nil {
		factors, err := e.dropout.factors(b)
		if err != nil {
			return err
		}
		maps.Copy(feed, factors)
	}
	var inputs []*ort.Value
	for _, in := range e.session.Inputs() {
		v, ok := e.fixed[in.Name]
		if !ok {
			var err error
			if v, err = ort.NewValue(feed[in.Name]); err != nil {
				return fmt.Errorf("train: %w", err)
			}
			defer v.Close()
		}
		inputs = append(inputs, v)
	}
	return e.session.RunValues(ctx, inputs, e.outputs)
}

func (e *engine) close() {
	for _, v := range e.fixed {
		v.Close()
	}
	for _, v := range e.outputs {
		v.Close()
	}
	e.session.Close()
}
