package native

import (
	"context"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// exact runs a model in the interpreter, in float64: it is what other engines are judged
// by, this package's fast one among them.
type exact struct {
	base
	program *interp.Program
	weights map[string]*tensor.Tensor
	changed []string    // inputs that a run may write over
	file    engine.File // without its data
}

func newExact(g *graph.Graph, weights map[string]*tensor.Tensor, file engine.File) exact {
	// What an output changes in place: where the caller lends one memory to both.
	var changed []string
	for _, o := range g.Outputs {
		if o.Node.Op == "ScatterND" && o.Node.Inputs[0].Op == graph.OpInput {
			changed = append(changed, o.Node.Inputs[0].Name)
		}
	}
	return exact{program: interp.New(g, tensor.Float64, changed...), weights: weights,
		changed: changed, file: file}
}

// Begin implements engine.Model.
func (m exact) Begin(ctx context.Context) (engine.Call, error) { return exactCall{m, ctx}, nil }

// Close implements engine.Model.
func (exact) Close() error { return nil }

type exactCall struct {
	exact
	ctx context.Context
}

// Run implements engine.Call: the interpreter stops between two operators when
// the context ends, and makes its own outputs, which are copied.
func (c exactCall) Run(inputs, outputs []engine.Value) error {
	feed := make(map[string]*tensor.Tensor, len(inputs))
	for i, v := range inputs {
		name, t := c.file.Inputs[i].Name, v.(*memoryValue).tensor()
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
		to, from := v.(*memoryValue).tensor(), results[c.file.Outputs[i].Name]
		if !slices.Equal(to.Shape(), from.Shape()) {
			return fmt.Errorf("output %v is %v, want %v", c.file.Outputs[i], from, to)
		}
		for k, x := range tensor.Data[float64](from) {
			tensor.Data[float32](to)[k] = float32(x)
		}
	}
	return nil
}
