package graph

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

// Gradient adds the reverse-mode derivative of loss to the builder and returns
// ∂loss/∂t for each target, each with its target's shape; zeros where loss does
// not depend on it. loss must be a float32 node of one element. The result is
// ordinary nodes, made from the same operators as the forward pass.
func Gradient(b *Builder, loss *Node, targets []*Node) []*Node {
	out := make([]*Node, len(targets))
	if b.err == nil && (loss.DType != tensor.Float32 || !product(loss.Shape).is(1)) {
		b.Fail(fmt.Errorf("gradient of %s: the loss must be one float32 number", loss.Type()))
	}
	for _, t := range targets {
		if b.err == nil && t.DType != tensor.Float32 {
			b.Fail(fmt.Errorf("gradient with respect to %s %s: the target must be float32", t.Name, t.Type()))
		}
	}
	if b.err != nil {
		for i := range out {
			out[i] = failed
		}
		return out
	}
	grads := b.backward(loss, targets)
	for i, t := range targets {
		if out[i] = grads[t]; out[i] == nil {
			out[i] = b.Expand(b.Float(0), t.Shape...)
		}
	}
	return out
}

// backward walks from loss towards the targets, only through nodes that lie
// between them, and sums what arrives at each.
func (b *Builder) backward(loss *Node, targets []*Node) map[*Node]*Node {
	between := b.between(targets, loss)
	grads, shared := map[*Node]*Node{}, b.repeated(between)
	if between[loss.id] {
		ones := make([]float32, 1)
		ones[0] = 1
		grads[loss] = b.Const(tensor.Of(ones, slices.Repeat([]int{1}, loss.rank())...))
	}
	for id := loss.id; id >= 0; id-- {
		n := b.nodes[id]
		g := grads[n]
		if g == nil || n.leaf() {
			continue
		}
		b.In("grad"+n.Name, func() { b.pull(n, g, between, grads, shared) })
		if b.err != nil {
			break
		}
	}
	for _, w := range b.nodes[:loss.id+1] { // not the map's order
		if p := shared[w]; p != nil && len(p.rows) > 0 && b.err == nil {
			b.In("grad"+w.Name, func() { b.collect(grads, w, b.Gemm(b.Concat(0, p.grads...), b.Concat(0, p.rows...), true, false)) })
		}
	}
	return grads
}

// products are those of one weight [out, in] with rows [n_i, in], and the gradients [n_i, out] of what they give.
type products struct{ rows, grads []*Node }

// repeated lists the weights that several products x wᵀ share, as those of a network that is unrolled. The gradient of such a weight is
// one product over all their rows: a matrix for each, to be added up, would take as much memory as the weight each time.
func (b *Builder) repeated(between []bool) map[*Node]*products {
	count := map[*Node]int{}
	for id, n := range b.nodes[:len(between)] {
		if between[id] && n.sharesWeight() {
			count[n.Inputs[1]]++
		}
	}
	out := map[*Node]*products{}
	for w, n := range count {
		if n > 1 {
			out[w] = &products{}
		}
	}
	return out
}

// sharesWeight reports whether the node is x wᵀ with a weight.
func (n *Node) sharesWeight() bool {
	return n.Op == "Gemm" && n.Inputs[1].Op == OpParam && n.Inputs[0] != n.Inputs[1] && Attribute(n, "transA", int64(0)) == 0 && Attribute(n, "transB", int64(0)) == 1
}

// collect adds a part to the gradient of a node.
func (b *Builder) collect(grads map[*Node]*Node, n, part *Node) {
	if before := grads[n]; before != nil {
		part = b.Add(before, part)
	}
	grads[n] = part
}

// pull sends the gradient g of n on to the inputs that matter.
func (b *Builder) pull(n, g *Node, between []bool, grads map[*Node]*Node, shared map[*Node]*products) {
	needed := false
	for _, in := range n.Inputs {
		needed = needed || between[in.id]
	}
	if !needed {
		return
	}
	vjp := table[n.Op].vjp
	if vjp == nil {
		b.Fail(fmt.Errorf("%s has no gradient, and the loss depends on a target through %s", n.Op, n.Name))
		return
	}
	parts := vjp(b, n, g)
	for i, in := range n.Inputs {
		if !between[in.id] || i >= len(parts) || parts[i] == nil || b.err != nil {
			continue
		}
		if p := shared[in]; p != nil && i == 1 && n.sharesWeight() {
			p.rows, p.grads = append(p.rows, b.again(n.Inputs[0])), append(p.grads, g)
			continue
		}
		b.collect(grads, in, b.sumTo(parts[i], in.Shape))
	}
}

// between marks the nodes up to loss that depend on a target.
func (b *Builder) between(targets []*Node, loss *Node) []bool {
	dep := make([]bool, loss.id+1)
	for _, t := range targets {
		if t.id < len(dep) {
			dep[t.id] = true
		}
	}
	for id, n := range b.nodes[:loss.id+1] {
		for _, in := range n.Inputs {
			dep[id] = dep[id] || dep[in.id]
		}
	}
	return dep
}

// sumTo undoes broadcasting: it sums x over the axes that shape lacks or has at
// length 1. This is the only place where gradients are un-broadcast.
func (b *Builder) sumTo(x *Node, shape []Dim) *Node {
	if b.err != nil || slices.Equal(x.Shape, shape) {
		return x
	}
	extra := x.rank() - len(shape)
	if extra == 1 && len(shape) == 1 && x.Shape[1] == shape[0] {
		// Column sums as a row of ones times the matrix: ONNX Runtime does this
		// about three times faster than ReduceSum over axis 0.
		ones := b.Expand(b.Float(1), N(1), x.Shape[0])
		return b.Reshape(b.Gemm(ones, x, false, false), shape...)
	}
	var axes []int
	for i, d := range x.Shape {
		if i < extra || shape[i-extra].is(1) && !d.is(1) {
			axes = append(axes, i)
		}
	}
	return b.Reshape(b.ReduceSum(x, true, axes...), shape...)
}
