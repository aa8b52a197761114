package ort

import (
	"context"
	"errors"
	"fmt"
	"maps"
	goruntime "runtime"
	"slices"
	"sync"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Session is a loaded model. It is safe for concurrent use.
type Session struct {
	library         Library
	inputs, outputs []IO
	metadata        map[string]string
	flush           bool    // Options.FlushDenormals
	device          *device // nil where the provider computes in main memory

	mu    sync.RWMutex // runs hold it for reading, Close for writing
	api   *api
	model handle // OrtSession; 0 once closed

	inputNames, outputNames uintptr // lists of C strings
	pin                     *goruntime.Pinner
}

// New validates an ONNX model and loads it: see Options.Safety. It starts ONNX
// Runtime when no session is open yet.
func New(model []byte, opt Options) (*Session, error) {
	if !linked {
		return nil, ErrNoCgo
	}
	f, err := safety.Check(model, opt.Safety)
	if err != nil {
		return nil, fmt.Errorf("ort: read model: %w", err)
	}
	return newSession(f, opt)
}

// newSession loads a parsed model. What is parsed of it is not needed while ONNX Runtime reads the bytes.
func newSession(f *safety.File, opt Options) (*Session, error) {
	if !linked {
		return nil, ErrNoCgo
	}
	h, err := readHeader(f)
	if err != nil {
		return nil, fmt.Errorf("ort: read model: %w", err)
	}
	outputs, err := choose(h.outputs, opt.Outputs)
	if err != nil {
		return nil, fmt.Errorf("ort: %w", err)
	}
	if len(h.inputs) == 0 || len(outputs) == 0 {
		return nil, fmt.Errorf("ort: the model has %d inputs and %d outputs; it needs at least one of each",
			len(h.inputs), len(outputs))
	}
	var host hostPart
	if memoryNames[opt.Provider] != "" {
		host = hostPartOf(f.Proto.Graph)
	}
	model := f.Data
	lib, api, err := acquire(opt.Provider, opt.Library)
	if err != nil {
		return nil, err
	}
	s := &Session{library: lib, inputs: h.inputs, outputs: outputs, metadata: h.metadata,
		flush: opt.FlushDenormals, api: api, pin: new(goruntime.Pinner)}
	if s.model, err = api.load(model, host, lib, opt); err != nil {
		return nil, errors.Join(err, release())
	}
	if s.device, err = newDevice(api, s.model, host, s.inputs, opt); err != nil {
		api.releaseSession(s.model, opt.Provider)
		return nil, errors.Join(err, release())
	}
	s.inputNames, s.outputNames = cStrings(s.pin, namesOf(s.inputs)), cStrings(s.pin, namesOf(s.outputs))
	goruntime.AddCleanup(s, (*goruntime.Pinner).Unpin, s.pin) // a session that nobody closes
	return s, nil
}

// Library returns the library the session runs on, with its version.
func (s *Session) Library() Library { return s.library }

// Inputs describes what Run takes, in the order that RunValues takes it. The
// caller must not change the slice.
func (s *Session) Inputs() []IO { return s.inputs }

// Outputs describes what Run gives, in the order of Options.Outputs or else as
// declared. The caller must not change the slice.
func (s *Session) Outputs() []IO { return s.outputs }

// Metadata returns a copy of the model's metadata_props.
func (s *Session) Metadata() map[string]string { return maps.Clone(s.metadata) }

// Close waits for runs in progress and releases the session; closing again does
// nothing.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.model == 0 {
		return nil
	}
	var err error
	if s.device != nil {
		err = s.device.close()
	} else {
		s.api.call(releaseSession, uintptr(s.model))
	}
	s.model = 0
	s.pin.Unpin()
	return errors.Join(err, release())
}

// Run feeds every input by name and returns the named outputs in that order
// (all of the session's when none is named) in memory of their own. It is the
// convenient way: ONNX Runtime allocates the outputs, and they are copied. When ctx
// ends, the run is stopped between two operators and the error is ctx's.
func (s *Session) Run(ctx context.Context, inputs map[string]*tensor.Tensor, outputs ...string) ([]*tensor.Tensor,
	error) {
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if indexOf(s.inputs, name) < 0 {
			return nil, fmt.Errorf("ort: run: %w", unknown("input", name, s.inputs))
		}
	}
	chosen, err := choose(s.outputs, outputs)
	if err != nil {
		return nil, fmt.Errorf("ort: run: %w", err)
	}
	c, err := s.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	for i, io := range s.inputs {
		t := inputs[io.Name]
		if err := io.check("input", t); err != nil {
			return nil, fmt.Errorf("ort: run: %w", err)
		}
		v, err := NewValue(t)
		if err != nil {
			return nil, fmt.Errorf("ort: run: input %v: %w", io, err)
		}
		defer func() { _ = v.Close() }()
		c.in[i] = v.bound.made
	}
	defer func() {
		for _, v := range c.out {
			c.api.call(releaseValue, uintptr(v))
		}
	}()
	if err := c.start(); err != nil {
		return nil, fmt.Errorf("ort: run: %w", err)
	}
	results := make([]*tensor.Tensor, len(chosen))
	for i, io := range chosen {
		if results[i], err = c.api.contents(c.out[indexOf(s.outputs, io.Name)]); err != nil {
			return nil, fmt.Errorf("ort: run: output %v: %w", io, err)
		}
	}
	return results, nil
}

// RunValues is one Run of a call: see there. Who runs more than once under one
// context saves time with Begin.
func (s *Session) RunValues(ctx context.Context, inputs, outputs []*Value) error {
	c, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	return errors.Join(c.Run(inputs, outputs), c.Close())
}
