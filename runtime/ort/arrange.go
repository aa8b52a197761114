package ort

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Arrange sets to [outer, len(index), inner] from from [outer, slots, inner]. Both lie on the
// device, in memory of their own. Place i of the middle axis becomes what from has at
// index[i], or full of fill where index[i] is −1. It is a run of a small graph, so that the
// numbers do not leave the device.
func (s *Session) Arrange(to, from *Value, index []int, fill float32) error {
	if err := s.arrange(to, from, index, fill); err != nil {
		return fmt.Errorf("ort: arrange: %w", err)
	}
	return nil
}

func (s *Session) arrange(to, from *Value, index []int, fill float32) (err error) {
	if !s.OnDevice() {
		return errNoDevice
	}
	a, err := s.device.arranger()
	if err != nil {
		return err
	}
	at, taken := make([]int64, len(index)), make([]float32, len(index))
	for i, n := range index {
		if n >= 0 {
			at[i], taken[i] = int64(n), 1
		}
	}
	values := map[string]*Value{fromInput: from}
	for name, t := range map[string]*tensor.Tensor{
		indexInput: tensor.Of(at, len(at)), takenInput: tensor.Of(taken, len(taken), 1), fillInput: tensor.Of([]float32{fill}, 1),
	} {
		v, err := NewValue(t)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.Close()) }()
		values[name] = v
	}
	var inputs []*Value
	for _, in := range a.Inputs() {
		inputs = append(inputs, values[in.Name])
	}
	return a.RunValues(context.Background(), inputs, []*Value{to})
}

const (
	fromInput  = "from"
	indexInput = "index"
	takenInput = "taken"
	fillInput  = "fill"
)

// arranger returns the session that Arrange runs, which is made when it is first needed.
func (d *device) arranger() (*Session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.arrange != nil {
		return d.arrange, nil
	}
	file, err := arrangement()
	if err != nil {
		return nil, err
	}
	d.arrange, err = New(file, Options{Provider: d.provider, ProviderOptions: d.options, Threads: 1,
		Safety: safety.Options{Unvalidated: true}})
	return d.arrange, err
}

// arrangement is the graph of Arrange as a file.
func arrangement() ([]byte, error) {
	outer, slots, inner, kept := graph.Sym("outer"), graph.Sym("slots"), graph.Sym("inner"), graph.Sym("kept")
	b := graph.NewBuilder()
	from := b.Input(fromInput, tensor.Float32, outer, slots, inner)
	index := b.Input(indexInput, tensor.Int64, kept)
	taken := b.Input(takenInput, tensor.Float32, kept, graph.N(1))
	fill := b.Input(fillInput, tensor.Float32, graph.N(1))
	chosen := b.Where(b.Greater(taken, b.Float(0.5)), b.Gather(from, index, 1), fill)
	g, err := b.Build(graph.Output{Name: "to", Node: chosen})
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	err = export.Write(&file, g, nil, export.Options{})
	return file.Bytes(), err
}
