package models_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/models"
)

// entmax halves the interval that holds the threshold until nothing of it is left.
func entmax(z []float64) []float64 {
	high, weights := slices.Max(z)/2, make([]float64, len(z))
	low := high - 1
	for range 60 {
		middle, sum := (low+high)/2, 0.0
		for j, x := range z {
			weights[j] = math.Pow(max(x/2-middle, 0), 2)
			sum += weights[j]
		}
		if sum > 1 {
			low = middle
		} else {
			high = middle
		}
	}
	return weights
}

// entmaxOf runs the graph's entmax on rows of logits, of which some keys may be hidden.
func entmaxOf(t *testing.T, dtype tensor.DType, rows [][]float64, hidden func(row, key int) bool) [][]float64 {
	t.Helper()
	n := len(rows[0])
	shape := []graph.Dim{graph.N(1), graph.N(1), graph.N(len(rows)), graph.N(n)}
	logits, visible := tensor.New(tensor.Float32, 1, 1, len(rows), n), tensor.New(tensor.Bool, 1, 1, len(rows), n)
	for i, row := range rows {
		for j, z := range row {
			tensor.Data[float32](logits)[i*n+j] = float32(z)
			tensor.Data[bool](visible)[i*n+j] = hidden == nil || !hidden(i, j)
		}
	}
	b := graph.NewBuilder()
	weights := models.Entmax(b, b.Input("logits", tensor.Float32, shape...), b.Input("visible", tensor.Bool, shape...))
	g, err := b.Build(graph.Output{Name: "weights", Node: weights})
	if err != nil {
		t.Fatal(err)
	}
	out, err := interp.New(g, dtype).Run(t.Context(), map[string]*tensor.Tensor{"logits": logits, "visible": visible}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := make([][]float64, len(rows))
	for i := range all {
		for j := range n {
			if dtype == tensor.Float32 {
				all[i] = append(all[i], float64(tensor.Data[float32](out["weights"])[i*n+j]))
			} else {
				all[i] = append(all[i], tensor.Data[float64](out["weights"])[i*n+j])
			}
		}
	}
	return all
}

// Weights that another program computed (numpy, and the package entmax).
func TestEntmaxCheckValues(t *testing.T) {
	got := entmaxOf(t, tensor.Float64, [][]float64{{1, 0.5, 0, -0.5, -1, -3}}, nil)[0]
	for j, want := range []float64{0.6234336, 0.2911445, 0.0838555, 0.0015664, 0, 0} {
		if math.Abs(got[j]-want) > 6e-8 || want == 0 && got[j] != 0 {
			t.Errorf("key %d has the weight %.9f, want %.7f", j, got[j], want)
		}
	}
	cfg := checkConfig("nope")
	cfg.Attention = "entmax"
	m := newDecoder(t, cfg)
	compareOutputs(t, "attention", checkOutputs(t, m, models.Mode{}, checkWeights(m)), [2][4]float64{
		{-0.4723049, -0.5380822, 0.6109627, 0.3806438}, {0.4491203, 0.5492831, -0.5906645, -0.3970753}}, -0.0619831)
}

// Rows of one key to thousands, spread little and much, equal ones, and far from 0: the steps find the support.
func TestEntmaxSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 50, 1000, 20000} {
		for _, spread := range []float64{0, 0.01, 0.1, 0.2, 1, 2, 6, 30} {
			rows := make([][]float64, 4)
			for i := range rows {
				for range n {
					rows[i] = append(rows[i], float64(float32(float64(10*i)+spread*rng.NormFloat64())))
				}
			}
			exact, single := entmaxOf(t, tensor.Float64, rows, nil), entmaxOf(t, tensor.Float32, rows, nil)
			for i, row := range rows {
				want := entmax(row)
				if d := worst(exact[i], want); d > 1e-12 {
					t.Errorf("%d keys, spread %v: off by %g", n, spread, d)
				}
				if d := worst(single[i], want); d > 1e-4 {
					t.Errorf("%d keys, spread %v, float32: off by %g", n, spread, d)
				}
			}
		}
	}
}

// Keys that are hidden have no part in it, whatever their logits; where all are, all weights are 0.
func TestEntmaxHidden(t *testing.T) {
	for _, dtype := range []tensor.DType{tensor.Float32, tensor.Float64} {
		got := entmaxOf(t, dtype, [][]float64{{1, 900, 0.5, 0}, {1, 2, 3, 4}}, func(row, key int) bool { return row == 1 || key == 1 })
		want := entmax([]float64{1, 0.5, 0})
		if d := worst(got[0], []float64{want[0], 0, want[1], want[2]}); d > 1e-6 {
			t.Errorf("%v: weights %v, want %v", dtype, got[0], want)
		}
		if d := worst(got[1], make([]float64, 4)); d != 0 {
			t.Errorf("%v: a query that sees nothing has the weights %v", dtype, got[1])
		}
	}
}

// The gradient against central differences.
func TestEntmaxGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	graphtest.CheckGrad(t, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
		shape := []graph.Dim{graph.N(1), graph.N(2), graph.N(3), graph.N(40)}
		logits := b.Param("logits", tensor.Float32, 1, 2, 3, 40)
		visible := b.Greater(b.Range(graph.N(0), graph.N(40)), b.Const(tensor.Of([]int64{4})))
		weights := models.Entmax(b, logits, b.Expand(visible, shape...))
		return b.ReduceSum(b.Mul(weights, b.Input("by", tensor.Float32, shape...)), false), []*graph.Node{logits}
	}, map[string]*tensor.Tensor{"by": graphtest.Normal(rng, 1, 2, 3, 40)},
		map[string]*tensor.Tensor{"logits": graphtest.Normal(rng, 1, 2, 3, 40)})
}
