// Package graphtest is what tests of graphs share: gradient checks and golden
// texts.
package graphtest

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
)

// How the check differs: a step h leaves a truncation error of order h² = 1e-10
// and a rounding error of order 1e-16·|loss|/h = 1e-11·|loss|. A tolerance of
// 1e-6 leaves room for strongly curved losses, while a wrong rule is off by far
// more; the floor of 1e-9 covers the rounding error where the derivative is 0.
const (
	gradStep  = 1e-5
	tolerance = 1e-6
	floor     = 1e-9
	seed      = 1
)

// Build makes a loss and names what it is differentiated by.
type Build = func(b *graph.Builder) (loss *graph.Node, targets []*graph.Node)

// CheckGrad compares graph.Gradient of a loss with central differences, in
// float64, along random directions of unit length: one for each target, so the
// cost does not grow with their size. Targets are float32 inputs or parameters.
// The point should be away from kinks such as Relu's at 0.
func CheckGrad(t testing.TB, build Build, feed, params map[string]*tensor.Tensor) {
	t.Helper()
	if err := checkGrad(build, feed, params); err != nil {
		t.Error(err)
	}
}

func checkGrad(build Build, feed, params map[string]*tensor.Tensor) error {
	b := graph.NewBuilder()
	loss, targets := build(b)
	lossOut := graph.Output{Name: "loss", Node: loss}
	forward, err := b.Build(lossOut)
	if err != nil {
		return err
	}
	outputs := []graph.Output{lossOut}
	for i, n := range graph.Gradient(b, loss, targets) {
		outputs = append(outputs, graph.Output{Name: fmt.Sprint("gradient.", i), Node: n})
	}
	both, err := b.Build(outputs...)
	if err != nil {
		return err
	}
	got, err := interp.New(both, tensor.Float64).Run(context.Background(), feed, params)
	if err != nil {
		return err
	}
	p := interp.New(forward, tensor.Float64)
	at := tensor.Data[float64](got["loss"])[0]
	rng := rand.New(rand.NewPCG(seed, 0))
	for i, target := range targets {
		x := feed[target.Name]
		if target.Op == graph.OpParam {
			x = params[target.Name]
		}
		grad := got[outputs[i+1].Name]
		if x == nil || !slices.Equal(x.Shape(), grad.Shape()) {
			return fmt.Errorf("target %s: no value is given, or its gradient is %v and not shaped like it",
				target.Name, grad)
		}
		along := direction(rng, x.Len())
		want, err := slope(p, target, x, along, feed, params)
		if err != nil {
			return err
		}
		is, norm := 0.0, 0.0
		for k, g := range tensor.Data[float64](grad) {
			is += g * along[k]
			norm += g * g
		}
		typical := math.Sqrt(norm / max(1, float64(x.Len())))
		limit := tolerance*max(math.Abs(want), typical) + floor*max(1, math.Abs(at))
		if !(math.Abs(is-want) <= limit) { // NaN fails
			return fmt.Errorf("gradient of %s along a random direction (seed %d): got %.12g, central difference "+
				"%.12g, allowed difference %.3g", target.Name, seed, is, want, limit)
		}
	}
	return nil
}

// direction returns a random vector of length 1.
func direction(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	norm := 0.0
	for i := range v {
		v[i] = rng.NormFloat64()
		norm += v[i] * v[i]
	}
	for i := range v {
		v[i] /= math.Sqrt(norm)
	}
	return v
}

// slope returns the central difference of the loss at x along a direction.
func slope(
	p *interp.Program, target *graph.Node, x *tensor.Tensor, along []float64, feed, params map[string]*tensor.Tensor,
) (float64, error) {
	var loss [2]float64
	for side, h := range []float64{gradStep, -gradStep} {
		moved := tensor.New(tensor.Float64, x.Shape()...)
		for i, v := range tensor.Data[float64](moved) {
			if x.DType() == tensor.Float64 {
				v = tensor.Data[float64](x)[i]
			} else {
				v = float64(tensor.Data[float32](x)[i])
			}
			tensor.Data[float64](moved)[i] = v + h*along[i]
		}
		in, weights := feed, params
		if target.Op == graph.OpParam {
			weights = maps.Clone(params)
			weights[target.Name] = moved
		} else {
			in = maps.Clone(feed)
			in[target.Name] = moved
		}
		out, err := p.Run(context.Background(), in, weights)
		if err != nil {
			return 0, err
		}
		loss[side] = tensor.Data[float64](out["loss"])[0]
	}
	return (loss[0] - loss[1]) / (2 * gradStep), nil
}

// Normal returns a float32 tensor of standard normal numbers.
func Normal(rng *rand.Rand, shape ...int) *tensor.Tensor {
	t := tensor.New(tensor.Float32, shape...)
	for i := range tensor.Data[float32](t) {
		tensor.Data[float32](t)[i] = float32(rng.NormFloat64())
	}
	return t
}
