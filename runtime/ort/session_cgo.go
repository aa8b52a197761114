//go:build cgo

package ort

import (
	"context"
	"errors"
	"fmt"
	"maps"
	goruntime "runtime"
	"slices"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/nopezoo/zoo/graph/tensor"
)

// Session is a loaded model. It is safe for concurrent use.
type Session struct {
	library         Library
	inputs, outputs []IO
	metadata        map[string]string
	scratch         sync.Pool // of *arguments

	mu      sync.RWMutex // runs hold it for reading, Close for writing
	session *ort.DynamicAdvancedSession
}

// arguments are the argument lists of one run, kept from run to run.
type arguments struct{ inputs, outputs []ort.Value }

// New loads an ONNX model. It starts ONNX Runtime when no session is open yet.
func New(model []byte, opt Options) (*Session, error) {
	h, err := readHeader(model)
	if err != nil {
		return nil, fmt.Errorf("ort: read model: %w", err)
	}
	outputs, err := choose(h.outputs, opt.Outputs)
	if err != nil {
		return nil, fmt.Errorf("ort: %w", err)
	}
	if len(h.inputs) == 0 || len(outputs) == 0 {
		return nil, fmt.Errorf("ort: the model has %d inputs and %d outputs; it needs at least one of each", len(h.inputs), len(outputs))
	}
	lib, err := acquire(opt.Library)
	if err != nil {
		return nil, err
	}
	s := &Session{library: lib, inputs: h.inputs, outputs: outputs, metadata: h.metadata}
	s.scratch.New = func() any {
		return &arguments{make([]ort.Value, len(s.inputs)), make([]ort.Value, len(s.outputs))}
	}
	if s.session, err = load(model, lib, names(h.inputs), names(outputs), opt); err != nil {
		return nil, errors.Join(err, release())
	}
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
	if s.session == nil {
		return nil
	}
	err := s.session.Destroy()
	s.session = nil
	return errors.Join(err, release())
}

// Run feeds every input by name and returns the named outputs in that order
// (all of the session's when none is named) in memory of their own. It is the
// convenient way: ONNX Runtime allocates the outputs whose shape is not static,
// and they are copied. When ctx ends, the run is stopped between two operators
// and the error is ctx's.
func (s *Session) Run(ctx context.Context, inputs map[string]*tensor.Tensor, outputs ...string) ([]*tensor.Tensor, error) {
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if indexOf(s.inputs, name) < 0 {
			return nil, fmt.Errorf("ort: run: %w", unknown("input", name, s.inputs))
		}
	}
	if _, err := choose(s.outputs, outputs); err != nil {
		return nil, fmt.Errorf("ort: run: %w", err)
	}
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	in := make([]*Value, len(s.inputs))
	defer closeAll(in)
	for i, io := range s.inputs {
		t := inputs[io.Name]
		if err := io.check("input", t); err != nil {
			return nil, fmt.Errorf("ort: run: %w", err)
		}
		if in[i], err = NewValue(t); err != nil {
			return nil, fmt.Errorf("ort: run: input %v: %w", io, err)
		}
	}
	results, err := s.runAllocating(ctx, in)
	if err != nil || len(outputs) == 0 {
		return results, err
	}
	chosen := make([]*tensor.Tensor, len(outputs))
	for i, name := range outputs {
		chosen[i] = results[indexOf(s.outputs, name)]
	}
	return chosen, nil
}

