package native

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/runtime/native/internal/simd"
)

// program is a graph and its weights made ready for executors. Nothing in it changes.
type program struct {
	graph   *graph.Graph
	nodes   []part                 // in the graph's order
	axes    []string               // the names in all shapes, sorted
	lengths []func(axes []int) int // of every axis that some value has
	inputs  []int                  // nodes, in the order of the file's inputs; −1 for one that nothing reads
	outputs []int                  // nodes, in the order of the file's outputs

	foldable int // how many numbers may yet be computed when the model is opened
}

// part is what is known of a node for all lengths.
type part struct {
	node    *graph.Node
	number  int // among the nodes
	when    when
	axis    int     // of the program, whose length an input says; −1 for none
	in      []int   // nodes
	dims    []int   // lengths of its axes
	symbols []int   // of an input: which axes of the program its own are; −1 for a number or a sum
	axes    []int64 // of a reduction
	value   *tensor.Tensor
	skip    bool         // its readers read its operand instead
	flip    bool         // the right operand of a product is read transposed
	packed  *simd.Packed // the right operand of a product, where it is known

	attended *attended // of a product that is attention

	packedInts   *simd.Ints   // of a product of integers
	packedBlocks *simd.Blocks // of a product with integers in blocks
}

// when says on what a value depends.
type when int

const (
	always  when = iota // on weights and constants alone: computed when the model is opened
	lengths             // also on the lengths of axes: computed when those change
	each                // on what a run is fed
	fed                 // an input
)

// What is computed when a model is opened is bounded, in numbers: by foldedAnyway, and beyond
// that by so many for each number of the weights. Else a small file could fill the memory.
const (
	foldedAnyway    = 1 << 24
	foldedForWeight = 4
)

// compile prepares a graph, for runs that are fed and give what a file says.
func compile(g *graph.Graph, weights map[string]*tensor.Tensor, file engine.File) (*program, error) {
	p := &program{graph: g, foldable: foldedAnyway}
	for _, w := range weights {
		p.foldable += foldedForWeight * w.Len()
	}
	inBlocks := factorsInBlocks(g)
	at := map[*graph.Node]int{}
	dims := map[graph.Dim]int{}
	for i, n := range g.Nodes {
		at[n] = i
		for _, d := range n.Shape {
			if _, known := dims[d]; !known {
				dims[d] = len(dims)
				p.axes = append(p.axes, d.Names()...)
			}
		}
	}
	slices.Sort(p.axes)
	p.axes = slices.Compact(p.axes)
	p.lengths = make([]func([]int) int, len(dims))
	for d, i := range dims {
		var err error
		if p.lengths[i], err = d.Evaluator(p.axes); err != nil {
			return nil, err
		}
	}
	for i, n := range g.Nodes {
		q := part{node: n, number: i, axis: -1}
		if n.Op == graph.OpInput && n.DType == tensor.Int64 && len(n.Shape) == 1 && n.Shape[0] == graph.N(1) {
			q.axis = slices.Index(p.axes, n.Name)
		}
		for _, d := range n.Shape {
			q.dims = append(q.dims, dims[d])
		}
		for _, x := range n.Inputs {
			q.in = append(q.in, at[x])
		}
		p.nodes = append(p.nodes, q)
		p.classify(i, weights, inBlocks[n])
	}
	p.fuse(at)
	for _, port := range file.Inputs {
		i := slices.IndexFunc(g.Nodes, func(n *graph.Node) bool { return n.Op == graph.OpInput && n.Name == port.Name })
		p.inputs = append(p.inputs, i)
	}
	for _, port := range file.Outputs {
		n := g.Output(port.Name)
		if n == nil {
			return nil, fmt.Errorf("the file has no output %s", port.Name)
		}
		p.outputs = append(p.outputs, at[n])
	}
	for i := range p.nodes {
		q := &p.nodes[i]
		for _, d := range q.node.Shape {
			symbol := -1
			if names := d.Names(); q.when == fed && len(names) == 1 && d == graph.Sym(names[0]) {
				symbol = slices.Index(p.axes, names[0])
			}
			q.symbols = append(q.symbols, symbol)
		}
		if len(q.in) == 2 && p.nodes[q.in[1]].when == always && kindOf(q.node.Inputs[1].DType) == integers {
			q.axes = tensor.Data[int64](p.nodes[q.in[1]].value)
		}
	}
	p.prune()
	p.pack()
	return p, nil
}

// prune skips what no output needs.
func (p *program) prune() {
	needed := make([]bool, len(p.nodes))
	for _, i := range p.outputs {
		needed[i] = true
	}
	for i := len(p.nodes) - 1; i >= 0; i-- {
		q := &p.nodes[i]
		if !needed[i] {
			q.skip = q.skip || q.when != fed
			continue
		}
		for _, x := range q.in {
			needed[x] = true
		}
	}
}

// factorsInBlocks are the matrices of integers in blocks that are only the right operands of products. They are never
// computed: see pack.
func factorsInBlocks(g *graph.Graph) map[*graph.Node]bool {
	found := map[*graph.Node]bool{}
	stored := func(n *graph.Node) bool { return n.Op == graph.OpParam || n.Op == graph.OpConstant }
	for _, n := range g.Nodes {
		size := graph.Attribute(n, "block_size", int64(0))
		found[n] = n.Op == "DequantizeLinear" && len(n.Shape) == 2 && size > 0 && size%2 == 0 && graph.Attribute(n, "axis", int64(1)) == 0 &&
			stored(n.Inputs[0]) && stored(n.Inputs[1])
		for i, x := range n.Inputs {
			if n.Op != "MatMul" || i == 0 {
				found[x] = false
			}
		}
	}
	for _, o := range g.Outputs {
		found[o.Node] = false
	}
	return found
}

