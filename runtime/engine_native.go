package runtime

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/native"
)

// nativeEngine runs a model in pure Go.
type nativeEngine struct {
	model           *native.Model
	inputs, outputs []Port
}

func openNative(data []byte, opt Options, outputs []string) (*loaded, error) {
	m, err := native.New(data, native.Options{Exact: opt.Exact, Unvalidated: opt.Unvalidated})
	if err != nil {
		return nil, err
	}
	e := nativeEngine{model: m, inputs: portsNative(m.Inputs()), outputs: portsNative(m.Outputs())}
	if len(outputs) > 0 {
		e.outputs = slices.DeleteFunc(e.outputs, func(p Port) bool { return !slices.Contains(outputs, p.Name) })
	}
	return &loaded{
		engine: e, inputs: e.inputs, outputs: e.outputs, metadata: m.Metadata(),
		name: "go", version: goruntime.Version(),
	}, nil
}

func portsNative(list []native.IO) []Port {
	ports := make([]Port, len(list))
	for i, io := range list {
		ports[i] = Port(io)
	}
	return ports
}

// goValue is a tensor over the start of some memory.
type goValue struct{ memory, tensor *tensor.Tensor }

// Reshape implements value.
func (v *goValue) Reshape(shape ...int) error {
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

// Close implements value.
func (*goValue) Close() error { return nil }

// Bind implements engine.
func (nativeEngine) Bind(t *tensor.Tensor) (value, error) { return &goValue{t, t}, nil }

// Begin implements engine.
func (e nativeEngine) Begin(ctx context.Context) (call, error) { return nativeCall{e, ctx}, nil }

type nativeCall struct {
	nativeEngine
	ctx context.Context
}

// Run implements call. The interpreter makes its own outputs, so they are
// copied.
func (c nativeCall) Run(inputs, outputs []value) error {
	feed := make(map[string]*tensor.Tensor, len(inputs))
	for i, v := range inputs {
		feed[c.inputs[i].Name] = v.(*goValue).tensor
	}
	results, err := c.model.Run(c.ctx, feed)
	if err != nil {
		return err
	}
	for i, v := range outputs {
		to, from := v.(*goValue).tensor, results[c.outputs[i].Name]
		if !slices.Equal(to.Shape(), from.Shape()) {
			return fmt.Errorf("output %v is %v, want %v", c.outputs[i], from, to)
		}
		copy(tensor.Data[float32](to), tensor.Data[float32](from))
	}
	return nil
}

// Close implements engine.
func (nativeEngine) Close() error { return nil }
