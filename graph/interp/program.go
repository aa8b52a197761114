// Package interp executes graphs in pure Go. It is the oracle that every other
// engine is compared with; the engine of programs built without cgo (runtime/native) leaves to
// it the operators for which it has no kernel.
//
// Kernels are plain loops over row-major data, save matrix products, which go
// through a BLAS library. One deviation from IEEE arithmetic follows from that:
// in a matrix product, zero times infinity or NaN may count as zero.
package interp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Program is a graph made ready to run. It holds no state of a run, so any
// number of runs may go on at the same time.
type Program struct {
	graph *graph.Graph
	float tensor.DType // what float32 values are computed in
	steps []step
}

// step computes one node.
type step struct {
	node *graph.Node
	run  kernel // nil for inputs, parameters and constants
	in   []int  // steps of the inputs
	free []int  // steps whose values nothing needs after this one
	lent bool   // the value lies in memory that a caller or the graph owns
	over bool   // the value may take the place of the first operand
	// value of a constant, in the precision of the program
	value *tensor.Tensor
}

// New prepares a graph for running. float, tensor.Float32 or tensor.Float64, is what every float32 value
// of the graph is computed in. In float64 inputs and parameters may be fed in either precision, and
// outputs are float64. Values that are float16 or bfloat16 in the graph are held in that precision,
// rounded to these; parameters of them may be fed so too.
//
// Runs may write over the inputs that are named: a ScatterND that is the last to read one gives the
// input itself, changed, as its value.
func New(g *graph.Graph, float tensor.DType, overwrite ...string) *Program {
	p := &Program{graph: g, float: float}
	table := kernels()
	at := map[*graph.Node]int{}
	last, viewed := map[int]int{}, map[int]bool{} // the last reader of a value; whether another shares its memory
	for i, n := range g.Nodes {
		at[n] = i
		s := step{node: n}
		switch n.Op {
		case graph.OpInput, graph.OpParam:
			s.lent = true
		case graph.OpConstant:
			s.lent, s.value = true, p.promote(n.Value)
		default:
			s.run = table[n.Op].pick(n, p.float)
			for _, in := range n.Inputs {
				s.in = append(s.in, at[in])
				last[at[in]] = i
			}
			if graph.SharesInput(n.Op) {
				s.lent, viewed[s.in[0]] = p.steps[s.in[0]].lent, true
			}
		}
		p.steps = append(p.steps, s)
	}
	for _, o := range g.Outputs {
		delete(last, at[o.Node])
	}
	for i, s := range p.steps {
		if s.node.Op == "ScatterND" {
			from := s.node.Inputs[0]
			p.steps[i].over = from.Op == graph.OpInput && slices.Contains(overwrite, from.Name) && last[s.in[0]] == i && !viewed[s.in[0]] &&
				s.in[2] != s.in[0]
		}
	}
	for value, user := range last {
		p.steps[user].free = append(p.steps[user].free, value)
	}
	return p
}

// Run computes the outputs, by name, from the fed inputs and the parameters;
// entries that the graph does not declare are ignored. It fails when one is
// missing or has another dtype or shape than declared, on an index out of
// range, and when ctx ends. The outputs are the caller's own.
func (p *Program) Run(ctx context.Context, feed, params map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if ctx == nil {
		return nil, errors.New("interp: the context is nil")
	}
	axes, err := p.bind(feed)
	if err != nil {
		return nil, fmt.Errorf("interp: %w", err)
	}
	values := make([]*tensor.Tensor, len(p.steps))
	for i, s := range p.steps {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("interp: stopped before %s: %w", s.node.Name, err)
		}
		if values[i], err = p.compute(s, values, axes, feed, params); err != nil {
			return nil, fmt.Errorf("interp: %s: %w", s.node.Name, err)
		}
		for _, dead := range s.free {
			values[dead] = nil
		}
	}
	out := make(map[string]*tensor.Tensor, len(p.graph.Outputs))
	for _, o := range p.graph.Outputs {
		i := slices.Index(p.graph.Nodes, o.Node)
		out[o.Name] = values[i]
		if p.steps[i].lent {
			out[o.Name] = values[i].Clone()
		}
	}
	return out, nil
}

// bind returns the values of the axis names.
func (p *Program) bind(feed map[string]*tensor.Tensor) (map[string]int, error) {
	if p.float == tensor.Float32 {
		return p.graph.Bind(feed)
	}
	shapes := make(map[string]*tensor.Tensor, len(feed))
	for name, t := range feed {
		if t != nil && t.DType() == tensor.Float64 {
			t = tensor.New(tensor.Float32, t.Shape()...) // Bind looks at types only
		}
		shapes[name] = t
	}
	return p.graph.Bind(shapes)
}

// compute returns the value of one step and checks it against the node's type.
func (p *Program) compute(
	s step, values []*tensor.Tensor, axes map[string]int, feed, params map[string]*tensor.Tensor,
) (*tensor.Tensor, error) {
	want, err := lengths(s.node, axes)
	if err != nil {
		return nil, err
	}
	v := s.value
	switch {
	case s.node.Op == graph.OpInput:
		v = p.promote(feed[s.node.Name])
	case s.node.Op == graph.OpParam:
		if v = params[s.node.Name]; v == nil {
			return nil, fmt.Errorf("no parameter of this name is given, want %s", s.node.Type())
		}
		v = p.promote(v)
	case s.run != nil:
		c := call{node: s.node, float: p.float, overwrite: s.over, in: make([]*tensor.Tensor, len(s.in))}
		for i, in := range s.in {
			c.in[i] = values[in]
		}
		if v, err = s.run(c); err != nil {
			return nil, err
		}
	case v == nil:
		return nil, fmt.Errorf("no kernel for operator %s", s.node.Op)
	}
	if v.DType() != p.dtype(s.node.DType) || !slices.Equal(v.Shape(), want) {
		return nil, fmt.Errorf("value is %v, want %s, which is %v%s here",
			v, s.node.Type(), p.dtype(s.node.DType), shapeText(want))
	}
	return v, nil
}

func shapeText(shape []int) string { return strings.ReplaceAll(fmt.Sprint(shape), " ", ",") }

// maxElements bounds one value, so that a nonsensical length is an error and
// not a crash.
const maxElements = 1 << 34

// lengths returns the shape of n under the given axis values.
func lengths(n *graph.Node, axes map[string]int) ([]int, error) {
	shape := make([]int, len(n.Shape))
	total := 1
	for i, d := range n.Shape {
		v, err := d.Eval(axes)
		if err != nil {
			return nil, err
		}
		if v < 0 || v > maxElements {
			return nil, fmt.Errorf("axis %s of %s is %d", d, n.Type(), v)
		}
		if v > 0 && total > maxElements/v {
			return nil, fmt.Errorf("%s has too many elements here", n.Type())
		}
		total *= v
		shape[i] = v
	}
	return shape, nil
}

// dtype is what values declared as d have in this program.
func (p *Program) dtype(d tensor.DType) tensor.DType {
	if d == tensor.Float32 || d.Halves() {
		return p.float
	}
	return d
}

// promote brings a tensor of float32 or of halves to the precision of the program.
func (p *Program) promote(t *tensor.Tensor) *tensor.Tensor {
	switch d := t.DType(); {
	case (d == tensor.Float32 || d.Halves()) && p.float == tensor.Float64:
		return numbers[float64](t)
	case d.Halves():
		return numbers[float32](t)
	}
	return t
}
