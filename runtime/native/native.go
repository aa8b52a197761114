// Package native is the pure-Go engine of package runtime, provider "go":
//
//	import _ "github.com/nopezoo/zoo/runtime/native"
//
// It needs neither cgo nor a shared library. Package export reads the file; an executor runs
// its graph, by a plan and in memory that are made anew only when the lengths of axes change.
// Inner loops are assembly on amd64, for AVX2 or AVX-512 as the processor has them, and plain
// Go elsewhere. PERFORMANCE.md has how long it takes next to ONNX Runtime. Exact sessions
// (runtime.Options) are run by package interp, in float64: that is what this engine is
// checked against.
package native

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/runtime/engine"
)

func init() {
	engine.Register(engine.Engine{Name: "go", Providers: []string{"go"}, Open: open})
}

// open reads a file within the bounds of export.Read. Every parameter must have its
// weight in the file.
func open(file engine.File, opt engine.Options) (engine.Model, error) {
	g, weights, err := export.Read(file.Parsed)
	if err != nil {
		return nil, fmt.Errorf("native: %w", err)
	}
	for _, p := range g.Params {
		if weights[p.Name] == nil {
			return nil, fmt.Errorf("native: the file has no weight for %s %s: it is a training step, not a model", p.Name, p.Type())
		}
	}
	file.Parsed = nil
	if opt.Exact {
		return newExact(g, weights, file), nil
	}
	for name, w := range weights {
		weights[name] = widened(w)
	}
	p, err := compile(g, weights, file)
	if err != nil {
		return nil, fmt.Errorf("native: %w", err)
	}
	return &model{program: p, pool: newPool(opt.Threads, opt.NoSpinning)}, nil
}

// base is what both kinds of models have.
type base struct{}

// Version implements engine.Model.
func (base) Version() (version, library string) { return goruntime.Version(), "" }

// Bind implements engine.Model.
func (base) Bind(t *tensor.Tensor) (engine.Value, error) {
	if d := t.DType(); d != tensor.Float32 && d != tensor.Int64 {
		return nil, fmt.Errorf("native: memory of %v, want float32 or int64", d)
	}
	return newMemoryValue(t), nil
}

// memoryValue is a tensor over the start of some memory, of float32 or int64.
type memoryValue struct {
	memory *tensor.Tensor
	shape  []int
	f      []float32
	i      []int64
}

func newMemoryValue(t *tensor.Tensor) *memoryValue {
	v := &memoryValue{memory: t, shape: slices.Clone(t.Shape())}
	v.cut(t.Len())
	return v
}

// cut makes the first n numbers of the memory the value's.
func (v *memoryValue) cut(n int) {
	if v.dtype() == tensor.Int64 {
		v.i = tensor.Data[int64](v.memory)[:n]
	} else {
		v.f = tensor.Data[float32](v.memory)[:n]
	}
}

func (v *memoryValue) dtype() tensor.DType { return v.memory.DType() }

func (v *memoryValue) tensor() *tensor.Tensor {
	if v.dtype() == tensor.Int64 {
		return tensor.Of(v.i, v.shape...)
	}
	return tensor.Of(v.f, v.shape...)
}

// Reshape implements engine.Value.
func (v *memoryValue) Reshape(shape ...int) error {
	n := tensor.Numel(shape)
	if n > v.memory.Len() {
		return fmt.Errorf("the memory of %v has no room for shape %v", v.memory, slices.Clone(shape))
	}
	v.shape = append(v.shape[:0], shape...)
	v.cut(n)
	return nil
}

// Close implements engine.Value.
func (*memoryValue) Close() error { return nil }

// model computes in float32.
type model struct {
	base
	program *program
	pool    *pool
	idle    sync.Pool // of *executor: their memory is what costs
}

// Begin implements engine.Model.
func (m *model) Begin(ctx context.Context) (engine.Call, error) {
	if ctx == nil {
		return nil, errors.New("native: the context is nil")
	}
	x, ok := m.idle.Get().(*executor)
	if !ok {
		x = newExecutor(m.program, m.pool)
	}
	c := &call{model: m, x: x, ctx: ctx}
	c.watch = context.AfterFunc(ctx, func() { c.stopped.Store(true) })
	return c, nil
}

// Close implements engine.Model.
func (m *model) Close() error {
	m.pool.close()
	return nil
}

// call is runs of one executor.
type call struct {
	model    *model
	x        *executor
	ctx      context.Context
	watch    func() bool
	stopped  atomic.Bool    // the context has ended
	from, to []*memoryValue // scratch
}

// Run implements engine.Call. It stops between two operators when the context ends.
func (c *call) Run(inputs, outputs []engine.Value) error {
	if c.x == nil {
		return fmt.Errorf("native: %w", engine.ErrClosed)
	}
	if err := c.ctx.Err(); err != nil {
		return fmt.Errorf("native: %w", err)
	}
	c.from, c.to = c.from[:0], c.to[:0]
	for _, v := range inputs {
		c.from = append(c.from, v.(*memoryValue))
	}
	for _, v := range outputs {
		c.to = append(c.to, v.(*memoryValue))
	}
	x := c.x
	c.x = nil // in a panic it is lost
	err := x.run(c.from, c.to, &c.stopped)
	c.x = x
	if errors.Is(err, errStopped) {
		err = c.ctx.Err()
	}
	return wrap.Error(err, "native")
}

// Close implements engine.Call. Closing again does nothing.
func (c *call) Close() error {
	c.watch()
	if c.x != nil {
		c.model.idle.Put(c.x)
		c.x = nil // another call's, from here on
	}
	return nil
}
