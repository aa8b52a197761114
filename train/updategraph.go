package train

import (
	"fmt"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/train/runfile"
)

// Names of the update graph's inputs and outputs; others are the weights themselves, their
// moments, which have the names of a checkpoint's tensors, and their gradients, which are
// called as the step graph calls them (of lane i from 1 on with "lane<i>." before).
const (
	stepSizeInput = "step_size"   // [1]: learning rate · √(1 − β₂ᵗ) / (1 − β₁ᵗ)
	epsilonInput  = "epsilon"     // [1]: ε · √(1 − β₂ᵗ)
	keepInput     = "keep"        // [1]: 1 − learning rate · weight decay, of weights that decay
	oneInput      = "one"         // [1]: 1, which what would be written in the place of its only operand is multiplied with
	clipInput     = "clip"        // [1]: the greatest norm that is left as it is; noClip for any
	normOutput    = "grad_norm"   // [1]: global L2 norm of the gradients, before clipping
	factorOutput  = "clip_factor" // [1]: what the gradients were multiplied by
	updatedPrefix = "new."        // + name of the input whose memory the output may be
	lanePrefix    = "lane%d."     // + grad. + weight name
)

// noClip is what the input clip holds without clipping. It is above any norm: from 1.8e19 on
// the sum of squares is not finite in float32.
const noClip = 1e30

// updateGraph builds an update of AdamW (Loshchilov & Hutter 2019, arXiv 1711.05101,
// algorithm 2) for a model's weights, with the global norm of the gradients clipped before.
// It reads weights, moments and the gradients that step graphs have left, in as many sets as
// there are lanes, and gives new weights and moments; with several lanes also the sum of
// their gradients, in the place of the first ones'. What changes from update to update,
// as the learning rate does, is inputs of shape [1]; all numbers are float32. Of the recipe
// it takes β₁ and β₂. The operators are of ONNX's default domain, opset 18.
//
// Each output but the norm and the factor may be the memory of the input that it is named
// after: only what makes the new value reads the old one. New weights and moments depend on
// every gradient through the factor, which without clipping comes out as 1.
//
// This graph is apart from the step graph. An update takes several runs of that, in lanes
// and one after the other, whose gradients wait in memory for the norm in any case, so that
// one graph for both would save no memory; and a weight can be written in place only after
// the last product that reads it, which all gradients being inputs assures. It is also
// compiled once, where an unrolled model has a step graph for each length. What the second
// call costs is microseconds.
func updateGraph(params []pe.Param, r runfile.Recipe, lanes int) (*graph.Graph, error) {
	b := graph.NewBuilder()
	number := func(name string) *graph.Node { return b.Input(name, tensor.Float32, graph.N(1)) }
	like := func(p pe.Param, prefix string) *graph.Node {
		shape := lists.Map(p.Shape, graph.N)
		return b.Input(prefix+p.Name, tensor.Float32, shape...)
	}
	var outputs []graph.Output
	give := func(name string, n *graph.Node) { outputs = append(outputs, graph.Output{Name: name, Node: n}) }
	var grads, squares []*graph.Node
	b.In("norm", func() {
		for _, p := range params {
			g := like(p, gradOf(0))
			for i := 1; i < lanes; i++ {
				g = b.Add(g, like(p, gradOf(i)))
			}
			if lanes > 1 {
				give(updatedPrefix+gradOf(0)+p.Name, g)
			}
			grads, squares = append(grads, g), append(squares, sumOfSquares(b, g))
		}
	})
	norm := b.Sqrt(b.ReduceSum(b.Concat(0, squares...), true, 0))
	clip := number(clipInput)
	factor := b.Div(clip, b.Max(norm, clip))
	give(normOutput, norm)
	give(factorOutput, factor)

	size, epsilon, keep, one := number(stepSizeInput), number(epsilonInput), number(keepInput), number(oneInput)
	b1, b2 := betas(r)
	// part is what an update keeps of a moment, and what it adds of something new.
	part := func(kept float32, moment, added *graph.Node) *graph.Node {
		return b.Add(b.Mul(b.Float(float64(kept)), moment), added)
	}
	for i, p := range params {
		b.In(p.Name, func() {
			w, g := like(p, ""), b.Mul(grads[i], factor)
			m := part(b1, like(p, runfile.FirstMoment), b.Mul(b.Float(float64(1-b1)), g))
			v := part(b2, like(p, runfile.SecondMoment), b.Mul(b.Mul(b.Float(float64(1-b2)), g), g))
			// A product first, also where nothing decays: a device may not read and write one
			// buffer in one operator.
			kept := one
			if p.Decay {
				kept = keep
			}
			w = b.Sub(b.Mul(kept, w), b.Div(b.Mul(size, m), b.Add(b.Sqrt(v), epsilon)))
			give(updatedPrefix+p.Name, w)
			give(updatedPrefix+runfile.FirstMoment+p.Name, m)
			give(updatedPrefix+runfile.SecondMoment+p.Name, v)
		})
	}
	g, err := b.Build(outputs...)
	return wrap.Value(g, err, "train")
}

// gradOf is what stands before a weight's name where its gradient in a lane is meant.
func gradOf(lane int) string {
	if lane == 0 {
		return gradPrefix
	}
	return fmt.Sprintf(lanePrefix, lane) + gradPrefix
}

// sumOfSquares returns the sum of the squares of all elements, [1]. It adds up axis by axis,
// from the last one: the rows of a matrix are summed side by side, and the partial sums
// keep the rounding small.
func sumOfSquares(b *graph.Builder, x *graph.Node) *graph.Node {
	sum := b.Mul(x, x)
	for len(sum.Shape) > 1 {
		sum = b.ReduceSum(sum, false, len(sum.Shape)-1)
	}
	return b.ReduceSum(sum, true)
}
