package ort

import (
	"errors"
	goruntime "runtime"
	"sync"

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

func open(file engine.File, opt engine.Options) (engine.Model, error) {
	s, err := newSession(file, opt)
	switch {
	case err != nil:
		return nil, err
	case s.onDevice():
		return deviceSession{s}, nil
	}
	return s, nil
}

// session is a loaded model: an engine.Model.
type session struct {
	library         Library
	inputs, outputs []port
	device          *device // nil where the provider computes in main memory

	mu    sync.RWMutex // runs hold it for reading, Close for writing
	api   *api
	model handle // OrtSession; 0 once closed
	kept  *handed

	inputNames, outputNames uintptr // lists of C strings
	pin                     *goruntime.Pinner
}

// newSession loads a model. It starts ONNX Runtime when no session is open yet.
func newSession(file engine.File, opt engine.Options) (*session, error) {
	if !linked {
		return nil, ErrNoCgo
	}
	s := &session{inputs: portsOf(file.Inputs), outputs: portsOf(file.Outputs), pin: new(goruntime.Pinner)}
	if err := errors.Join(checkNames("input", s.inputs), checkNames("output", s.outputs)); err != nil {
		return nil, err
	}
	var host hostPart
	var err error
	if memoryNames[opt.Provider] != "" {
		host = hostPartOf(file.Parsed.Proto.Graph)
	}
	if s.library, s.api, err = acquire(opt.Provider, opt.Library); err != nil {
		return nil, err
	}
	if s.model, s.kept, err = s.api.load(file.Parsed, host, s.library, opt); err != nil {
		return nil, errors.Join(err, release())
	}
	if s.device, err = newDevice(s.api, s.model, host, s.inputs, opt); err != nil {
		s.api.releaseSession(s.model, opt.Provider)
		s.kept.release()
		return nil, errors.Join(err, release())
	}
	s.inputNames, s.outputNames = cStrings(s.pin, namesOf(s.inputs)), cStrings(s.pin, namesOf(s.outputs))
	goruntime.AddCleanup(s, (*goruntime.Pinner).Unpin, s.pin) // a session that nobody closes
	return s, nil
}

// Version implements engine.Model.
func (s *session) Version() (version, library string) { return s.library.Version, s.library.Path }

// Bind implements engine.Model: the value is a view of t's memory.
func (s *session) Bind(t *tensor.Tensor) (engine.Value, error) {
	v, err := bindTensor(t)
	if err != nil {
		return nil, err // not v: a nil *value in an interface is not nil
	}
	return v, nil
}

// Close waits for runs in progress and releases the session; closing again does
// nothing.
func (s *session) Close() error {
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
	s.kept.release()
	s.pin.Unpin()
	return errors.Join(err, release())
}
