package runtime_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// The providers spy-cpu and spy-go run models as cpu and go do, and watch the runtime:
// see spy.
const spied = "spy-"

func init() {
	engine.Register(engine.Engine{Name: "spy", Providers: []string{spied + "cpu", spied + "go"}, Open: openSpy})
}

// spy is a model of another engine. Memory holds NaN and token ids that do not exist when
// it is bound, whoever used it before. A run may fail, after it has written what it would
// for other tokens.
type spy struct {
	engine.Model
	inputs []card.Port
	fail   func(run int) bool // says for the run of that number, from 0, whether it fails

	mu     sync.Mutex
	runs   int
	tokens int     // of all runs, padding too
	rooms  []int   // slots of the first state, where a run has other ones than the run before
	memory []int   // elements of the first state's memory, where it is another one
	read   []int64 // the first token of each run of several
	lent   bool    // in the last run one memory was the past and present of all states
}

func openSpy(file engine.File, opt engine.Options) (engine.Model, error) {
	opt.Provider = strings.TrimPrefix(opt.Provider, spied)
	linked, _ := engine.Find(opt.Provider)
	m, err := linked.Open(file, opt)
	if err != nil {
		return nil, err
	}
	return &spy{Model: m, inputs: file.Inputs}, nil
}

// spyOf returns the model of a session that a spied provider runs.
func spyOf(s *runtime.Session) *spy { return runtime.Loaded(s).(*spy) }

// Bind implements engine.Model.
func (m *spy) Bind(t *tensor.Tensor) (engine.Value, error) {
	if t.DType() == tensor.Float32 {
		for i := range tensor.Data[float32](t) {
			tensor.Data[float32](t)[i] = float32(math.NaN())
		}
	} else {
		for i := range tensor.Data[int64](t) {
			tensor.Data[int64](t)[i] = math.MinInt64
		}
	}
	v, err := m.Model.Bind(t)
	if err != nil {
		return nil, err
	}
	return &spyValue{Value: v, memory: t}, nil
}

type spyValue struct {
	engine.Value
	memory *tensor.Tensor
	shape  []int
}

// Reshape implements engine.Value.
func (v *spyValue) Reshape(shape ...int) error {
	v.shape = slices.Clone(shape)
	return v.Value.Reshape(shape...)
}

// Begin implements engine.Model.
func (m *spy) Begin(ctx context.Context) (engine.Call, error) {
	c, err := m.Model.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return spyCall{c, m}, nil
}

type spyCall struct {
	engine.Call
	m *spy
}

var errSpy = errors.New("the spy made it fail")

// Run implements engine.Call.
func (c spyCall) Run(inputs, outputs []engine.Value) error {
	fails := c.m.note(inputs, outputs)
	if fails {
		at := slices.IndexFunc(c.m.inputs, func(p card.Port) bool { return p.Name == card.InputIDs.Name })
		ids := inputs[at].(*spyValue)
		for i := range tensor.Numel(ids.shape) {
			tensor.Data[int64](ids.memory)[i] ^= 1
		}
	}
	if err := c.Call.Run(unwrap(inputs), unwrap(outputs)); err != nil {
		return err
	}
	if fails {
		return errSpy
	}
	return nil
}

func unwrap(values []engine.Value) []engine.Value {
	out := make([]engine.Value, len(values))
	for i, v := range values {
		out[i] = v.(*spyValue).Value
	}
	return out
}

// note looks at a run that is about to begin, and reports whether it is to fail.
func (m *spy) note(inputs, outputs []engine.Value) (fails bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := inputs[slices.IndexFunc(m.inputs, func(p card.Port) bool { return p.Name == card.InputIDs.Name })].(*spyValue)
	if ids.shape[1] > 1 {
		m.read = append(m.read, tensor.Data[int64](ids.memory)[0])
	}
	m.tokens += ids.shape[0] * ids.shape[1]
	m.lent = true
	first := true
	for i, p := range m.inputs {
		if !strings.HasPrefix(p.Name, "past") {
			continue
		}
		m.lent = m.lent && slices.Contains(outputs, inputs[i])
		if axis := slices.Index(p.Shape, card.Room); first && axis >= 0 {
			first = false
			v := inputs[i].(*spyValue)
			m.rooms = addOther(m.rooms, v.shape[axis])
			m.memory = addOther(m.memory, v.memory.Len())
		}
	}
	fails = m.fail != nil && m.fail(m.runs)
	m.runs++
	return fails
}

// addOther appends what is not the last already.
func addOther(list []int, n int) []int {
	if len(list) > 0 && list[len(list)-1] == n {
		return list
	}
	return append(list, n)
}
