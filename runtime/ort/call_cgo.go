//go:build cgo

package ort

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"
)

// Call runs a session again and again under one context, without allocating
// where ONNX Runtime can be called directly. It is not safe for concurrent use;
// a session may have any number of calls.
type Call struct {
	session *Session
	ctx     context.Context
	options *ort.RunOptions // nil when ctx cannot end
	stop    func() bool     // keeps the end of ctx from reaching options
	ended   chan struct{}   // closed when it has reached them
	closed  bool

	inputs, outputs []ort.Value // for the binding
	in, out         []unsafe.Pointer
	terminate       unsafe.Pointer // options for direct
}

// Begin prepares to run under ctx. The caller must Close the call.
func (s *Session) Begin(ctx context.Context) (*Call, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	if _, err := retain(); err != nil {
		return nil, err
	}
	c := &Call{session: s, ctx: ctx}
	if s.direct != nil {
		c.in, c.out = make([]unsafe.Pointer, len(s.inputs)), make([]unsafe.Pointer, len(s.outputs))
	} else {
		c.inputs, c.outputs = make([]ort.Value, len(s.inputs)), make([]ort.Value, len(s.outputs))
	}
	if ctx.Done() == nil {
		return c, nil
	}
	var err error
	if c.options, err = ort.NewRunOptions(); err != nil {
		return nil, errors.Join(fmt.Errorf("ort: run: %w", err), release())
	}
	if s.direct != nil {
		c.terminate = optionsPointer(c.options)
	}
	c.ended = make(chan struct{})
	c.stop = context.AfterFunc(ctx, func() {
		defer close(c.ended)
		_ = c.options.Terminate() // it cannot fail
	})
	return c, nil
}

// Close ends the use of the call. Closing again does nothing.
func (c *Call) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	var err error
	if c.options != nil {
		if !c.stop() {
			<-c.ended // it must not touch options that are gone
		}
		err = c.options.Destroy()
	}
	return errors.Join(err, release())
}

// Run runs on bound memory: inputs and outputs stand in the order of the
// session's Inputs and Outputs, none may be nil, and nothing is copied. An
// output may be bound to the memory of an input only where the graph allows it.
// The shapes of outputs must be what the model computes. When ctx ends, the run
// is stopped between two operators and the error is ctx's.
func (c *Call) Run(inputs, outputs []*Value) error {
	s := c.session
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
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if c.closed {
		return fmt.Errorf("ort: run: %w", ErrClosed)
	}
	if c.ctx.Err() != nil {
		return fmt.Errorf("ort: run: %w", context.Cause(c.ctx))
	}
	err := c.run(inputs, outputs)
	// The values must not be cleaned up while ONNX Runtime works on them.
	goruntime.KeepAlive(inputs)
	goruntime.KeepAlive(outputs)
	if err != nil && c.ctx.Err() != nil {
		err = context.Cause(c.ctx)
	}
	if err != nil {
		return fmt.Errorf("ort: run: %w", err)
	}
	return nil
}

func (c *Call) run(inputs, outputs []*Value) error {
	s := c.session
	if s.direct != nil {
		for i, v := range inputs {
			c.in[i] = v.bound.direct
		}
		for i, v := range outputs {
			c.out[i] = v.bound.direct
		}
		return s.direct.run(s.pointer, c.terminate, s.names, c.in, c.out)
	}
	for i, v := range inputs {
		c.inputs[i] = v.bound.value
	}
	for i, v := range outputs {
		c.outputs[i] = v.bound.value
	}
	return s.session.RunWithOptions(c.inputs, c.outputs, c.options)
}

func checkAll(kind string, ios []IO, values []*Value) error {
	for i, v := range values {
		if v == nil {
			return fmt.Errorf("ort: run: %s %v is nil", kind, ios[i])
		}
		if v.bound == nil {
			return fmt.Errorf("ort: run: %s %v: %w", kind, ios[i], ErrClosed)
		}
		if !ios[i].takes(v.tensor.DType(), v.dims) {
			return fmt.Errorf("ort: run: %s %v does not take %v", kind, ios[i], v)
		}
	}
	return nil
}
