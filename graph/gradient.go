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
	grads := map[*Node]*Node{}
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
		b.In("grad"+n.Name, func() { b.pull(n, g, between, grads) })
		if b.err != nil {
			break
		}
	}
	return grads
}

// pull sends the gradient g of n on to the inputs that matter.
func (b *Builder) pull(n, g *Node, between []bool, grads map[*Node]*Node) {
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
		part := b.sumTo(parts[i], in.Shape)
		if old := grads[in]; old != nil {
			part = b.Add(old, part)
		}
		grads[in] = part
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
