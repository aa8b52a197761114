package ort

import (
	"context"
	"errors"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

func init() {
	engine.Register(engine.Engine{
		Name: "onnxruntime", Providers: []string{engine.CPU, engine.CUDA, engine.WebGPU},
		Open: open, Check: check, TrimMemory: trimMemory,
	})
}

func check(opt engine.Options) error {
	_, unusable, err := Probe(opt.Provider, opt.Library)
	return errors.Join(err, unusable)
}

// model runs a session for package runtime, without copies.
type model struct{ session *Session }

func open(file engine.File, opt engine.Options) (engine.Model, error) {
	outputs := make([]string, len(file.Outputs))
	for i, p := range file.Outputs {
		outputs[i] = p.Name
	}
	s, err := newSession(file.Parsed, Options{
		Library: opt.Library, Provider: opt.Provider, ProviderOptions: opt.ProviderOptions,
		Threads: opt.Threads, NoSpinning: opt.NoSpinning, ProfilePrefix: opt.ProfilePrefix, Outputs: outputs,
		FlushDenormals: true, AllowCPUNodes: opt.AllowCPUNodes,
	})
	if err != nil {
		return nil, err
	}
	if s.OnDevice() {
		return deviceModel{model{s}}, nil
	}
	return model{s}, nil
}

// deviceModel is a model that keeps its states on a device.
type deviceModel struct{ model }

// Allocate implements engine.DeviceModel.
func (m deviceModel) Allocate(n int) (engine.Value, error) {
	v, err := m.session.Allocate(n)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Reads implements engine.DeviceModel.
func (m deviceModel) Reads(input int) bool { return m.session.device.lies[input] }

// Copy implements engine.DeviceModel.
func (m deviceModel) Copy(t *tensor.Tensor) (engine.Value, error) {
	v, err := m.session.Copy(t)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Arrange implements engine.DeviceModel.
func (m deviceModel) Arrange(to, from engine.Value, index []int, fill float32) error {
	return m.session.Arrange(to.(*Value), from.(*Value), index, fill)
}

// Adapter implements engine.DeviceModel.
func (m deviceModel) Adapter() string { return m.session.Adapter() }

// Transferred implements engine.DeviceModel.
func (m deviceModel) Transferred() (toDevice, toHost int64) { return m.session.Transferred() }

// Version implements engine.Model.
func (m model) Version() (version, library string) {
	return m.session.Library().Version, m.session.Library().Path
}

// Bind implements engine.Model: the value is a view of t's memory.
func (m model) Bind(t *tensor.Tensor) (engine.Value, error) {
	v, err := NewValue(t)
	if err != nil {
		return nil, err // not v: a nil *Value in an interface is not nil
	}
	return v, nil
}

// Begin implements engine.Model.
func (m model) Begin(ctx context.Context) (engine.Call, error) {
	c, err := m.session.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &boundCall{Call: c}, nil
}

// Close implements engine.Model.
func (m model) Close() error { return m.session.Close() }

// boundCall keeps the lists of values from run to run.
type boundCall struct {
	*Call
	inputs, outputs []*Value
}

// Run implements engine.Call.
func (c *boundCall) Run(inputs, outputs []engine.Value) error {
	c.inputs, c.outputs = valuesOf(c.inputs[:0], inputs), valuesOf(c.outputs[:0], outputs)
	return c.Call.Run(c.inputs, c.outputs)
}

// valuesOf appends values to a list.
func valuesOf(list []*Value, values []engine.Value) []*Value {
	for _, v := range values {
		list = append(list, v.(*Value)) // Bind makes no others
	}
	return list
}
