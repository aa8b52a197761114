// Package attention reads the attention weights of a text. A session of package runtime
// computes what generation needs and nothing else; this package runs the same file once
// over the whole text, in the same engine, and asks for the attention weights too.
package attention

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Model is a file that is open for its attention weights.
type Model struct {
	model    engine.Model
	states   []card.State
	contract card.Contract
	heads    []int // of each layer
}

// Open opens a file that has the attention weights of every layer among its outputs
// (modelfile.Model.Attentions) and its states in place, with the engine of a provider.
func Open(file []byte, provider string) (*Model, error) {
	m, err := open(file, provider)
	if err != nil {
		return nil, fmt.Errorf("attention: %w", err)
	}
	return m, nil
}

func open(file []byte, provider string) (*Model, error) {
	linked, err := engine.Find(provider)
	if err != nil {
		return nil, err
	}
	header, err := safety.Check(file, safety.Options{})
	if err != nil {
		return nil, err
	}
	described, err := foreign.Describe(header, nil, false)
	if err != nil {
		return nil, err
	}
	contract := described.Contract
	m := &Model{states: described.Card.State, contract: contract}
	for _, s := range m.states {
		if s.Kind != card.InPlace {
			return nil, fmt.Errorf("state %s is not in place: a layer with a window, or without attention, has no weights over the whole text", s.Past)
		}
	}
	outputs := slices.Clone(contract.Outputs)
	for _, port := range header.Outputs {
		if port.Name != card.Attentions(len(m.heads)) {
			continue
		}
		heads, err := strconv.Atoi(port.Shape[1])
		if err != nil {
			return nil, fmt.Errorf("output %v does not say how many heads there are", port)
		}
		m.heads, outputs = append(m.heads, heads), append(outputs, port)
	}
	if len(m.heads) == 0 {
		return nil, errors.New("the file has no attention weights among its outputs; export it with them (modelfile.Model.Attentions)")
	}
	m.model, err = linked.Open(engine.File{Parsed: header, Inputs: contract.Inputs, Outputs: outputs},
		engine.Options{Provider: provider})
	return m, err
}

// Close releases the model.
func (m *Model) Close() error { return m.model.Close() }

// Weights returns the attention weights float32 [heads,T,T] of each layer over a text of T
// token ids: row t says how much the layer's output at token t is made of the value at each
// token. Rows add up to 1 unless the model has an attention sink.
func (m *Model) Weights(ctx context.Context, ids []int64) ([]*tensor.Tensor, error) {
	layers, err := m.weights(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("attention: %w", err)
	}
	return layers, nil
}

func (m *Model) weights(ctx context.Context, ids []int64) ([]*tensor.Tensor, error) {
	if len(ids) == 0 {
		return nil, errors.New("the text has no tokens")
	}
	for i, id := range ids {
		if id < 0 || id >= int64(m.contract.Vocab) {
			return nil, fmt.Errorf("token %d has the id %d, the vocabulary has 0 to %d", i, id, m.contract.Vocab-1)
		}
	}
	inputs, states, err := m.inputs(ids)
	if err != nil {
		return nil, err
	}
	outputs := []*tensor.Tensor{tensor.New(tensor.Float32, 1, 1, m.contract.Vocab)}
	outputs = append(outputs, states...)
	var layers []*tensor.Tensor
	for _, heads := range m.heads {
		weights := tensor.New(tensor.Float32, 1, heads, len(ids), len(ids))
		outputs, layers = append(outputs, weights), append(layers, weights.Reshaped(heads, len(ids), len(ids)))
	}
	return layers, m.run(ctx, inputs, outputs)
}

// inputs returns what the file reads of a text that nothing was read of before, and the
// states among that, in the order of the card.
func (m *Model) inputs(ids []int64) (inputs, states []*tensor.Tensor, err error) {
	n, k := len(ids), &m.contract
	places, ones := make([]int64, n), make([]int64, n)
	for i := range n {
		places[i], ones[i] = int64(i), 1
	}
	inputs = make([]*tensor.Tensor, len(k.Inputs))
	set := func(at int, t *tensor.Tensor) {
		if at >= 0 {
			inputs[at] = t
		}
	}
	set(k.IDs, tensor.Of(ids, 1, n))
	set(k.Mask, tensor.Of(ones, 1, n))
	set(k.Positions, tensor.Of(places, 1, n))
	set(k.Slots, tensor.Of(places, n))
	set(k.Keep, tensor.Of([]int64{1}, 1))
	for i, s := range m.states {
		states = append(states, tensor.New(tensor.Float32, s.AppendDims(nil, 1, n)...))
		set(k.States[i], states[i])
	}
	for i, t := range inputs {
		if t == nil {
			return nil, nil, fmt.Errorf("the file reads %v, which is not known here", k.Inputs[i])
		}
	}
	return inputs, states, nil
}

// run has the engine compute outputs. A state is one tensor among both.
func (m *Model) run(ctx context.Context, inputs, outputs []*tensor.Tensor) (err error) {
	bound := map[*tensor.Tensor]engine.Value{}
	defer func() {
		for _, v := range bound {
			err = errors.Join(err, v.Close())
		}
	}()
	bind := func(list []*tensor.Tensor) (values []engine.Value, err error) {
		for _, t := range list {
			if bound[t] == nil {
				if bound[t], err = m.model.Bind(t); err != nil {
					return nil, err
				}
			}
			values = append(values, bound[t])
		}
		return values, nil
	}
	from, err := bind(inputs)
	if err != nil {
		return err
	}
	to, err := bind(outputs)
	if err != nil {
		return err
	}
	call, err := m.model.Begin(ctx)
	if err != nil {
		return err
	}
	return errors.Join(call.Run(from, to), call.Close())
}
