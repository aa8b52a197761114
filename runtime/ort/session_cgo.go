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
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/nopezoo/zoo/graph/tensor"
)

// Session is a loaded model. It is safe for concurrent use.
type Session struct {
	library         Library
	inputs, outputs []IO
	metadata        map[string]string

	mu      sync.RWMutex // runs hold it for reading, Close for writing
	session *ort.DynamicAdvancedSession

	direct  *direct // nil: through the binding
	names   *names
	pointer unsafe.Pointer // session for direct
}

// New validates an ONNX model and loads it: see Options.Safety. It starts ONNX
// Runtime when no session is open yet.
func New(model []byte, opt Options) (*Session, error) {
	h, err := readHeader(model, opt.Safety)
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
	lib, direct, err := acquire(opt.Library)
	if err != nil {
		return nil, err
	}
	s := &Session{library: lib, inputs: h.inputs, outputs: outputs, metadata: h.metadata, direct: direct}
	in, out := namesOf(h.inputs), namesOf(outputs)
	if s.session, err = load(model, lib, in, out, opt); err != nil {
		return nil, errors.Join(err, release())
	}
	if direct != nil {
		s.names, s.pointer = newNames(in, out), sessionPointer(s.session)
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
	if s.names != nil {
		s.names.free()
	}
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
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	var pin goruntime.Pinner
	defer pin.Unpin()
	in := make([]ort.Value, len(s.inputs))
	defer destroyAll(in)
	for i, io := range s.inputs {
		t := inputs[io.Name]
		if err := io.check("input", t); err != nil {
			return nil, fmt.Errorf("ort: run: %w", err)
		}
		var err error
		if in[i], err = bind(t, &pin); err != nil {
			return nil, fmt.Errorf("ort: run: input %v: %w", io, err)
		}
	}
	results, err := s.runAllocating(ctx, in, &pin)
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
func (s *Session) runAllocating(ctx context.Context, in []ort.Value, pin *goruntime.Pinner) ([]*tensor.Tensor, error) {
	results := make([]*tensor.Tensor, len(s.outputs))
	out := make([]ort.Value, len(s.outputs))
	defer destroyAll(out)
	for i, io := range s.outputs {
		shape, static := io.static()
		switch {
		case static && len(shape) == 0:
			return nil, fmt.Errorf("ort: run: output %v has rank 0; declare it as shape [1]", io)
		case static:
			var err error
			results[i] = tensor.New(io.DType, shape...)
			if out[i], err = bind(results[i], pin); err != nil {
				return nil, fmt.Errorf("ort: run: output %v: %w", io, err)
			}
		case io.DType == tensor.Float16:
			return nil, fmt.Errorf("ort: run: output %v is float16 of dynamic shape; give its memory through RunValues", io)
		}
	}
	if err := s.runBinding(ctx, in, out); err != nil {
		return nil, fmt.Errorf("ort: run: %w", err)
	}
	for i, v := range out {
		if results[i] != nil {
			continue
		}
		var err error
		if results[i], err = copied(v); err != nil {
			return nil, fmt.Errorf("ort: run: output %v: %w", s.outputs[i], err)
		}
	}
	return results, nil
}

// runBinding runs an entered session; the binding makes the outputs that are nil.
func (s *Session) runBinding(ctx context.Context, in, out []ort.Value) error {
	c, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if err := s.session.RunWithOptions(in, out, c.options); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	return nil
}

func destroyAll(values []ort.Value) {
	for _, v := range values {
		if v != nil {
			_ = v.Destroy()
		}
	}
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

// enter keeps the session open until leave.
func (s *Session) enter() error {
	s.mu.RLock()
	if s.session == nil {
		s.mu.RUnlock()
		return fmt.Errorf("ort: run: %w", ErrClosed)
	}
	return nil
}

func (s *Session) leave() { s.mu.RUnlock() }
