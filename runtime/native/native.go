// Package native runs model files in pure Go: package export reads the file,
// package interp executes its graph. It works without cgo and without any
// shared library, for a multiple of the time that ONNX Runtime takes.
package native

import (
	"context"
	"fmt"
	"maps"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Model is a loaded model file. It is safe for concurrent use.
type Model struct {
	program         *interp.Program
	weights         map[string]*tensor.Tensor
	inputs, outputs []IO
	metadata        map[string]string
}

// IO describes one input or output: its axes are integers or names, such as
// "batch", "past+seq" or "64".
type IO struct {
	Name  string
	DType tensor.DType
	Shape []string
}

// Options say how a model is read and run.
type Options struct {
	// Exact computes in float64, as a reference for float32 engines; the outputs are
	// float32 all the same.
	Exact bool
	// Unvalidated takes weights too that are not those of the file's card.
	Unvalidated bool
}

// New reads an ONNX file within the bounds of export.Read. Every parameter must
// have its weight in the file.
func New(data []byte, opt Options) (*Model, error) {
	read := export.Read
	if opt.Unvalidated {
		read = export.ReadDamaged
	}
	file, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("native: %w", err)
	}
	for _, p := range file.Graph.Params {
		if file.Weights[p.Name] == nil {
			return nil, fmt.Errorf("native: the file has no weight for %s %s: it is a training step, not a model", p.Name, p.Type())
		}
	}
	var opts []interp.Option
	if opt.Exact {
		opts = append(opts, interp.Float64)
	}
	m := &Model{program: interp.New(file.Graph, opts...), weights: file.Weights, metadata: file.Info.Metadata}
	for _, n := range file.Graph.Inputs {
		m.inputs = append(m.inputs, describe(n.Name, n))
	}
	for _, o := range file.Graph.Outputs {
		m.outputs = append(m.outputs, describe(o.Name, o.Node))
	}
	return m, nil
}

func describe(name string, n *graph.Node) IO {
	io := IO{Name: name, DType: n.DType}
	for _, d := range n.Shape {
		io.Shape = append(io.Shape, d.String())
	}
	return io
}

// Inputs describes what Run takes. The caller must not change the slice.
func (m *Model) Inputs() []IO { return m.inputs }

// Outputs describes what Run gives. The caller must not change the slice.
func (m *Model) Outputs() []IO { return m.outputs }

// Metadata returns a copy of the file's metadata_props.
func (m *Model) Metadata() map[string]string { return maps.Clone(m.metadata) }

// Run computes every output, by name, from the inputs, by name. It stops
// between two operators when ctx ends; the error then wraps ctx's. The outputs
// are the caller's own.
func (m *Model) Run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	out, err := m.program.Run(ctx, inputs, m.weights)
	for name, t := range out {
		out[name] = rounded(t)
	}
	return out, err
}

// rounded returns a float64 tensor in float32, and any other as it is.
func rounded(t *tensor.Tensor) *tensor.Tensor {
	if t.DType() != tensor.Float64 {
		return t
	}
	r := tensor.New(tensor.Float32, t.Shape()...)
	for i, v := range tensor.Data[float64](t) {
		tensor.Data[float32](r)[i] = float32(v)
	}
	return r
}
