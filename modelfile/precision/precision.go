// Package precision turns the graph of a model into one whose large matrices are float16,
// bfloat16, or integers of 8 bits. It is one pass over any graph: what it knows of models is that a
// weight is a matrix [out, in] that rows are multiplied with (Gemm with transB), and that
// token ids pick rows of the embedding.
//
// What is narrow is what is large: these matrices, and the products with them. All else
// stays float32: norms, softmax and the encodings' arithmetic, biases and gains, states,
// inputs and outputs. Each token is rounded by itself alone, so no token has a part in how another
// is rounded. What float32 sums in another order (other rows in the batch, another cut into chunks)
// differs in its last digits, though, and where that puts a number on the other side of a rounding it
// differs by a whole level: by most in int8, whose logits can move by tenths.
package precision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/wrap"
)

// Types are the names of the precisions, as a card has them, float32 first.
var Types = []string{card.Float32, card.Float16, card.Int8, card.BFloat16}

// Check reports why a precision is none that files are written in.
func Check(dtype string) error {
	if slices.Contains(Types, dtype) {
		return nil
	}
	return fmt.Errorf("%q is no precision of files; known are %s", dtype, strings.Join(Types, ", "))
}

// scaleSuffix ends the name of what the rows of an int8 matrix are multiplied with.
const scaleSuffix = ".scale"

// Convert returns a graph and its weights in another precision, any of Types but card.Float32. The
// matrices that full names stay float32. Inputs, outputs and the names of weights stay; an int8 weight
// [out, in] has its scales [out] in a weight of its own, NAME.scale. A matrix that the precision cannot hold is
// an error.
func Convert(g *graph.Graph, weights map[string]*tensor.Tensor, dtype string, full func(name string) bool) (
	*graph.Graph, map[string]*tensor.Tensor, error,
) {
	out, err := convertGraph(g, dtype, full)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dtype, err)
	}
	weights, err = convertWeights(out, weights)
	return out, weights, err
}

func convertGraph(g *graph.Graph, dtype string, full func(name string) bool) (*graph.Graph, error) {
	c := converter{b: graph.NewBuilder(), nodes: map[*graph.Node]*graph.Node{}, narrow: matrices(g, full)}
	switch dtype {
	case card.Float16:
		c.form = halves{c.b, tensor.Float16}
	case card.BFloat16:
		c.form = halves{c.b, tensor.BFloat16}
	case card.Int8:
		c.form = int8s{c.b}
	default:
		return nil, fmt.Errorf("precision: a graph is float32 already, or becomes %s, not %q",
			strings.Join(Types[1:], " or "), dtype)
	}
	for _, n := range g.Nodes {
		within(c.b, n, func() { c.nodes[n] = c.node(n) })
	}
	outputs := lists.Map(g.Outputs, func(o graph.Output) graph.Output { return graph.Output{Name: o.Name, Node: c.get(o.Node)} })
	out, err := c.b.Build(outputs...)
	return wrap.Value(out, err, "precision")
}

// matrices finds the weights that become narrow.
func matrices(g *graph.Graph, full func(name string) bool) map[*graph.Node]bool {
	found := map[*graph.Node]bool{}
	for _, n := range g.Nodes {
		w := weightOf(n)
		if w != nil && w.DType == tensor.Float32 && len(w.Shape) == 2 && (full == nil || !full(w.Name)) {
			found[w] = true
		}
	}
	return found
}

// weightOf is the weight of a product with one, or of a look-up of tokens; else nil.
func weightOf(n *graph.Node) *graph.Node {
	switch {
	case n.Op == "Gemm" && graph.Attribute(n, "transA", int64(0)) == 0 && graph.Attribute(n, "transB", int64(0)) == 1 &&
		n.Inputs[0] != n.Inputs[1] && n.Inputs[1].Op == graph.OpParam:
		return n.Inputs[1]
	case n.Op == "Gather" && graph.Attribute(n, "axis", int64(0)) == 0 && n.Inputs[0].Op == graph.OpParam &&
		n.Inputs[1].Op == graph.OpInput && n.Inputs[1].Name == card.InputIDs.Name:
		return n.Inputs[0]
	}
	return nil
}

// within runs f in the layer path of a node.
func within(b *graph.Builder, n *graph.Node, f func()) {
	if len(n.Inputs) == 0 {
		f()
		return
	}
	path := strings.Split(strings.TrimPrefix(n.Name, "/"), "/")
	for _, name := range path[:len(path)-1] {
		inner := f
		f = func() { b.In(name, inner) }
	}
	f()
}

// form is how a precision writes weights and what is done with them.
type form interface {
	declare(p *graph.Node) *graph.Node
	product(x, w *graph.Node) *graph.Node // x wᵀ
	rows(w, at *graph.Node) *graph.Node
	wide(w *graph.Node) *graph.Node // in float32
}

type converter struct {
	b      *graph.Builder
	form   form
	narrow map[*graph.Node]bool        // of the old graph
	nodes  map[*graph.Node]*graph.Node // new by old
}

// get is the new float32 value of an old node.
func (c *converter) get(old *graph.Node) *graph.Node {
	if c.narrow[old] {
		return c.form.wide(c.nodes[old])
	}
	return c.nodes[old]
}

func (c *converter) node(n *graph.Node) *graph.Node {
	if w := weightOf(n); w != nil && c.narrow[w] {
		if n.Op == "Gather" {
			return c.form.rows(c.nodes[w], c.get(n.Inputs[1]))
		}
		return c.form.product(c.get(n.Inputs[0]), c.nodes[w])
	}
	switch {
	case n.Op == graph.OpInput:
		return c.b.Input(n.Name, n.DType, n.Shape...)
	case n.Op == graph.OpConstant:
		return c.b.Const(n.Value)
	case c.narrow[n]:
		return c.form.declare(n)
	case n.Op == graph.OpParam:
		return c.b.Param(n.Name, n.DType, lengths(n)...)
	}
	inputs := lists.Map(n.Inputs, c.get)
	return c.b.Op(n.Op, inputs, n.Attrs...)
}

// lengths are the axes of a weight.
func lengths(p *graph.Node) []int {
	shape := make([]int, len(p.Shape))
	for i, d := range p.Shape {
		shape[i], _ = d.Int()
	}
	return shape
}

// convertWeights returns the weights of a converted graph, from the weights of the graph that it
// was made of. A matrix that the precision cannot hold is an error.
func convertWeights(g *graph.Graph, weights map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	out := map[string]*tensor.Tensor{}
	for _, p := range g.Params {
		w := weights[p.Name]
		if matrix, made := strings.CutSuffix(p.Name, scaleSuffix); w == nil && made && g.Input(matrix) != nil {
			continue // with its matrix
		}
		if w == nil || w.DType() != tensor.Float32 {
			return nil, fmt.Errorf("precision: there is no float32 weight %s", p.Name)
		}
		if p.DType.Halves() {
			if err := checkHalf(w, p.DType); err != nil {
				return nil, fmt.Errorf("precision: weight %s: %w", p.Name, err)
			}
		}
		switch p.DType {
		case tensor.Float16:
			out[p.Name] = w.As(tensor.Float16)
		case tensor.BFloat16:
			out[p.Name] = w.As(tensor.BFloat16)
		case tensor.Int8:
			out[p.Name], out[p.Name+scaleSuffix] = quantized(w)
		default:
			out[p.Name] = w
		}
	}
	return out, nil
}
