package ort

import (
	"context"
	"errors"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
)

func init() {
	runtime.Register(runtime.Engine{
		Name: "onnxruntime", Providers: []string{providerCPU, providerCUDA, providerWebGPU},
		Open: open, Check: check, TrimMemory: trimMemory,
	})
}

func check(opt runtime.Options) error {
	_, unusable, err := Probe(opt.Provider, opt.Library)
	return errors.Join(err, unusable)
}

// model runs a session for package runtime, without copies.
type model struct{ session *Session }

func open(file runtime.File, opt runtime.Options) (runtime.Model, error) {
	outputs := make([]string, len(file.Outputs))
	for i, p := range file.Outputs {
		outputs[i] = p.Name
	}
	s, err := New(file.Data, Options{
		Safety:  safety.Options{Unvalidated: true}, // not once more
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

// Allocate implements runtime.DeviceModel.
func (m deviceModel) Allocate(n int) (runtime.Value, error) {
	v, err := m.session.Allocate(n)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Reads implements runtime.DeviceModel.
func (m deviceModel) Reads(input int) bool { return m.session.device.lies[input] }

// Copy implements runtime.DeviceModel.
func (m deviceModel) Copy(t *tensor.Tensor) (runtime.Value, error) {
	v, err := m.session.Copy(t)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Arrange implements runtime.DeviceModel.
func (m deviceModel) Arrange(to, from runtime.Value, index []int, fill float32) error {
	return m.session.Arrange(to.(*Value), from.(*Value), index, fill)
}

// Adapter implements runtime.DeviceModel.
func (m deviceModel) Adapter() string { return m.session.Adapter() }

// Transferred implements runtime.DeviceModel.
func (m deviceModel) Transferred() (toDevice, toHost int64) { return m.session.Transferred() }

// Version implements runtime.Model.
func (m model) Version() (version, library string) {
	return m.session.Library().Version, m.session.Library().Path
}

// Bind implements runtime.Model: the value is a view of t's memory.
func (m model) Bind(t *tensor.Tensor) (runtime.Value, error) {
	v, err := NewValue(t)
	if err != nil {
		return nil, err // not v: a nil *Value in an interface is not nil
	}
	return v, nil
}

// Begin implements runtime.Model.
func (m model) Begin(ctx context.Context) (runtime.Call, error) {
	c, err := m.session.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &boundCall{Call: c}, nil
}

// Close implements runtime.Model.
func (m model) Close() error { return m.session.Close() }

// boundCall keeps the lists of values from run to run.
type boundCall struct {
	*Call
	inputs, outputs []*Value
}

// Run implements runtime.Call.
func (c *boundCall) Run(inputs, outputs []runtime.Value) error {
	c.inputs, c.outputs = valuesOf(c.inputs[:0], inputs), valuesOf(c.outputs[:0], outputs)
	return c.Call.Run(c.inputs, c.outputs)
}

// valuesOf appends values to a list.
func valuesOf(list []*Value, values []runtime.Value) []*Value {
	for _, v := range values {
		list = append(list, v.(*Value)) // Bind makes no others
	}
	return list
}
