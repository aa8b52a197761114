package ort

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Linked says whether this build can load ONNX Runtime.
const Linked = linked

// Started reports whether there is an environment.
func Started() bool {
	env.mu.Lock()
	defer env.mu.Unlock()
	return started()
}

// Value is what Bind makes; it needs no session, but an environment.
type Value = value

var NewValue = bindTensor

// Session is a session of a file whose header says what it takes and gives.
type Session struct{ deviceSession }

// Options are engine.Options, and which outputs are computed: all for none.
type Options struct {
	Library, Provider, ProfilePrefix    string
	Threads                             int
	AllowCPUNodes, NoSpinning, Training bool
	Outputs                             []string
}

func New(model []byte, opt Options) (*Session, error) {
	var file engine.File
	if len(model) > 0 {
		parsed, err := safety.Check(model, safety.Options{Unvalidated: true})
		if err != nil {
			return nil, err
		}
		file = engine.File{Parsed: parsed, Inputs: parsed.Inputs, Outputs: parsed.Outputs}
	}
	declared := map[string]card.Port{}
	for _, p := range file.Outputs {
		declared[p.Name] = p
	}
	if opt.Outputs != nil {
		file.Outputs = nil
		for _, name := range opt.Outputs {
			file.Outputs = append(file.Outputs, declared[name])
		}
	}
	s, err := newSession(file, engine.Options{Library: opt.Library, Provider: opt.Provider, ProfilePrefix: opt.ProfilePrefix,
		Threads: opt.Threads, AllowCPUNodes: opt.AllowCPUNodes, NoSpinning: opt.NoSpinning, Training: opt.Training})
	return &Session{deviceSession{s}}, err
}

func (s *Session) Inputs() []port  { return s.inputs }
func (s *Session) Outputs() []port { return s.outputs }
func (s *Session) OnDevice() bool  { return s.onDevice() }

// Library is what the session runs on.
func (s *Session) Library() Library { return s.library }

// RunValues is one run.
func (s *Session) RunValues(ctx context.Context, inputs, outputs []engine.Value) error {
	return engine.Run(ctx, s, inputs, outputs)
}

// Run runs on tensors by name, and returns all outputs in new ones: their lengths are the inputs', by the names of axes.
func (s *Session) Run(ctx context.Context, inputs map[string]*tensor.Tensor) ([]*tensor.Tensor, error) {
	c, err := s.Begin(ctx) // which is what keeps an environment
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	lengths := map[string]int{}
	var in, out []engine.Value
	bound := func(t *tensor.Tensor) (engine.Value, error) { return s.Bind(t) }
	defer func() {
		for _, v := range append(in, out...) {
			_ = v.Close()
		}
	}()
	for _, p := range s.inputs {
		t := inputs[p.Name]
		v, err := bound(t)
		if err != nil {
			return nil, err
		}
		in = append(in, v)
		for i, axis := range p.Shape[:min(len(p.Shape), len(t.Shape()))] {
			lengths[axis] = t.Shape()[i]
		}
	}
	var results []*tensor.Tensor
	for _, p := range s.outputs {
		var shape []int
		for _, axis := range p.Shape {
			n := 0
			for part := range strings.SplitSeq(axis, "+") {
				fixed, err := strconv.Atoi(part)
				if known, ok := lengths[part]; err != nil && ok {
					fixed = known
				} else if err != nil {
					return nil, fmt.Errorf("no input has the axis %s", axis)
				}
				n += fixed
			}
			shape = append(shape, n)
		}
		t := tensor.New(dtypes[p.DType], shape...)
		v, err := bound(t)
		if err != nil {
			return nil, err
		}
		results, out = append(results, t), append(out, v)
	}
	return results, c.Run(in, out)
}

var dtypes = map[string]tensor.DType{}

func init() {
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int64, tensor.Bool} {
		dtypes[d.String()] = d
	}
}
