package graph

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// Builder makes the nodes of one graph. Identical nodes (operator, inputs,
// attributes, contents) are one node. Its methods never panic and return no
// error: the first failure is kept, later calls do nothing, and Build returns
// it with operator, input types, layer path and source position.
type Builder struct {
	nodes []*Node
	memo  map[string]*Node
	named map[string]*Node // inputs and parameters
	paths map[string]int   // how often a node path has been taken
	scope []string
	where map[string]symbol
	err   error
}

// symbol says where the value of an axis name can be read: axis of an input.
type symbol struct {
	input *Node
	axis  int
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	return &Builder{
		memo:  map[string]*Node{},
		named: map[string]*Node{},
		paths: map[string]int{},
		where: map[string]symbol{},
	}
}

// Err returns the first failure so far.
func (b *Builder) Err() error { return b.err }

// In runs f with name added to the layer path of the nodes that f makes.
func (b *Builder) In(name string, f func()) {
	b.scope = append(b.scope, name)
	f()
	b.scope = b.scope[:len(b.scope)-1]
}

// failed is what every call returns after the first failure.
var failed = &Node{Op: "failed"}

// Fail keeps err, if it is the first failure, with layer path and the position
// of the nearest caller outside this package's builder methods.
func (b *Builder) Fail(err error) *Node {
	if b.err == nil {
		b.err = fmt.Errorf("graph: /%s: %w (built at %s)", strings.Join(b.scope, "/"), err, caller())
	}
	return failed
}

func caller() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "zoo/graph.") || !more {
			file := f.File[strings.LastIndexByte(f.File, '/')+1:]
			return fmt.Sprintf("%s:%d", file, f.Line)
		}
	}
}

// Input declares a value that the caller feeds. The contents of an int64 input
// of shape [1] can be used as a length: they are the axis named like the input.
// Declaring the same input twice returns the same node.
func (b *Builder) Input(name string, dtype tensor.DType, shape ...Dim) *Node {
	if b.err == nil && dtype == tensor.Int4 {
		return b.Fail(fmt.Errorf("%s %s is %v, which weights alone can be", OpInput, name, dtype))
	}
	n := b.declare(OpInput, name, dtype, shape)
	if n == failed {
		return n
	}
	if dtype == tensor.Int64 && len(shape) == 1 && shape[0].is(1) {
		n.dims = []Dim{Sym(name)}
		b.where[name] = symbol{n, -1}
	}
	for i, d := range shape {
		if _, literal := d.Int(); literal {
			continue
		}
		if _, known := b.where[d.String()]; !known {
			b.where[d.String()] = symbol{n, i}
		}
	}
	return n
}

// Param declares a weight of float32, float16, bfloat16, int8 or int4. Declaring it twice
// returns the same node.
func (b *Builder) Param(name string, dtype tensor.DType, shape ...int) *Node {
	dims := lists.Map(shape, N)
	if b.err == nil && !Stores(dtype) {
		return b.Fail(fmt.Errorf("%s %s is %v: a weight is float32, float16, bfloat16, int8 or int4", OpParam, name, dtype))
	}
	return b.declare(OpParam, name, dtype, dims)
}

func (b *Builder) declare(op, name string, dtype tensor.DType, shape []Dim) *Node {
	if b.err != nil {
		return failed
	}
	if !validName(name) {
		return b.Fail(fmt.Errorf("%s: %q is not a name", op, name))
	}
	if !slices.Contains(held, dtype) {
		return b.Fail(fmt.Errorf("%s %s is %v: a graph holds %s", op, name, dtype, strings.Join(Held(), ", ")))
	}
	if old, ok := b.named[name]; ok {
		if old.Op != op || old.DType != dtype || !slices.Equal(old.Shape, shape) {
			return b.Fail(fmt.Errorf("%s %s %v%s was declared before as %s %s",
				op, name, dtype, shapeText(shape), old.Op, old.Type()))
		}
		return old
	}
	n := &Node{Op: op, Name: name, DType: dtype, Shape: slices.Clone(shape)}
	b.named[name] = n
	return b.add(n)
}

