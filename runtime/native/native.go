// Package native is the pure-Go engine of package runtime, provider "go":
//
//	import _ "github.com/nopezoo/zoo/runtime/native"
//
// It needs neither cgo nor a shared library, and takes a multiple of the time that
// ONNX Runtime does. Package export reads the file, package interp runs its graph.
package native

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
)

func init() {
	runtime.Register(runtime.Engine{Name: "go", Providers: []string{"go"}, Open: open})
}

// model is a graph ready to run.
type model struct {
	program *interp.Program
	weights map[string]*tensor.Tensor
	changed []string     // inputs that a run may write over
	file    runtime.File // without its data
}

// open reads a file within the bounds of export.Read. Every parameter must have its
// weight in the file.
func open(file runtime.File, opt runtime.Options) (runtime.Model, error) {
	m, err := export.ReadDamaged(file.Data) // the weights have been checked, if they were to be
	if err != nil {
		return nil, fmt.Errorf("native: %w", err)
	}
	for _, p := range m.Graph.Params {
		if m.Weights[p.Name] == nil {
			return nil, fmt.Errorf("native: the file has no weight for %s %s: it is a training step, not a model", p.Name, p.Type())
		}
	}
	if !opt.Exact { // else the program widens what it computes with
		for name, w := range m.Weights {
			if w.DType().Halves() {
				m.Weights[name] = tensor.Widened(w)
			}
		}
	}
	// What an output changes in place: where the caller lends one memory to both.
	var changed []string
	for _, o := range m.Graph.Outputs {
		if o.Node.Op == "ScatterND" && o.Node.Inputs[0].Op == graph.OpInput {
			changed = append(changed, o.Node.Inputs[0].Name)
		}
	}
	opts := []interp.Option{interp.Overwrite(changed...)}
	if opt.Exact {
		opts = append(opts, interp.Float64)
	}
	file.Data = nil
	return model{interp.New(m.Graph, opts...), m.Weights, changed, file}, nil
}

// Version implements runtime.Model.
func (model) Version() (version, library string) { return goruntime.Version(), "" }

// Bind implements runtime.Model.
func (model) Bind(t *tensor.Tensor) (runtime.Value, error) { return &value{t, t}, nil }

// Begin implements runtime.Model.
func (m model) Begin(ctx context.Context) (runtime.Call, error) { return call{m, ctx}, nil }

// Close implements runtime.Model.
func (model) Close() error { return nil }

// value is a tensor over the start of some memory.
type value struct{ memory, tensor *tensor.Tensor }

// Reshape implements runtime.Value.
func (v *value) Reshape(shape ...int) error {
	n := tensor.Numel(shape)
	if n > v.memory.Len() {
		return fmt.Errorf("the memory of %v has no room for shape %v", v.memory, slices.Clone(shape))
	}
	if v.memory.DType() == tensor.Int64 {
		v.tensor = tensor.Of(tensor.Data[int64](v.memory)[:n], shape...)
	} else {
		v.tensor = tensor.Of(tensor.Data[float32](v.memory)[:n], shape...)
	}
	return nil
}

// Close implements runtime.Value.
func (*value) Close() error { return nil }

type call struct {
	model
	ctx context.Context
}

// Run implements runtime.Call: the interpreter stops between two operators when
// the context ends, and makes its own outputs, which are copied.
func (c call) Run(inputs, outputs []runtime.Value) error {
	feed := make(map[string]*tensor.Tensor, len(inputs))
	for i, v := range inputs {
		name, t := c.file.Inputs[i].Name, v.(*value).tensor
		if slices.Contains(c.changed, name) && !slices.Contains(outputs, v) {
			t = t.Clone()
		}
		feed[name] = t
	}
	results, err := c.program.Run(c.ctx, feed, c.weights)
	if err != nil {
		return err
	}
	for i, v := range outputs {
		to, from := v.(*value).tensor, results[c.file.Outputs[i].Name]
		if !slices.Equal(to.Shape(), from.Shape()) {
			return fmt.Errorf("output %v is %v, want %v", c.file.Outputs[i], from, to)
		}
		if to != from {
			write(tensor.Data[float32](to), from)
		}
	}
	return nil
}

// write copies a tensor of float32, or of float64 where that is what was computed.
func write(to []float32, from *tensor.Tensor) {
	if from.DType() == tensor.Float32 {
		copy(to, tensor.Data[float32](from))
		return
	}
	for i, v := range tensor.Data[float64](from) {
		to[i] = float32(v)
	}
}
