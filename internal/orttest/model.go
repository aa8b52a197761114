package orttest

import (
	"context"
	"errors"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Model is a file that ONNX Runtime has loaded, whatever it is.
type Model struct {
	engine.Model
	Inputs, Outputs []card.Port // that it declares
}

// Load loads a file.
func Load(file []byte, opt engine.Options) (*Model, error) {
	parsed, err := safety.Check(file, safety.Options{Unvalidated: true})
	if err != nil {
		return nil, err
	}
	e, err := engine.Find(engine.CPU)
	if err != nil {
		return nil, err
	}
	m := &Model{Inputs: parsed.Inputs, Outputs: parsed.Outputs}
	m.Model, err = e.Open(engine.File{Parsed: parsed, Inputs: m.Inputs, Outputs: m.Outputs}, opt)
	return m, err
}

// Run runs on tensors by the names of inputs and outputs, which are written where they lie.
func (m *Model) Run(ctx context.Context, tensors map[string]*tensor.Tensor) (err error) {
	bound := func(ports []card.Port) (values []engine.Value) {
		for _, p := range ports {
			t := tensors[p.Name]
			if t == nil {
				err = errors.Join(err, fmt.Errorf("there is no tensor for %v", p))
				continue
			}
			v, failed := m.Bind(t)
			values, err = append(values, v), errors.Join(err, failed)
		}
		return values
	}
	in, out := bound(m.Inputs), bound(m.Outputs)
	if err == nil {
		err = engine.Run(ctx, m, in, out)
	}
	for _, v := range append(in, out...) {
		if v != nil {
			err = errors.Join(err, v.Close())
		}
	}
	return err
}