// Const returns a constant. The tensor must not change afterwards.
func (b *Builder) Const(t *tensor.Tensor) *Node {
	if b.err != nil {
		return failed
	}
	if !slices.Contains(held, t.DType()) {
		return b.Fail(fmt.Errorf("a constant is %v: a graph holds %s", t, strings.Join(Held(), ", ")))
	}
	h := sha256.New()
	hashTensor(h, t)
	key := "Constant " + t.String() + string(h.Sum(nil))
	if n, ok := b.memo[key]; ok {
		return n
	}
	n := &Node{Op: OpConstant, DType: t.DType(), Shape: lists.Map(t.Shape(), N), Value: t}
	if t.DType() == tensor.Int64 && len(t.Shape()) <= 1 {
		n.dims = []Dim{}
		for _, v := range tensor.Data[int64](t) {
			n.dims = append(n.dims, N(int(v)))
		}
	}
	b.memo[key] = n
	return b.add(n)
}

// Float returns a float32 constant of shape [].
func (b *Builder) Float(v float64) *Node { return b.Const(tensor.Of([]float32{float32(v)})) }

// Ints returns an int64 constant of shape [len(v)].
func (b *Builder) Ints(v ...int64) *Node { return b.Const(tensor.Of(v, len(v))) }

func hashTensor(h hash.Hash, t *tensor.Tensor) {
	var buf [8]byte
	put := func(bits uint64) {
		binary.LittleEndian.PutUint64(buf[:], bits)
		h.Write(buf[:])
	}
	switch t.DType() {
	case tensor.Float32:
		for _, v := range tensor.Data[float32](t) {
			put(uint64(math.Float32bits(v)))
		}
	case tensor.Int64:
		for _, v := range tensor.Data[int64](t) {
			put(uint64(v))
		}
	case tensor.Bool:
		for _, v := range tensor.Data[bool](t) {
			if v {
				put(1)
			} else {
				put(0)
			}
		}
	default:
		h.Write(t.Raw())
	}
}

// Op applies any operator of the table by its ONNX name. The typed methods
// below are the usual way; readers of files use this one.
func (b *Builder) Op(op string, inputs []*Node, attrs ...Attr) *Node {
	if b.err != nil {
		return failed
	}
	n := &Node{Op: op, Inputs: slices.Clone(inputs), Attrs: slices.Clone(attrs)}
	slices.SortFunc(n.Attrs, func(x, y Attr) int { return strings.Compare(x.Name, y.Name) })
	key := n.key()
	if old, ok := b.memo[key]; ok {
		return old
	}
	if err := infer(n); err != nil {
		return b.Fail(err)
	}
	path := "/" + strings.Join(append(slices.Clone(b.scope), op), "/")
	n.Name = path
	if k := b.paths[path]; k > 0 {
		n.Name = fmt.Sprintf("%s_%d", path, k)
	}
	b.paths[path]++
	b.memo[key] = n
	return b.add(n)
}

// key identifies a node within its builder.
func (n *Node) key() string {
	var s strings.Builder
	s.WriteString(n.Op)
	for _, in := range n.Inputs {
		fmt.Fprintf(&s, " %d", in.id)
	}
	for _, a := range n.Attrs {
		fmt.Fprintf(&s, " %s=%#v", a.Name, a.Value)
	}
	return s.String()
}

func (b *Builder) add(n *Node) *Node {
	n.id = len(b.nodes)
	b.nodes = append(b.nodes, n)
	return n
}

// LengthFrom has the length of an axis that has a name read off input x from now on, instead
// of the first input that was declared with it.
func (b *Builder) LengthFrom(x *Node, axis int) {
	if x == failed || b.err != nil {
		return
	}
	if x.Op != OpInput || axis < 0 || axis >= x.rank() {
		b.Fail(fmt.Errorf("a length cannot be read off axis %d of %s", axis, x.Op))
		return
	}
	b.where[x.Shape[axis].String()] = symbol{x, axis}
}