// runAllocating makes the outputs: here where the shape is static, else by ONNX
// Runtime.
func (s *Session) runAllocating(ctx context.Context, in []*Value) ([]*tensor.Tensor, error) {
	results := make([]*tensor.Tensor, len(s.outputs))
	out := make([]*Value, len(s.outputs))
	defer closeAll(out)
	for i, io := range s.outputs {
		shape, static := io.static()
		switch {
		case static && len(shape) == 0:
			return nil, fmt.Errorf("ort: run: output %v has rank 0; declare it as shape [1]", io)
		case static:
			var err error
			results[i] = tensor.New(io.DType, shape...)
			if out[i], err = NewValue(results[i]); err != nil {
				return nil, fmt.Errorf("ort: run: output %v: %w", io, err)
			}
		case io.DType == tensor.Float16:
			return nil, fmt.Errorf("ort: run: output %v is float16 of dynamic shape; give its memory through RunValues", io)
		}
	}
	err := s.run(ctx, in, out, func(made []ort.Value) error {
		for i, v := range made {
			if out[i] != nil {
				continue
			}
			made[i] = nil
			var err error
			if results[i], err = adoptTensor(v); err != nil {
				return fmt.Errorf("output %v: %w", s.outputs[i], err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// RunValues runs on bound memory: inputs and outputs stand in the order of
// Inputs and Outputs, none may be nil, and nothing is allocated or copied. An
// output may be bound to the memory of an input only where the graph allows it.
// The shapes of outputs must be what the model computes. When ctx can end, the
// run is stopped as in Run; context.Background() is the fastest.
func (s *Session) RunValues(ctx context.Context, inputs, outputs []*Value) error {
	if len(inputs) != len(s.inputs) || len(outputs) != len(s.outputs) {
		return fmt.Errorf("ort: run: %d inputs and %d outputs given, the session has %d and %d",
			len(inputs), len(outputs), len(s.inputs), len(s.outputs))
	}
	if err := checkAll("input", s.inputs, inputs); err != nil {
		return err
	}
	if err := checkAll("output", s.outputs, outputs); err != nil {
		return err
	}
	leave, err := s.enter()
	if err != nil {
		return err
	}
	defer leave()
	return s.run(ctx, inputs, outputs, nil)
}

func checkAll(kind string, ios []IO, values []*Value) error {
	for i, v := range values {
		if v == nil {
			return fmt.Errorf("ort: run: %s %v is nil", kind, ios[i])
		}
		if v.bound == nil {
			return fmt.Errorf("ort: run: %s %v: %w", kind, ios[i], ErrClosed)
		}
		if err := ios[i].check(kind, v.tensor); err != nil {
			return fmt.Errorf("ort: run: %w", err)
		}
	}
	return nil
}

// enter keeps the session open until leave; the caller defers it.
func (s *Session) enter() (leave func(), err error) {
	s.mu.RLock()
	if s.session == nil {
		s.mu.RUnlock()
		return nil, fmt.Errorf("ort: run: %w", ErrClosed)
	}
	return s.mu.RUnlock, nil
}

// run calls ONNX Runtime on an entered session. Where an output is nil it allocates one; take then
// receives the outputs and owns those. take is nil when there are none.
func (s *Session) run(ctx context.Context, in, out []*Value, take func([]ort.Value) error) error {
	args := s.scratch.Get().(*arguments)
	defer func() {
		clear(args.inputs)
		clear(args.outputs)
		s.scratch.Put(args)
	}()
	for i, v := range in {
		args.inputs[i] = v.bound.value
	}
	for i, v := range out {
		if v != nil {
			args.outputs[i] = v.bound.value
		}
	}
	err := call(ctx, s.session, args)
	// The values must not be cleaned up while ONNX Runtime works on them.
	goruntime.KeepAlive(in)
	goruntime.KeepAlive(out)
	if err == nil && take != nil {
		err = take(args.outputs)
	}
	if err != nil {
		for i, v := range args.outputs { // made by a run that failed half way
			if v != nil && out[i] == nil {
				_ = v.Destroy()
			}
		}
		return fmt.Errorf("ort: run: %w", err)
	}
	return nil
}

// call runs the session, stopped when ctx ends.
func call(ctx context.Context, session *ort.DynamicAdvancedSession, args *arguments) error {
	if ctx.Done() == nil {
		return session.Run(args.inputs, args.outputs)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ro, err := ort.NewRunOptions()
	if err != nil {
		return err
	}
	defer func() { _ = ro.Destroy() }()
	terminated := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(terminated)
		_ = ro.Terminate() // it cannot fail
	})
	err = session.RunWithOptions(args.inputs, args.outputs, ro)
	if !stop() {
		<-terminated // it must not touch options that are gone
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func closeAll(values []*Value) {
	for _, v := range values {
		if v != nil {
			_ = v.Close()
		}
	}
}
