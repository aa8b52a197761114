package ort

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/nopezoo/zoo/runtime/engine"
)

// call runs a session again and again under one context, without allocating. It is
// not safe for concurrent use; a session may have any number of calls.
type call struct {
	session *session
	api     *api // of the environment that the call keeps
	ctx     context.Context
	options handle        // OrtRunOptions; 0 when ctx cannot end
	stop    func() bool   // keeps the end of ctx from reaching options
	ended   chan struct{} // closed when it has reached them
	closed  bool

	in, out []handle // OrtValues of the run
	pin     *goruntime.Pinner
}

// Begin implements engine.Model. The caller must Close the call.
func (s *session) Begin(ctx context.Context) (engine.Call, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	s.mu.RLock() // it must not be the last to close the environment meanwhile
	defer s.mu.RUnlock()
	if s.model == 0 {
		return nil, fmt.Errorf("ort: run: %w", ErrClosed)
	}
	api, err := retain()
	if err != nil {
		return nil, err
	}
	c := &call{session: s, api: api, ctx: ctx, in: make([]handle, len(s.inputs)), out: make([]handle, len(s.outputs)),
		pin: new(goruntime.Pinner)}
	pinSlice(c.pin, c.in)
	pinSlice(c.pin, c.out)
	goruntime.AddCleanup(c, (*goruntime.Pinner).Unpin, c.pin) // a call that nobody closes
	if ctx.Done() == nil {
		return c, nil
	}
	if c.options, err = api.create(createRunOptions); err != nil {
		c.pin.Unpin()
		return nil, errors.Join(fmt.Errorf("ort: run: %w", err), release())
	}
	c.ended = make(chan struct{})
	c.stop = context.AfterFunc(ctx, func() {
		defer close(c.ended)
		api.call(runOptionsSetTerminate, uintptr(c.options)) // it cannot fail
	})
	return c, nil
}

// Close ends the use of the call. Closing again does nothing.
func (c *call) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	if c.options != 0 {
		if !c.stop() {
			<-c.ended // it must not touch options that are gone
		}
		c.api.call(releaseRunOptions, uintptr(c.options))
	}
	c.pin.Unpin()
	return release()
}

// Run runs on bound memory: inputs and outputs stand in the order of the
// file's, none may be nil, and nothing is copied. An
// output may be bound to the memory of an input only where the graph allows it.
// The shapes of outputs must be what the model computes. When ctx ends, the run
// is stopped between two operators and the error is ctx's.
func (c *call) Run(inputs, outputs []engine.Value) error {
	s := c.session
	if len(inputs) != len(s.inputs) || len(outputs) != len(s.outputs) {
		return fmt.Errorf("ort: run: %d inputs and %d outputs given, the session has %d and %d",
			len(inputs), len(outputs), len(s.inputs), len(s.outputs))
	}
	if err := cmp.Or(checkAll("input", s.inputs, inputs), checkAll("output", s.outputs, outputs)); err != nil {
		return err
	}
	for i, v := range inputs {
		c.in[i] = v.(*value).bound.made
	}
	for i, v := range outputs {
		c.out[i] = v.(*value).bound.made
	}
	err := c.start()
	// The values must not be cleaned up while ONNX Runtime works on them.
	goruntime.KeepAlive(inputs)
	goruntime.KeepAlive(outputs)
	if err != nil {
		return fmt.Errorf("ort: run: %w", err)
	}
	s.device.count(inputs, outputs)
	return nil
}

// start runs on the values of in and out; ONNX Runtime makes the outputs that are 0.
func (c *call) start() error {
	s := c.session
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.model == 0 || c.closed {
		return ErrClosed
	}
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	defer s.device.lock()()
	err := runError(s.device, s.api.check(s.api.callIn(true, run, uintptr(s.model), uintptr(c.options),
		s.inputNames, first(c.in), uintptr(len(c.in)), s.outputNames, uintptr(len(c.out)), first(c.out))))
	if err != nil && c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return err
}

func checkAll(kind string, ports []port, values []engine.Value) error {
	for i, given := range values {
		v, ok := given.(*value)
		if !ok || v == nil {
			return fmt.Errorf("ort: run: %s %v is nil, or of another engine", kind, ports[i])
		}
		if v.bound == nil {
			return fmt.Errorf("ort: run: %s %v: %w", kind, ports[i], ErrClosed)
		}
		if !ports[i].takes(v.dtype, v.dims) {
			return fmt.Errorf("ort: run: %s %v does not take %v", kind, ports[i], v)
		}
	}
	return nil
}
