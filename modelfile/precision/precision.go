// Package precision turns the graph of a model into one whose large matrices are float16,
// bfloat16, or integers of 8 or 4 bits in blocks. It is one pass over any graph: what it knows of models is that a
// weight is a matrix [out, in] that rows are multiplied with (Gemm with transB), and that
// token ids pick rows of the embedding.
//
// What is narrow is what is large: these matrices, and the products with them. All else
// stays float32: norms, softmax and the encodings' arithmetic, biases and gains, states,
// inputs and outputs. Each token is rounded by itself alone, so no token has a part in how another
// is rounded. What float32 sums in another order (other rows in the batch, another cut into chunks)
// differs in its last digits, though, and where that puts a number on the other side of a rounding it
// differs by a whole level.
package precision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// Types are the precisions that files are written in, as a card has them, float32 first, and by the shorter names that
// people give them.
var Types = []string{card.Float32, card.Float16, card.BFloat16, "int8", "int4"}

var byShortName = map[string]string{"int8": card.Int8Block, "int4": card.Int4Block}

// Parse returns a precision as a card has it, of either of its names.
func Parse(name string) (dtype string, err error) {
	dtype = cmp.Or(byShortName[name], name)
	if !slices.Contains(Types, name) && name != card.Int8Block && name != card.Int4Block {
		return "", fmt.Errorf("%q is no precision of files; known are %s", name, strings.Join(Types, ", "))
	}
	return dtype, nil
}

// Convert returns a graph and its weights in another precision than float32, as a card has it. The
// matrices that full names stay float32, and so do those that something else reads than products and token ids.
// Inputs, outputs and the names of weights stay; see blocks for what is beside a matrix of integers. A matrix that the
// precision cannot hold is an error, and so is a model of which no matrix becomes narrow.
func Convert(g *graph.Graph, weights map[string]*tensor.Tensor, dtype string, full func(name string) bool) (
	*graph.Graph, map[string]*tensor.Tensor, error,
) {
	made := map[string]*tensor.Tensor{}
	out, err := convertGraph(g, weights, dtype, full, made)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dtype, err)
	}
	weights, err = convertWeights(out, weights, made)
	return out, weights, err
}

func convertGraph(g *graph.Graph, weights map[string]*tensor.Tensor, dtype string, full func(name string) bool,
	made map[string]*tensor.Tensor,
) (*graph.Graph, error) {
	c := converter{b: graph.NewBuilder(), nodes: map[*graph.Node]*graph.Node{}}
	switch dtype {
	case card.Float16:
		c.form = halves{c.b, tensor.Float16}
	case card.BFloat16:
		c.form = halves{c.b, tensor.BFloat16}
	case card.Int8Block:
		c.form = blocks{c.b, eightBits, weights, made}
	case card.Int4Block:
		c.form = blocks{c.b, fourBits, weights, made}
	default:
		return nil, fmt.Errorf("precision: a graph is float32 already, or becomes %s, not %q",
			strings.Join(Types[1:], " or "), dtype)
	}
	c.narrow = c.matrices(g, full)
	for _, p := range g.Params {
		if w := weights[p.Name]; w == nil || w.DType() != tensor.Float32 {
			return nil, fmt.Errorf("precision: there is no float32 weight %s", p.Name)
		}
	}
	for _, n := range g.Nodes {
		within(c.b, n, func() { c.nodes[n] = c.node(n) })
	}
	outputs := lists.Map(g.Outputs, func(o graph.Output) graph.Output { return graph.Output{Name: o.Name, Node: c.plain(o.Node)} })
	out, err := c.b.Build(outputs...)
	switch {
	case err != nil:
		return nil, fmt.Errorf("precision: %w", err)
	case len(c.narrow) == 0:
		return nil, fmt.Errorf("precision: none of its matrices can be so (blocks need rows of a multiple of %d numbers)", blockSize)
	case dtype == card.Int4Block && !slices.ContainsFunc(out.Params, func(p *graph.Node) bool { return p.DType == tensor.Int4 }):
		return nil, fmt.Errorf("precision: its matrices are in blocks of 8 bits already; take int8, which leaves them as they are")
	}
	return out, nil
}

