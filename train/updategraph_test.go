package train

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train/runfile"
)

// updated are weights with and without decay, of one axis to three, and one that is longer
// than a piece of AdamW in Go.
var updated = []pe.Param{
	{Name: "embed", Shape: []int{chunk/8 + 3, 9}, Decay: true}, {Name: "gain", Shape: []int{5}},
	{Name: "table", Shape: []int{4, 6}}, {Name: "slope", Shape: []int{3}, Decay: true},
	{Name: "filter", Shape: []int{2, 3, 4}, Decay: true}, {Name: "bias", Shape: []int{1}},
}

// clips are greatest norms, and how many of the first six updates' gradients are above, in
// up to three lanes; 0: no clipping.
var clips = map[float64]int{0: 0, 1e-3: 4, 500: 3}

// gradients draws the gradients of an update by lane: of every third they are 0.
func gradients(rng *rand.Rand, step, lanes int) (by []map[string]*tensor.Tensor) {
	for range lanes {
		grads := normals(rng, updated)
		for _, g := range grads {
			for i := range tensor.Data[float32](g) {
				tensor.Data[float32](g)[i] *= float32(step % 3 * step)
			}
		}
		by = append(by, grads)
	}
	return by
}

func updateRecipe(clip float64) runfile.Recipe {
	return runfile.Recipe{LR: 0.01, Beta1: 0.9, Beta2: 0.98, Eps: 1e-2, WeightDecay: 0.1, Clip: clip, Steps: 10, Warmup: 3}
}

func normals(rng *rand.Rand, params []pe.Param) map[string]*tensor.Tensor {
	out := map[string]*tensor.Tensor{}
	for _, p := range params {
		out[p.Name] = graphtest.Normal(rng, p.Shape...)
	}
	return out
}

// updateInputs are the inputs of the update graph for a checkpoint, gradients by lane, and
// update t.
func updateInputs(c *runfile.Checkpoint, grads []map[string]*tensor.Tensor, t int) map[string]*tensor.Tensor {
	r := c.Config.Train
	in := c.Tensors()
	for lane, of := range grads {
		for name, g := range of {
			in[gradOf(lane)+name] = g
		}
	}
	size, epsilon, keep := sizes(r, t, rate(r, t-1))
	clip := float32(noClip)
	if r.Clip > 0 {
		clip = float32(r.Clip)
	}
	for name, x := range map[string]float32{stepSizeInput: size, epsilonInput: epsilon, keepInput: keep, clipInput: clip, oneInput: 1} {
		in[name] = tensor.Of([]float32{x}, 1)
	}
	return in
}

