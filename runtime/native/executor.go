package native

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// executor runs a program, one run at a time. Its memory passes from run to run: as long
// as the lengths of axes are those of the run before, a run allocates nothing and plans
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
	viewed  []bool   // whether more than one value has a memory
	follow  []int    // values in memory that callers lend, after the first
	late    []int    // outputs that are copied when a run ends
	spare   []buffer // of these
	scratch []buffer // of each thread
}

// value is what a node has in a run. The memory is in the field of its type.
type value struct {
	part  *part
	shape []int
	size  int
	slots
	mine  slots          // of a value that depends on lengths alone: it stays from run to run
	other *tensor.Tensor // of other types
	root  int            // the first value that has this memory; mostly its own number
	lent  bool           // the memory is a caller's
	at    int            // place in the executor's memory
}

// slots is memory, of one type.
type slots struct {
	f []float32 // of float16, too, rounded
	i []int64
	b []bool
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
type overwriter interface{ overwrites(operand int) bool }

// viewer is a kernel whose value may be its first operand's memory as it is.
type viewer interface{ views(s *step) bool }

// buffer is memory that grows.
type buffer []float32

func (b *buffer) of(n int) []float32 {
	if n > len(*b) {
		*b = make([]float32, n)
	}
	return (*b)[:n]
}

// unending is the last reader of what is read after the run.
const unending = 1 << 62

func newExecutor(p *program, pool *pool) *executor {
	x := &executor{program: p, pool: pool, values: make([]value, len(p.nodes)), axes: make([]int, len(p.axes)),
		sizes: make([]int, len(p.lengths)), ends: make([]int, len(p.nodes)), viewed: make([]bool, len(p.nodes)),
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
	switch t.DType() {
	case tensor.Float32:
		v.f = tensor.Data[float32](t)
	case tensor.Int64:
		v.i = tensor.Data[int64](t)
	case tensor.Bool:
		v.b = tensor.Data[bool](t)
	default:
		v.other = t
	}
}

// tensor returns the value as a tensor over its memory.
func (v *value) tensor() *tensor.Tensor {
	switch v.part.node.DType {
	case tensor.Float32, tensor.Float16:
		return tensor.Of(v.f, v.shape...)
	case tensor.Int64:
		return tensor.Of(v.i, v.shape...)
	case tensor.Bool:
		return tensor.Of(v.b, v.shape...)
	}
	return v.other
}

// share gives the value the memory of another of the same size.
func (v *value) share(from *value) {
	v.slots = from.slots
	if from.other != nil {
		v.other = from.other.Reshaped(v.shape...)
	}
}

// float reports whether the value is held as float32.
func (v *value) float() bool {
	return v.part.node.DType == tensor.Float32 || v.part.node.DType == tensor.Float16
}

// held reports whether the value's memory is the executor's, for a part of a run.
func (x *executor) held(root int) bool {
	v := &x.values[root]
	return v.part.when == each && !v.lent && v.kind() != elsewhere
}

// errStopped reports that a run was stopped.
var errStopped = errors.New("stopped")

// run computes the outputs into to from the inputs, both in the order of the file. It ends
// with errStopped before the next step when it is stopped.
func (x *executor) run(from, to []*tensor.Tensor, stopped *atomic.Bool) error {
	if err := x.feed(from); err != nil {
		return err
	}
	for i, at := range x.program.outputs {
		if v := &x.values[at]; !slices.Equal(v.shape, to[i].Shape()) || to[i].DType() != tensor.Float32 || !v.float() {
			return fmt.Errorf("output %d is %s, which is %v here, want %v", i, v.part.node.Type(), v.shape, to[i])
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
	for _, i := range x.late {
		copy(tensor.Data[float32](to[i]), x.values[x.program.outputs[i]].f)
	}
	return nil
}

// feed plans the run unless it is like the last one.
func (x *executor) feed(from []*tensor.Tensor) error {
	p := x.program
	same := x.planned
	for k, i := range p.inputs {
		if i < 0 || !same {
			continue
		}
		v := &x.values[i]
		same = from[k].DType() == v.part.node.DType && slices.Equal(v.shape, from[k].Shape())
		if axis := v.part.axis; axis >= 0 && same {
			same = int64(x.axes[axis]) == tensor.Data[int64](from[k])[0]
		}
	}
	if same {
		return nil
	}
	x.planned = false
	feed := map[string]*tensor.Tensor{}
	for k, i := range p.inputs {
		if i >= 0 {
			feed[p.nodes[i].node.Name] = from[k]
		}
	}
	axes, err := p.graph.Bind(feed)
	if err != nil {
		return err
	}
	for i, name := range p.axes {
		n, known := axes[name]
		if !known {
			return fmt.Errorf("axis %s: no input says how long it is", name)
		}
		x.axes[i] = n
	}
	if err := x.plan(); err != nil {
		return err
	}
	x.planned = true
	return nil
}

// lend puts the callers' memory in place.
func (x *executor) lend(from, to []*tensor.Tensor) {
	p := x.program
	for k, i := range p.inputs {
		if i >= 0 {
			x.values[i].set(from[k])
		}
	}
	x.late = x.late[:0]
	for i, at := range p.outputs {
		root := x.values[at].root
		v := &x.values[root]
		data := tensor.Data[float32](to[i])
		switch {
		case !v.lent || v.part.when != each || p.outputOf(root, x) != i:
			x.late = append(x.late, i)
		case !x.mayWrite(v, data, from):
			v.f = x.spare[i].of(len(data))
			x.late = append(x.late, i)
		default:
			v.f = data
		}
	}
	for _, i := range x.follow {
		v := &x.values[i]
		v.share(&x.values[v.root])
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
// that of an input only if it changes the input where it lies, and nothing reads that later.
func (x *executor) mayWrite(v *value, data []float32, from []*tensor.Tensor) bool {
	if len(data) == 0 {
		return true
	}
	for k, i := range x.program.inputs {
		if from[k].DType() != tensor.Float32 || from[k].Len() == 0 || &tensor.Data[float32](from[k])[0] != &data[0] {
			continue
		}
		if i >= 0 && (v.part.node.Op != "ScatterND" || v.part.in[0] != i || x.viewed[i] || x.ends[i] != v.root) {
			return false
		}
	}
	return true
}

// maxElements bounds a value, so that a nonsensical length is an error and not a crash.
const maxElements = 1 << 34

// plan gives all values shapes and memory for the axes' lengths, has the kernels prepare,
// and computes what depends on lengths alone.
func (x *executor) plan() error {
	p := x.program
	for i, length := range p.lengths {
		x.sizes[i] = length(x.axes)
	}
	for i := range x.values {
		v := &x.values[i]
		if v.part.when == always {
			continue
		}
		v.size, v.root, v.lent = 1, i, v.part.when == fed
		for k, d := range v.part.dims {
			n := x.sizes[d]
			if n < 0 || n > maxElements {
				return fmt.Errorf("%s: axis %s of %s is %d", v.part.node.Name, v.part.node.Shape[k], v.part.node.Type(), n)
			}
			if n > 0 && v.size > maxElements/n {
				return fmt.Errorf("%s: %s has too many elements here", v.part.node.Name, v.part.node.Type())
			}
			v.shape[k] = n
			v.size *= n
		}
	}
	if err := x.share(); err != nil {
		return err
	}
	if err := x.place(); err != nil {
		return err
	}
	for k := range x.steps {
		s := &x.steps[k]
		v := s.out
		switch root := &x.values[v.root]; {
		case root != v:
			if !root.lent {
				v.share(root)
			}
		case v.part.when == lengths:
			v.own()
		case !v.lent:
			x.memory.give(v)
		}
		err := s.kernel.prepare(s)
		if err == nil && v.part.when == lengths {
			err = s.kernel.run(s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", v.part.node.Name, err)
		}
	}
	return nil
}

// own gives a value memory of its own, which stays from run to run.
func (v *value) own() {
	switch v.part.node.DType {
	case tensor.Float32, tensor.Float16:
		v.mine.f = slices.Grow(v.mine.f[:0], v.size)[:v.size]
	case tensor.Int64:
		v.mine.i = slices.Grow(v.mine.i[:0], v.size)[:v.size]
	case tensor.Bool:
		v.mine.b = slices.Grow(v.mine.b[:0], v.size)[:v.size]
	}
	v.slots = v.mine
}

// share finds which values lie in whose memory, and who reads it last.
func (x *executor) share() error {
	p := x.program
	x.follow = x.follow[:0]
	for i := range x.values {
		x.ends[i], x.viewed[i] = i, false
	}
	for k := range x.steps {
		s := &x.steps[k]
		i := s.out.part.number
		if graph.SharesInput(s.out.part.node.Op) {
			if s.in[0].size != s.out.size {
				return fmt.Errorf("%s: %v does not fit %s, which is %v here", s.out.part.node.Name, s.in[0].shape,
					s.out.part.node.Type(), s.out.shape)
			}
			s.out.root = s.in[0].root
		} else if v, may := s.kernel.(viewer); may && v.views(s) {
			s.out.root = s.in[0].root
		}
		for _, in := range s.in {
			x.ends[in.root] = i
		}
		x.ends[s.out.root] = i
		if s.out.root != i {
			x.viewed[s.out.root] = true
		}
	}
	for _, at := range p.outputs {
		v := &x.values[at]
		root := &x.values[v.root]
		if root.part.when == each && root.size == v.size && !root.lent {
			root.lent = true
		}
		if v.part.when == each {
			x.ends[v.root] = unending
		}
	}
	for i := range x.values {
		if v := &x.values[i]; v.root != i && x.values[v.root].lent {
			x.follow = append(x.follow, i)
		}
	}
	return nil
}

// place lays the values of a run out in memory, each from its step to the last one that
// reads it.
func (x *executor) place() error {
	x.memory.begin()
	for k := range x.steps {
		s := &x.steps[k]
		i := s.out.part.number
		if s.out.part.when != each {
			continue
		}
		if s.out.root == i && x.held(i) && !x.takeOver(s) {
			x.memory.take(s.out)
		}
		for _, v := range s.in {
			x.release(v.root, i)
		}
		x.release(s.out.root, i)
	}
	return x.memory.end()
}

// release frees the place of a memory that step i reads last.
func (x *executor) release(root, i int) {
	if x.ends[root] == i && x.held(root) {
		x.memory.free(&x.values[root])
		x.ends[root] = -1
	}
}

// takeOver gives a value the place of an operand that nothing reads later, where the
// kernel can do with that.
func (x *executor) takeOver(s *step) bool {
	over, may := s.kernel.(overwriter)
	if !may {
		return false
	}
	i := s.out.part.number
	for k, in := range s.in {
		root := &x.values[in.root]
		if over.overwrites(k) && x.ends[in.root] == i && x.held(in.root) && root.size == s.out.size && root.kind() == s.out.kind() {
			s.out.at = root.at
			x.ends[in.root] = -1
			return true
		}
	}
	return false
}
