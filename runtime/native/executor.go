package native

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/nopezoo/zoo/graph/tensor"
)

// executor runs a program, one run at a time. Its memory passes from run to run: as long
// as the lengths of axes are as in the run before, a run allocates nothing and plans
// nothing.
type executor struct {
	program *program
	pool    *pool
	values  []value
	steps   []step // of the values that are neither known nor fed
	axes    []int  // lengths of the program's axes in the last run
	planned bool   // for these
	sizes   []int  // of the program's lengths
	memory  memory
	ends    []int    // the last reader of a memory, by the first value that has it
	follow  []int    // values in memory that callers lend, after the first
	late    []int    // outputs that are copied when a run ends
	spare   []buffer // of these
	scratch []buffer // of each thread
}

// value is what a node has in a run.
type value struct {
	part  *part
	shape []int
	size  int
	slots
	mine slots // of a value that depends on lengths alone: it stays from run to run
	root int   // the first value that has this memory; mostly its own number
	lent bool  // the memory is a caller's
	at   int   // place in the executor's memory
}

// step computes a value.
type step struct {
	kernel kernel
	in     []*value
	out    *value
	x      *executor
}

// kernel computes one operator. It belongs to one executor.
type kernel interface {
	// prepare makes ready for operands of other shapes. The contents of those that depend on
	// lengths alone are known.
	prepare(s *step) error
	run(s *step) error
}

// overwriter is a kernel that may write its value over an operand of the same size and type.
type overwriter interface {
	overwrites(s *step, operand int) bool
}

// viewer is a kernel whose value may be its first operand's memory as it is.
type viewer interface{ views(s *step) bool }

// buffer is memory that grows.
type buffer []float32

func (b *buffer) sized(n int) []float32 {
	if n > len(*b) {
		*b = make([]float32, n)
	}
	return (*b)[:n]
}

// unending is the last reader of what is read after the run.
const unending = 1 << 62

func newExecutor(p *program, pool *pool) *executor {
	x := &executor{program: p, pool: pool, values: make([]value, len(p.nodes)), axes: make([]int, len(p.axes)),
		sizes: make([]int, len(p.lengths)), ends: make([]int, len(p.nodes)),
		spare: make([]buffer, len(p.outputs)), scratch: make([]buffer, pool.threads)}
	for i := range p.nodes {
		q := &p.nodes[i]
		v := &x.values[i]
		*v = value{part: q, shape: make([]int, len(q.dims)), root: i}
		switch {
		case q.when == always:
			if q.value != nil {
				v.set(q.value)
			}
		case q.when != fed && !q.skip:
			s := step{out: v, x: x, kernel: newKernel(q)}
			for _, in := range q.in {
				s.in = append(s.in, &x.values[in])
			}
			x.steps = append(x.steps, s)
		}
	}
	return x
}

// set makes a tensor's memory the value's.
func (v *value) set(t *tensor.Tensor) {
	v.shape, v.size = append(v.shape[:0], t.Shape()...), t.Len()
	v.slots.set(t)
}

// tensor returns the value as a tensor over its memory.
func (v *value) tensor() *tensor.Tensor { return v.slots.tensor(v.kind(), v.shape) }

// held reports whether the value's memory is the executor's, for a part of a run.
func (x *executor) held(root int) bool {
	v := &x.values[root]
	return v.part.when == each && !v.lent
}

// errStopped reports that a run was stopped.
var errStopped = errors.New("stopped")

// run computes the outputs into to from the inputs, both in the order of the file. It ends
// with errStopped before the next step when it is stopped.
func (x *executor) run(from, to []*memoryValue, stopped *atomic.Bool) error {
	if err := x.feed(from); err != nil {
		return err
	}
	for i, at := range x.program.outputs {
		if v := &x.values[at]; !slices.Equal(v.shape, to[i].shape) || to[i].dtype() != tensor.Float32 || v.kind() != floats {
			return fmt.Errorf("output %d is %s, which is %v here, want %v", i, v.part.node.Type(), v.shape, to[i].tensor())
		}
	}
	x.lend(from, to)
	for k := range x.steps {
		s := &x.steps[k]
		if s.out.part.when != each {
			continue
		}
		if stopped.Load() {
			return errStopped
		}
		if err := s.kernel.run(s); err != nil {
			return fmt.Errorf("%s: %w", s.out.part.node.Name, err)
		}
	}
	for _, i := range x.late { // before another output takes an input's memory
		if v := &x.values[x.program.outputs[i]]; x.values[v.root].part.when == fed {
			kept := x.spare[i].sized(len(v.f))
			copy(kept, v.f)
			v.f = kept
		}
	}
	for _, i := range x.late {
		copy(to[i].f, x.values[x.program.outputs[i]].f)
	}
	return nil
}