func newUpdateGraph(t testing.TB, params []pe.Param, r runfile.Recipe, lanes int) *graph.Graph {
	t.Helper()
	g, err := updateGraph(params, r, lanes)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// goUpdate makes update t of AdamW in Go, with the gradients of all lanes.
func goUpdate(c *runfile.Checkpoint, params []pe.Param, grads []map[string]*tensor.Tensor, t int) (norm float64) {
	o := &hostOptimizer{params: params, sums: grads, adamw: newAdamW(c, params, grads[0])}
	norm, _ = o.apply(update{number: t, rate: rate(c.Config.Train, t-1), lanes: len(grads)})
	return norm
}

// cloneAll copies tensors.
func cloneAll(all map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	return clone(&runfile.Checkpoint{Weights: all}).Weights
}

// The graph, computed in float64, is AdamW in Go with its clipping, over several updates and
// lanes. Of these, the third has no gradient at all.
func TestUpdateGraph(t *testing.T) {
	for clip, want := range clips {
		for lanes := 1; lanes <= 3; lanes++ {
			t.Run(fmt.Sprintf("clip=%v/lanes=%d", clip, lanes), func(t *testing.T) {
				r := updateRecipe(clip)
				program := interp.New(newUpdateGraph(t, updated, r, lanes), tensor.Float64)
				rng := rand.New(rand.NewPCG(1, 2))
				c := &runfile.Checkpoint{Config: runfile.Config{Train: r}, Weights: normals(rng, updated), M: zeros(updated), V: zeros(updated)}
				clipped := 0
				for step := 1; step <= 6; step++ {
					grads := gradients(rng, step, lanes)
					got, err := program.Run(t.Context(), updateInputs(c, grads, step), nil)
					if err != nil {
						t.Fatal(err)
					}
					norm := goUpdate(c, updated, grads, step)
					factor := 1.0
					if clip > 0 && norm > clip {
						factor, clipped = clip/norm, clipped+1
					}
					for name, want := range map[string]float64{normOutput: norm, factorOutput: factor} {
						if x := tensor.Data[float64](got[name])[0]; math.Abs(x-want) > 1e-6*want {
							t.Errorf("update %d: %s %v, want %v", step, name, x, want)
						}
					}
					for name, want := range c.Tensors() {
						agree(t, fmt.Sprintf("update %d: %s", step, name), tensor.Data[float64](got[updatedPrefix+name]), want)
					}
				}
				if clipped != want {
					t.Errorf("%d updates were clipped, want %d", clipped, want)
				}
			})
		}
	}
}

// What may be written in place of what it was made of depends on every gradient: so nothing
// is written before all that a step graph reads has been read. And of weights, moments and
// gradients each new value reads its own only.
func TestUpdatesDependOnEveryGradient(t *testing.T) {
	const lanes = 2
	g := newUpdateGraph(t, updated, updateRecipe(1), lanes)
	for _, out := range g.Outputs {
		read := map[string]bool{}
		var visit func(n *graph.Node)
		visit = func(n *graph.Node) {
			if n.Op == graph.OpInput {
				read[n.Name] = true
			}
			for _, in := range n.Inputs {
				visit(in)
			}
		}
		visit(out.Node)
		of, inPlace := strings.CutPrefix(out.Name, updatedPrefix)
		if strings.HasPrefix(of, gradPrefix) {
			continue // the sum of a gradient: its own only
		}
		for _, p := range updated {
			for lane := range lanes {
				if !read[gradOf(lane)+p.Name] {
					t.Errorf("%s does not depend on the gradient of %s in lane %d", out.Name, p.Name, lane)
				}
			}
			for _, state := range []string{"", runfile.FirstMoment, runfile.SecondMoment} {
				if read[state+p.Name] && (!inPlace || !strings.HasSuffix(of, p.Name)) {
					t.Errorf("%s reads %s%s", out.Name, state, p.Name)
				}
			}
		}
	}
}

// In ONNX Runtime outputs in the memory of their inputs have the bits of others, with
// clipping and without, and agree with AdamW in Go to rounding.
func TestUpdateInPlace(t *testing.T) {
	orttest.Require(t)
	for clip := range clips {
		for lanes := 1; lanes <= 2; lanes++ {
			t.Run(fmt.Sprintf("clip=%v/lanes=%d", clip, lanes), func(t *testing.T) { testInPlace(t, updateRecipe(clip), lanes) })
		}
	}
}

func testInPlace(t *testing.T, r runfile.Recipe, lanes int) {
	var file bytes.Buffer
	if err := export.Write(&file, newUpdateGraph(t, updated, r, lanes), nil, export.Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := orttest.Load(file.Bytes(), engine.Options{Threads: 2, Training: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	inGo := &runfile.Checkpoint{Config: runfile.Config{Train: r}, Weights: normals(rng, updated), M: zeros(updated), V: zeros(updated)}
	apart, inPlace := clone(inGo), clone(inGo)
	for step := 1; step <= 5; step++ {
		grads := gradients(rng, step, lanes)
		var sums []map[string]*tensor.Tensor // Go's are in place, too
		for _, of := range grads {
			sums = append(sums, cloneAll(of))
		}
		goUpdate(inGo, updated, sums, step)

		in := updateInputs(apart, grads, step)
		want := map[string]*tensor.Tensor{}
		for _, out := range s.Outputs {
			shape := []int{1}
			if of := in[strings.TrimPrefix(out.Name, updatedPrefix)]; of != nil {
				shape = of.Shape()
			}
			want[out.Name] = tensor.New(tensor.Float32, shape...)
		}
		maps.Copy(in, want)
		if err := s.Run(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		for name, w := range want {
			if of := apart.Tensors()[strings.TrimPrefix(name, updatedPrefix)]; of != nil {
				copy(tensor.Data[float32](of), tensor.Data[float32](w))
			}
		}

		memory := updateInputs(inPlace, grads, step)
		maps.Copy(memory, map[string]*tensor.Tensor{
			normOutput: tensor.New(tensor.Float32, 1), factorOutput: tensor.New(tensor.Float32, 1),
		})
		runInPlace(t, s, memory)
		for name, w := range want {
			if got := memory[strings.TrimPrefix(name, updatedPrefix)]; !sameBits(got, w) {
				t.Fatalf("update %d: %s in place is not what it is apart", step, name)
			}
		}
	}
	for name, want := range inGo.Tensors() {
		agree(t, name, tensor.Data[float32](inPlace.Tensors()[name]), want)
	}
}

// agree wants numbers of the optimizer in Go, up to some roundings of the largest.
func agree[T float32 | float64](t *testing.T, what string, got []T, inGo *tensor.Tensor) {
	t.Helper()
	largest, worst := 0.0, 0.0
	for i, want := range tensor.Data[float32](inGo) {
		largest = max(largest, math.Abs(float64(want)))
		worst = max(worst, math.Abs(float64(got[i])-float64(want)))
	}
	if !(worst <= 1e-6*largest) {
		t.Errorf("%s is off by %g, where the largest value is %g", what, worst, largest)
	}
}

// runInPlace runs the update graph with each output in the memory of its input.
func runInPlace(t testing.TB, m *orttest.Model, memory map[string]*tensor.Tensor) {
	t.Helper()
	tensors := maps.Clone(memory)
	for _, out := range m.Outputs {
		tensors[out.Name] = memory[strings.TrimPrefix(out.Name, updatedPrefix)]
	}
	if err := m.Run(t.Context(), tensors); err != nil {
		t.Fatal(err)
	}
}

func sameBits(a, b *tensor.Tensor) bool {
	return slices.EqualFunc(tensor.Data[float32](a), tensor.Data[float32](b), func(x, y float32) bool {
		return math.Float32bits(x) == math.Float32bits(y)
	})
}

// The graph takes opset 18 only, and its text guards refactors.
func TestUpdateGraphText(t *testing.T) {
	g := newUpdateGraph(t, updated[:2], updateRecipe(1), 2)
	for _, n := range g.Nodes {
		if graph.Opset(n.Op, len(n.Inputs), n.Attrs) > export.OpsetPortable {
			t.Errorf("%s takes opset %d", n.Name, graph.Opset(n.Op, len(n.Inputs), n.Attrs))
		}
	}
	graphtest.Golden(t, "update", g.String())
}
