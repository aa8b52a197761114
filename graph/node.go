// Package graph is zoo's intermediate representation: a flat graph of a small
// subset of the ONNX operators, with ONNX's names and semantics (opset 18 and,
// for the fused operators, 23), symbolic axes, shape rules and gradients.
// A model is a function that builds such a graph; the training step, the
// exported file and the pure-Go engine are all derived from it.
//
// The package knows no models, executes nothing (see interp) and does no I/O.
package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// The three kinds of node that compute nothing.
const (
	OpInput    = "Input"    // a value the caller feeds, by name
	OpParam    = "Param"    // a trained weight, by name
	OpConstant = "Constant" // a tensor known when the graph is built
)

// Node is one value: an operator applied to other values. Every operator used
// here has one output, so a node and its value are the same thing. All fields
// are read-only; nodes are made by a Builder.
type Node struct {
	Op     string
	Inputs []*Node
	Attrs  []Attr // sorted by name
	DType  tensor.DType
	Shape  []Dim
	// Name is the input's or parameter's name, or the path of an operator node
	// ("/layers.0/attn/q_proj/MatMul"). Paths are unique within a graph and are
	// not part of a node's identity.
	Name  string
	Value *tensor.Tensor // constants only

	id   int   // order of creation
	dims []Dim // contents, where they are known lengths (shape arithmetic)
}

// Attr is an operator attribute: an int64, []int64, float32 or string.
type Attr struct {
	Name  string
	Value any
}

// Dim returns axis i; negative i counts from the end. Out of range it returns
// the zero Dim, so that formulas over an erroneous value stay quiet until Build
// reports the first error.
func (n *Node) Dim(i int) Dim {
	if i < 0 {
		i += len(n.Shape)
	}
	if i < 0 || i >= len(n.Shape) {
		return Dim{}
	}
	return n.Shape[i]
}

// leaf reports whether the node computes nothing: an input, a parameter or a
// constant.
func (n *Node) leaf() bool { return n.Op == OpInput || n.Op == OpParam || n.Op == OpConstant }

// rank returns the number of axes.
func (n *Node) rank() int { return len(n.Shape) }

// Attribute returns an attribute of a node: an int64, []int64, float32 or string. Where it is absent it
// returns missing.
func Attribute[T any](n *Node, name string, missing T) T {
	for _, a := range n.Attrs {
		if a.Name == name {
			if v, ok := a.Value.(T); ok {
				return v
			}
		}
	}
	return missing
}

// Type returns dtype and shape as text, "float32[batch,seq,64]".
func (n *Node) Type() string { return n.DType.String() + shapeText(n.Shape) }

func shapeText(shape []Dim) string {
	parts := lists.Map(shape, Dim.String)
	return "[" + strings.Join(parts, ",") + "]"
}

// knownInts returns the contents of an integer node when they are all literal.
func (n *Node) knownInts() ([]int64, bool) {
	if n.dims == nil {
		return nil, false
	}
	out := make([]int64, len(n.dims))
	for i, d := range n.dims {
		v, ok := d.Int()
		if !ok {
			return nil, false
		}
		out[i] = int64(v)
	}
	return out, true
}

// held are the element types that the values of a graph can have. Models have the
// first three; the others are for files in another precision (package precision).
var held = []tensor.DType{
	tensor.Float32, tensor.Int64, tensor.Bool, tensor.Float16, tensor.Int8, tensor.Uint8, tensor.Int32,
	tensor.BFloat16, tensor.Int4,
}

// Held names the element types that the values of a graph can have.
func Held() []string { return lists.Map(held, tensor.DType.String) }

// Stores reports whether a weight of a graph can have the element type.
func Stores(d tensor.DType) bool {
	return d == tensor.Float32 || d.Halves() || d == tensor.Int8 || d == tensor.Int4
}

// Output is a named result of a graph.
type Output struct {
	Name string
	Node *Node
}

// Graph is a finished graph. Nodes holds every node that the outputs need, each
// after its inputs; Inputs holds all declared inputs that something reads, and
// Params the parameters, both in the order of their first creation.
type Graph struct {
	Nodes   []*Node
	Inputs  []*Node
	Params  []*Node
	Outputs []Output
}

// Input returns the input or the parameter with the given name, or nil: no two have the same.
func (g *Graph) Input(name string) *Node {
	return cmp.Or(byName(g.Inputs, name), byName(g.Params, name))
}

// Output returns the node behind the output with the given name, or nil.
func (g *Graph) Output(name string) *Node {
	for _, o := range g.Outputs {
		if o.Name == name {
			return o.Node
		}
	}
	return nil
}

func byName(nodes []*Node, name string) *Node {
	if i := slices.IndexFunc(nodes, func(n *Node) bool { return n.Name == name }); i >= 0 {
		return nodes[i]
	}
	return nil
}

// Bind matches the fed inputs against the declared ones and returns the value of
// each axis name: a length, or the contents of an int64 input of shape [1]. It
// checks presence, dtype, rank and lengths, and that equal names stand for equal
// values.
func (g *Graph) Bind(feed map[string]*tensor.Tensor) (map[string]int, error) {
	values := map[string]int{}
	var sums []func() error // sums are checked once all plain names are known
	for _, in := range g.Inputs {
		t := feed[in.Name]
		if t == nil {
			return nil, fmt.Errorf("input %s (%s) is not fed", in.Name, in.Type())
		}
		if t.DType() != in.DType || len(t.Shape()) != in.rank() {
			return nil, fmt.Errorf("input %s is %v, want %s", in.Name, t, in.Type())
		}
		for i, d := range in.Shape {
			got := t.Shape()[i]
			if names := d.Names(); len(names) == 1 && d == Sym(names[0]) {
				if old, seen := values[names[0]]; seen && old != got {
					return nil, fmt.Errorf("input %s is %v, want %s with %s = %d", in.Name, t, in.Type(), d, old)
				}
				values[names[0]] = got
				continue
			}
			sums = append(sums, func() error {
				want, err := d.Eval(values)
				if err == nil && want != got {
					err = fmt.Errorf("input %s is %v, want %s with %s = %d", in.Name, t, in.Type(), d, want)
				}
				return err
			})
		}
		if len(in.dims) == 1 && t.Len() == 1 { // the input is a length
			got := int(tensor.Data[int64](t)[0])
			if old, seen := values[in.Name]; seen && old != got {
				return nil, fmt.Errorf("input %s is %d, want %d, the length of the axis of this name",
					in.Name, got, old)
			}
			values[in.Name] = got
		}
	}
	for _, check := range sums {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return values, nil
}