// classify says when node i is computed, and computes it if that is now.
func (p *program) classify(i int, weights map[string]*tensor.Tensor, inBlocks bool) {
	q := &p.nodes[i]
	switch q.node.Op {
	case graph.OpInput:
		q.when = fed
	case graph.OpParam:
		q.value = weights[q.node.Name]
	case graph.OpConstant:
		q.value = widened(q.node.Value)
	case "Shape":
		q.when = lengths
	default:
		for _, x := range q.in {
			q.when = max(q.when, min(p.nodes[x].when, each))
		}
		if q.when == always && !inBlocks && !p.fold(q) {
			q.when = lengths
		}
	}
}

// fold computes what depends on weights and constants alone. It leaves what fails, or is
// too much, to the runs.
func (p *program) fold(q *part) bool {
	var shape []int
	size := 1
	for _, d := range q.node.Shape {
		n, literal := d.Int()
		if !literal || n < 0 || n > p.foldable/max(size, 1) {
			return false
		}
		shape = append(shape, n)
		size *= n
	}
	in := lists.Map(q.in, func(x int) *tensor.Tensor { return p.nodes[x].value })
	var err error
	q.value, err = interp.Apply(q.node, in, shape)
	p.foldable -= size
	return err == nil
}

// fuse has products read what was transposed only for them, and finds attention.
func (p *program) fuse(at map[*graph.Node]int) {
	readers := make([]int, len(p.nodes))
	for i := range p.nodes {
		for _, x := range p.nodes[i].in {
			readers[x]++
		}
	}
	for _, o := range p.graph.Outputs {
		readers[at[o.Node]]++
	}
	for i := range p.nodes {
		q := &p.nodes[i]
		if q.node.Op != "MatMul" {
			continue
		}
		if y := &p.nodes[q.in[1]]; y.node.Op == "Transpose" && y.when == each && readers[q.in[1]] == 1 && swapsLast(y.node) {
			y.skip = true
			q.in, q.flip = []int{q.in[0], y.in[0]}, true
		}
		p.attend(i, readers)
	}
}

// swapsLast reports whether a Transpose exchanges the last two axes and no others.
func swapsLast(n *graph.Node) bool {
	perm := graph.Attribute[[]int64](n, "perm", nil)
	k := len(perm)
	for i, a := range perm {
		want := i
		switch i {
		case k - 1:
			want = k - 2
		case k - 2:
			want = k - 1
		}
		if int(a) != want {
			return false
		}
	}
	return k >= 2
}

// pack packs the matrices that rows are multiplied with, once each, and drops those that
// nothing else reads.
func (p *program) pack() {
	type form struct {
		node       int
		transposed bool
	}
	packed, packedInts, packedBlocks := map[form]*simd.Packed{}, map[form]*simd.Ints{}, map[form]*simd.Blocks{}
	used := make([]bool, len(p.nodes))
	for i := range p.nodes {
		q := &p.nodes[i]
		if q.skip || q.when < lengths {
			continue
		}
		weight, transposed := q.weight(p)
		for k, x := range q.in {
			used[x] = used[x] || k != 1 || !weight
		}
		if !weight {
			continue
		}
		f := form{q.in[1], transposed}
		if y := &p.nodes[f.node]; y.value == nil {
			if packedBlocks[f] == nil {
				packedBlocks[f] = p.blocks(y)
			}
			q.packedBlocks = packedBlocks[f]
			continue
		}
		w := p.nodes[f.node].value
		k, n := w.Shape()[0], w.Shape()[1]
		if w.DType() == tensor.Int8 {
			if packedInts[f] == nil {
				m := simd.PackInts(tensor.Data[int8](w), k, n)
				packedInts[f] = &m
			}
			q.packedInts = packedInts[f]
			continue
		}
		if packed[f] == nil {
			stride := n
			if transposed {
				k, n = n, k
			}
			m := simd.Pack(make([]float32, simd.PackedSize(k, n)), tensor.Data[float32](w), k, n, stride, transposed)
			packed[f] = &m
		}
		q.packed = packed[f]
	}
	for _, i := range p.outputs {
		used[i] = true
	}
	for i := range p.nodes {
		if p.nodes[i].when == always && !used[i] {
			p.nodes[i].value = nil
		}
	}
}

// blocks packs a matrix of integers in blocks.
func (p *program) blocks(y *part) *simd.Blocks {
	values, scale := p.nodes[y.in[0]].value, p.nodes[y.in[1]].value
	b := simd.PackBlocks(tensor.Data[int8](values.As(tensor.Int8)), tensor.Data[float32](scale), values.Shape()[0], values.Shape()[1],
		int(graph.Attribute(y.node, "block_size", int64(0))), values.DType() == tensor.Int4)
	return &b
}

// weight reports whether the right operand of a product is a matrix that is known, and
// whether it enters transposed.
func (q *part) weight(p *program) (is, transposed bool) {
	switch q.node.Op {
	case "MatMul", "MatMulInteger":
	case "Gemm":
		if graph.Attribute(q.node, "transA", int64(0)) != 0 {
			return false, false
		}
		transposed = graph.Attribute(q.node, "transB", int64(0)) != 0
	default:
		return false, false
	}
	y := p.nodes[q.in[1]]
	return y.when == always && len(y.node.Shape) == 2, transposed
}

// widened gives float16 as float32, which values of runs are.
func widened(t *tensor.Tensor) *tensor.Tensor {
	if t.DType().Halves() {
		return t.As(tensor.Float32)
	}
	return t
}
