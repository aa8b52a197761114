package models_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/models"
)

func lstm(t testing.TB) (models.Model, map[string]*tensor.Tensor) {
	t.Helper()
	m, err := models.New(models.Config{Architecture: "lstm", DModel: 6, NUnits: 5, VocabSize: 11})
	if err != nil {
		t.Fatal(err)
	}
	params := m.Params()
	for i := range params {
		params[i].Std = max(params[i].Std, 0.3) // biases too
	}
	return m, models.InitWeights(params, 9)
}

// plainLSTM is the naive twin: the equations with a gate at a time, in plain loops. It
// returns h and c, one behind the other, and the logits of every step.
func plainLSTM(cfg models.Config, w map[string]*tensor.Tensor, ids []int64) (states, logits [][]float64) {
	n, d := cfg.NUnits, cfg.DModel
	at := func(name string, i int) float64 { return float64(tensor.Data[float32](w[name])[i]) }
	h, c := make([]float64, n), make([]float64, n)
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, id := range ids {
		old := slices.Clone(h)
		sum := func(gate, unit int) float64 {
			row := gate*n + unit
			s := at("in_proj.bias", row)
			for j := range d {
				s += at("in_proj.weight", row*d+j) * at("embed.weight", int(id)*d+j)
			}
			for j := range n {
				s += at("recurrent.weight", row*n+j) * old[j]
			}
			return s
		}
		for i := range n {
			c[i] = sigmoid(sum(1, i))*c[i] + sigmoid(sum(0, i))*math.Tanh(sum(3, i))
			h[i] = sigmoid(sum(2, i)) * math.Tanh(c[i])
		}
		states = append(states, slices.Concat(h, c))
		out := make([]float64, cfg.VocabSize)
		for v := range out {
			for j := range n {
				out[v] += at("head.weight", v*n+j) * h[j]
			}
		}
		logits = append(logits, out)
	}
	return states, logits
}

// The one-step model, the unrolled one and the naive twin agree, also next to a longer row.
func TestLSTMTwin(t *testing.T) {
	m, w := lstm(t)
	ids := tokens(9, 1)
	wantStates, want := plainLSTM(m.Config(), w, ids)
	states, logits := stepwise(t, m, w, append([]int64{-1, -1}, ids...), tokens(11, 4))
	if !slices.Equal(states[1], make([]float64, 10)) {
		t.Error("pads move the state")
	}
	all := unrolled(t, m, w, ids)
	for i := range ids {
		same(t, fmt.Sprintf("state %d", i), states[2+i], wantStates[i])
		same(t, fmt.Sprintf("step %d", i), logits[2+i], want[i])
		same(t, fmt.Sprintf("unrolled step %d", i), all[i*11:][:11], want[i])
	}
}

func TestLSTMGradient(t *testing.T) {
	m, w := lstm(t)
	feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(tokens(14, 2), 2, 7)}
	graphtest.CheckGrad(t, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
		logits := m.Forward(b, models.Mode{Steps: 7}).Logits
		var weights []*graph.Node
		for _, p := range m.Params() {
			weights = append(weights, b.Param(p.Name, tensor.Float32, p.Shape...))
		}
		return b.ReduceSum(b.Mul(logits, logits), true), weights
	}, feed, w)
}

// Forget gates are open at first: their biases are 1, all others 0.
func TestLSTMFirstBias(t *testing.T) {
	m, _ := lstm(t)
	got := tensor.Data[float32](models.InitWeights(m.Params(), 1)["in_proj.bias"])
	want := slices.Concat(make([]float32, 5), slices.Repeat([]float32{1}, 5), make([]float32, 10))
	if !slices.Equal(got, want) {
		t.Errorf("biases %v", got)
	}
}

func TestLSTMErrors(t *testing.T) {
	if _, err := models.New(models.Config{Architecture: "lstm", DModel: 6, NUnits: -1, VocabSize: 11}); err == nil ||
		!strings.Contains(err.Error(), "n_units -1") {
		t.Errorf("error %v", err)
	}
	m, _ := lstm(t)
	b := graph.NewBuilder()
	m.Forward(b, models.Mode{})
	if b.Err() == nil || !strings.Contains(b.Err().Error(), "number of steps") {
		t.Errorf("unrolling over an unknown length: %v", b.Err())
	}
}

func TestLSTMText(t *testing.T) {
	m, _ := lstm(t)
	g, _, err := m.Graph(models.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	graphtest.Golden(t, "lstm", g.String())
}