// Len returns the value of an axis as an int64 node of shape [1].
func (b *Builder) Len(d Dim) *Node {
	if b.err != nil {
		return failed
	}
	if v, ok := d.Int(); ok {
		return b.Ints(int64(v))
	}
	if at, ok := b.where[d.String()]; ok {
		if at.axis < 0 {
			return at.input
		}
		return b.axes(at, 1)
	}
	var sum *Node
	for _, m := range d.poly() {
		var term *Node
		if m.coef != 1 || len(m.names) == 0 {
			term = b.Ints(int64(m.coef))
		}
		for _, name := range m.names {
			if _, ok := b.where[name]; !ok {
				return b.Fail(fmt.Errorf("the length %s cannot be had: no declared input has an axis %s", d, name))
			}
			term = b.combine("Mul", term, b.Len(Sym(name)))
		}
		sum = b.combine("Add", sum, term)
	}
	return sum
}

// combine is x op y, or y where there is no x yet.
func (b *Builder) combine(op string, x, y *Node) *Node {
	if x == nil {
		return y
	}
	return b.Op(op, []*Node{x, y})
}

// lens returns the lengths of a shape as one int64 node of shape [len(shape)].
func (b *Builder) lens(shape ...Dim) *Node {
	var parts []*Node
	for i := 0; i < len(shape); {
		if at, ok := b.where[shape[i].String()]; ok && at.axis >= 0 {
			n := b.run(at, shape[i:])
			parts = append(parts, b.axes(at, n))
			i += n
			continue
		}
		var lit []int64
		for ; i < len(shape); i++ {
			v, ok := shape[i].Int()
			if !ok {
				break
			}
			lit = append(lit, int64(v))
		}
		if lit != nil {
			parts = append(parts, b.Ints(lit...))
			continue
		}
		parts = append(parts, b.Len(shape[i]))
		i++
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return b.Concat(0, parts...)
}

// axes returns the lengths of count axes of an input, from at on.
func (b *Builder) axes(at symbol, count int) *Node {
	return b.Op("Shape", []*Node{at.input}, Attr{"start", int64(at.axis)}, Attr{"end", int64(at.axis + count)})
}

// run counts how many leading axes of shape are the axes of one input from at on.
func (b *Builder) run(at symbol, shape []Dim) int {
	n := 1 // at is where the first is read
	for n < len(shape) && at.axis+n < at.input.rank() && at.input.Shape[at.axis+n] == shape[n] {
		n++
	}
	return n
}

// Build finishes the graph: it keeps what the outputs need and verifies it.
// It fails with the first error of any call, or when an output is missing or
// named twice.
func (b *Builder) Build(outputs ...Output) (*Graph, error) {
	if b.err != nil {
		return nil, b.err
	}
	if len(outputs) == 0 {
		return nil, errors.New("graph: no outputs")
	}
	live := make([]bool, len(b.nodes))
	var mark func(n *Node)
	mark = func(n *Node) {
		if !live[n.id] {
			live[n.id] = true
			for _, in := range n.Inputs {
				mark(in)
			}
		}
	}
	seen := map[string]bool{}
	for _, o := range outputs {
		if o.Node == nil || o.Node == failed || o.Node.id >= len(b.nodes) || b.nodes[o.Node.id] != o.Node {
			return nil, fmt.Errorf("graph: output %q is not a node of this builder", o.Name)
		}
		if o.Name == "" || seen[o.Name] || b.named[o.Name] != nil {
			return nil, fmt.Errorf("graph: output name %q is empty or taken", o.Name)
		}
		if o.Node.DType == tensor.Int4 {
			return nil, fmt.Errorf("graph: output %q is %v, which weights alone can be", o.Name, o.Node.DType)
		}
		seen[o.Name] = true
		mark(o.Node)
	}
	g := &Graph{Outputs: slices.Clone(outputs)}
	for i, n := range b.nodes {
		if !live[i] {
			continue
		}
		g.Nodes = append(g.Nodes, n)
		switch n.Op {
		case OpInput:
			g.Inputs = append(g.Inputs, n)
		case OpParam:
			g.Params = append(g.Params, n)
		}
	}
	if err := g.verify(); err != nil {
		return nil, err
	}
	return g, nil
}