// feed plans the run unless it is like the last one.
func (x *executor) feed(from []*memoryValue) error {
	if x.planned && x.like(from) {
		return nil
	}
	x.planned = false
	if !x.bind(from) {
		return x.misfed(from)
	}
	if err := x.plan(); err != nil {
		return err
	}
	x.planned = true
	return nil
}

// like reports whether a run is fed as the last one was, contents aside.
func (x *executor) like(from []*memoryValue) bool {
	for k, i := range x.program.inputs {
		if i < 0 {
			continue
		}
		v := &x.values[i]
		if from[k].dtype() != v.part.node.DType || !slices.Equal(v.shape, from[k].shape) {
			return false
		}
		if axis := v.part.axis; axis >= 0 && int64(x.axes[axis]) != from[k].i[0] {
			return false
		}
	}
	return true
}

// bind finds the lengths of axes, and reports whether all inputs agree on them. It does
// without allocations what graph.Graph.Bind does, which says what is wrong.
func (x *executor) bind(from []*memoryValue) bool {
	p := x.program
	for a := range x.axes {
		x.axes[a] = -1
	}
	set := func(axis, n int) bool {
		if x.axes[axis] < 0 {
			x.axes[axis] = n
		}
		return n >= 0 && x.axes[axis] == n
	}
	for k, i := range p.inputs {
		if i < 0 {
			continue
		}
		q := &p.nodes[i]
		if from[k].dtype() != q.node.DType || len(from[k].shape) != len(q.dims) {
			return false
		}
		for a, symbol := range q.symbols {
			if symbol >= 0 && !set(symbol, from[k].shape[a]) {
				return false
			}
		}
		if q.axis >= 0 && (len(from[k].i) != 1 || !set(q.axis, int(from[k].i[0]))) {
			return false
		}
	}
	if slices.Contains(x.axes, -1) {
		return false
	}
	for k, i := range p.inputs {
		if i < 0 {
			continue
		}
		for a, d := range p.nodes[i].dims {
			if p.lengths[d](x.axes) != from[k].shape[a] {
				return false
			}
		}
	}
	return true
}

// misfed returns what is wrong with inputs that bind refuses.
func (x *executor) misfed(from []*memoryValue) error {
	p := x.program
	feed := map[string]*tensor.Tensor{}
	for k, i := range p.inputs {
		if i >= 0 {
			feed[p.nodes[i].node.Name] = from[k].tensor()
		}
	}
	axes, err := p.graph.Bind(feed)
	if err != nil {
		return err
	}
	for _, name := range p.axes {
		if n, known := axes[name]; !known || n < 0 {
			return fmt.Errorf("axis %s: no input says how long it is, or one that it is %d long", name, n)
		}
	}
	return errors.New("the inputs do not agree on the lengths of axes")
}

// lend puts the callers' memory in place.
func (x *executor) lend(from, to []*memoryValue) {
	p := x.program
	for k, i := range p.inputs {
		if i >= 0 {
			v := &x.values[i]
			v.shape, v.size = append(v.shape[:0], from[k].shape...), product(from[k].shape)
			v.f, v.i = from[k].f, from[k].i
		}
	}
	x.late = x.late[:0]
	for i, at := range p.outputs {
		root := x.values[at].root
		v := &x.values[root]
		data := to[i].f
		switch {
		case !v.lent || v.part.when != each || p.outputOf(root, x) != i:
			x.late = append(x.late, i)
		case !x.mayWrite(v, data, from):
			v.f = x.spare[i].sized(len(data))
			x.late = append(x.late, i)
		default:
			v.f = data
		}
	}
	for _, i := range x.follow {
		v := &x.values[i]
		v.slots = x.values[v.root].slots
	}
}

// outputOf returns the first output whose value has that memory.
func (p *program) outputOf(root int, x *executor) int {
	for i, at := range p.outputs {
		if x.values[at].root == root {
			return i
		}
	}
	return -1
}

// mayWrite reports whether a value may be computed in memory that is lent to an output: in
// an input's only if it changes the input where it lies, and nothing reads that later.
func (x *executor) mayWrite(v *value, data []float32, from []*memoryValue) bool {
	if len(data) == 0 {
		return true
	}
	for k, i := range x.program.inputs {
		if len(from[k].f) == 0 || &from[k].f[0] != &data[0] {
			continue
		}
		if i >= 0 && (v.part.node.Op != "ScatterND" || v.part.in[0] != i || x.values[v.part.in[2]].root == i || x.ends[i] != v.root) {
			return false
		}
	}
	return true
}