// matrices finds the weights that become narrow.
func (c *converter) matrices(g *graph.Graph, full func(name string) bool) map[*graph.Node]bool {
	found := map[*graph.Node]bool{}
	for _, n := range g.Nodes {
		w := weightOf(n)
		if w != nil && w.DType == tensor.Float32 && len(w.Shape) == 2 && (full == nil || !full(w.Name)) && c.form.fits(w) {
			found[w] = true
		}
	}
	for _, n := range g.Nodes {
		for _, x := range n.Inputs {
			if found[x] && x != weightOf(n) {
				delete(found, x)
			}
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

// form is how a precision writes weights and what is done with them. The weights are of the graph that is converted.
type form interface {
	fits(w *graph.Node) bool
	product(x, w *graph.Node) *graph.Node // x wᵀ, which may be [1,rows,out] where x is so or [rows,in]
	rows(w, at *graph.Node) *graph.Node
}

type converter struct {
	b      *graph.Builder
	form   form
	narrow map[*graph.Node]bool        // of the old graph
	nodes  map[*graph.Node]*graph.Node // new by old; new values can have one more axis in front, of length 1
}

// plain is the new value of an old node in its shape.
func (c *converter) plain(old *graph.Node) *graph.Node {
	if n := c.nodes[old]; len(n.Shape) > len(old.Shape) {
		return c.b.Squeeze(n, 0)
	}
	return c.nodes[old]
}

// byElement are operators of values [rows,width] that do the same to [1,rows,width].
var byElement = strings.Fields("Add Sub Mul Div Max Min Pow Neg Abs Exp Log Sqrt Reciprocal Tanh Erf Sigmoid Softplus Relu Cast Where")

// keepsAxis reports whether an operator can read its operands, and give its value, with an axis more in front. A Reshape
// only reads them so.
func keepsAxis(n *graph.Node) bool {
	switch n.Op {
	case "RMSNormalization":
		return graph.Attribute(n, "axis", int64(-1)) == -1
	case "ReduceMean", "ReduceSum", "ReduceMax":
		axes := n.Inputs[len(n.Inputs)-1]
		return len(n.Inputs) == 2 && axes.Op == graph.OpConstant && axes.Value.Len() == 1 && tensor.Data[int64](axes.Value)[0] == -1 &&
			graph.Attribute(n, "keepdims", int64(1)) == 1
	}
	return n.Op == "Reshape" || len(n.Shape) == 2 && slices.Contains(byElement, n.Op)
}

func (c *converter) node(n *graph.Node) *graph.Node {
	if w := weightOf(n); w != nil && c.narrow[w] {
		if n.Op == "Gather" {
			return c.form.rows(w, c.plain(n.Inputs[1]))
		}
		return c.form.product(c.nodes[n.Inputs[0]], w)
	}
	switch {
	case n.Op == graph.OpInput:
		return c.b.Input(n.Name, n.DType, n.Shape...)
	case n.Op == graph.OpConstant:
		return c.b.Const(n.Value)
	case c.narrow[n]:
		return nil // the form declares it, where it is read
	case n.Op == graph.OpParam:
		return c.b.Param(n.Name, n.DType, lengths(n)...)
	}
	read := c.plain
	if keepsAxis(n) {
		read = func(x *graph.Node) *graph.Node { return c.nodes[x] }
	}
	return c.b.Op(n.Op, lists.Map(n.Inputs, read), n.Attrs...)
}

// lengths are the axes of a weight.
func lengths(p *graph.Node) []int {
	shape := make([]int, len(p.Shape))
	for i, d := range p.Shape {
		shape[i], _ = d.Int()
	}
	return shape
}

// convertWeights returns the weights of a converted graph: those that were made for it, and of the graph that it was made of.
func convertWeights(g *graph.Graph, weights, made map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	out := map[string]*tensor.Tensor{}
	for _, p := range g.Params {
		if out[p.Name] = made[p.Name]; out[p.Name] != nil {
			continue
		}
		w := weights[p.Name]
		if out[p.Name] = w; p.DType.Halves() {
			if err := checkHalf(w, p.DType); err != nil {
				return nil, fmt.Errorf("precision: weight %s: %w", p.Name, err)
			}
			out[p.Name] = w.As(p.DType)
		}
	}
	return out, nil
}
