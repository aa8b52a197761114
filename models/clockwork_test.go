package models_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/models"
)

func clockwork(t testing.TB, periods ...int) (models.Model, map[string]*tensor.Tensor) {
	t.Helper()
	m, err := models.New(models.Config{
		Architecture: "cwrnn", DModel: 6, NUnits: 12, NModules: 3, Periods: periods, VocabSize: 11,
	})
	if err != nil {
		t.Fatal(err)
	}
	params := m.Params()
	for i := range params {
		params[i].Std = max(params[i].Std, 0.3) // biases too
	}
	return m, models.InitWeights(params, 9)
}

// plainRNN is the naive twin: the equations of section 3 of the paper over the
// full matrix, with zero blocks below the diagonal, in plain loops. It returns
// the hidden state and the logits of every step.
func plainRNN(cfg models.Config, w map[string]*tensor.Tensor, ids []int64) (states, logits [][]float64) {
	n, k := cfg.NUnits, cfg.NUnits/cfg.NModules
	full := make([][]float64, n) // W_H
	for i := range full {
		full[i] = make([]float64, n)
		block := w[fmt.Sprintf("modules.%d.recurrent.weight", i/k)]
		from, reads := i/k*k, block.Shape()[1]
		for j := range reads {
			full[i][from+j] = float64(tensor.Data[float32](block)[i%k*reads+j])
		}
	}
	at := func(name string, i, j, cols int) float64 { return float64(tensor.Data[float32](w[name])[i*cols+j]) }
	y := make([]float64, n)
	for t, id := range ids {
		next := slices.Clone(y)
		for i := range n {
			if t%cfg.Periods[i/k] != 0 {
				continue
			}
			s := at("in_proj.bias", 0, i, n)
			for j := range n {
				s += full[i][j] * y[j]
			}
			for j := range cfg.DModel {
				s += at("in_proj.weight", i, j, cfg.DModel) * at("embed.weight", int(id), j, cfg.DModel)
			}
			next[i] = math.Tanh(s)
		}
		y = next
		states = append(states, y)
		out := make([]float64, cfg.VocabSize)
		for v := range out {
			for j := range n {
				out[v] += at("head.weight", v, j, n) * y[j]
			}
		}
		logits = append(logits, out)
	}
	return states, logits
}

// stepwise runs the exported one-step model over rows, −1 being a pad, and
// returns the states and logits of every step of row 0.
func stepwise(t testing.TB, m models.Model, w map[string]*tensor.Tensor, rows ...[]int64) (states, logits [][]float64) {
	t.Helper()
	g, list, err := m.Graph(models.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	prog := interp.New(g, tensor.Float64)
	batch := len(rows)
	clock := make([]int64, batch)
	state := tensor.New(tensor.Float64, list[0].AppendDims(nil, batch, 0)...)
	for i := range rows[0] {
		ids, mask, pos := make([]int64, batch), make([]int64, batch), slices.Clone(clock)
		for r, row := range rows {
			if row[i] >= 0 {
				ids[r], mask[r] = row[i], 1
				clock[r]++
			}
		}
		feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(ids, batch, 1),
			"attention_mask": tensor.Of(mask, batch, 1), list[0].Past: state}
		if g.Input("position_ids") != nil {
			feed["position_ids"] = tensor.Of(pos, batch, 1)
		}
		out, err := prog.Run(t.Context(), feed, w)
		if err != nil {
			t.Fatal(err)
		}
		state = out[list[0].Present]
		states = append(states, tensor.Data[float64](state)[:state.Len()/batch])
		logits = append(logits, tensor.Data[float64](out["logits"])[:m.Config().VocabSize])
	}
	return states, logits
}

// unrolled runs the training graph.
func unrolled(t testing.TB, m models.Model, w map[string]*tensor.Tensor, ids []int64) []float64 {
	t.Helper()
	b := graph.NewBuilder()
	g, err := b.Build(graph.Output{Name: "logits", Node: m.Forward(b, models.Mode{Steps: len(ids)}).Logits})
	if err != nil {
		t.Fatal(err)
	}
	feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(ids, 1, len(ids))}
	out, err := interp.New(g, tensor.Float64).Run(t.Context(), feed, w)
	if err != nil {
		t.Fatal(err)
	}
	return tensor.Data[float64](out["logits"])
}

// The one-step model, the unrolled one and the naive twin agree; with all periods
// 1 that is a plain RNN (with a block triangular matrix).
func TestClockworkTwin(t *testing.T) {
	for _, periods := range [][]int{nil, {1, 1, 1}, {1, 3, 5}, {2, 2, 7}} {
		m, w := clockwork(t, periods...)
		ids := tokens(13, 1)
		states, logits := plainRNN(m.Config(), w, ids)
		gotStates, gotLogits := stepwise(t, m, w, ids)
		all := unrolled(t, m, w, ids)
		for i := range ids {
			same(t, fmt.Sprintf("periods %v, state %d", periods, i), gotStates[i], states[i])
			same(t, fmt.Sprintf("periods %v, step %d", periods, i), gotLogits[i], logits[i])
			same(t, fmt.Sprintf("periods %v, unrolled step %d", periods, i), all[i*11:][:11], logits[i])
		}
	}
}

// Off its period a module keeps its state to the bit, and on it, it moves.
func TestClockworkFrozen(t *testing.T) {
	m, w := clockwork(t)
	if want := []int{1, 2, 4}; !slices.Equal(m.Config().Periods, want) {
		t.Fatalf("periods %v, want %v", m.Config().Periods, want)
	}
	states, _ := stepwise(t, m, w, tokens(13, 1))
	for i := 1; i < len(states); i++ {
		for module, period := range m.Config().Periods {
			before, after := states[i-1][module*4:][:4], states[i][module*4:][:4]
			if frozen := slices.Equal(before, after); frozen != (i%period != 0) {
				t.Errorf("step %d, module %d of period %d: unchanged is %v", i, module, period, frozen)
			}
		}
	}
}

// Pads on the left leave the state alone, and the clock starts at the first real
// token.
func TestClockworkPadding(t *testing.T) {
	m, w := clockwork(t)
	ids := tokens(6, 3)
	padded := append([]int64{-1, -1, -1}, ids...)
	states, logits := stepwise(t, m, w, padded, tokens(9, 4))
	for i := range 3 {
		if !slices.Equal(states[i], make([]float64, 12)) {
			t.Errorf("pad %d moves the state", i)
		}
	}
	_, want := plainRNN(m.Config(), w, ids)
	for i := range ids {
		same(t, fmt.Sprintf("token %d", i), logits[3+i], want[i])
	}
}

// The gradient of every weight, through time and through frozen steps.
func TestClockworkGradient(t *testing.T) {
	m, w := clockwork(t)
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

// Blocks below the diagonal do not exist, so nothing can train them: the
// recurrent weights number n²/2 + n·k/2.
func TestClockworkParams(t *testing.T) {
	m, _ := clockwork(t)
	recurrent := 0
	for _, p := range m.Params() {
		if strings.Contains(p.Name, "recurrent") {
			recurrent += tensor.Numel(p.Shape)
		}
	}
	if want := 12*12/2 + 12*4/2; recurrent != want {
		t.Errorf("%d recurrent weights, want %d", recurrent, want)
	}
	g, _, err := m.Graph(models.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Params) != len(m.Params()) {
		t.Errorf("the graph reads %d of %d parameters", len(g.Params), len(m.Params()))
	}
}

func TestClockworkErrors(t *testing.T) {
	base := models.Config{Architecture: "cwrnn", DModel: 6, NUnits: 12, NModules: 3, VocabSize: 11}
	for _, tc := range []struct {
		change func(*models.Config)
		want   string
	}{
		{func(c *models.Config) { c.NModules = 5 }, "n_modules 5 does not divide n_units 12"},
		{func(c *models.Config) { c.NUnits = -1 }, "n_units -1"},
		{func(c *models.Config) { c.Periods = []int{1, 2} }, "periods [1 2]"},
		{func(c *models.Config) { c.Periods = []int{4, 2, 1} }, "periods [4 2 1]"},
		{func(c *models.Config) { c.Periods = []int{0, 1, 2} }, "periods [0 1 2]"},
		{func(c *models.Config) { c.EncodingParams = []byte(`{"a":1}`) }, "encoding_params"},
		{func(c *models.Config) { c.VocabSize = 0 }, "vocab_size 0"},
	} {
		cfg := base
		tc.change(&cfg)
		if _, err := models.New(cfg); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want one about %s", err, tc.want)
		}
	}
	m, _ := clockwork(t)
	b := graph.NewBuilder()
	m.Forward(b, models.Mode{})
	if b.Err() == nil || !strings.Contains(b.Err().Error(), "number of steps") {
		t.Errorf("unrolling over an unknown length: %v", b.Err())
	}
}

func TestClockworkText(t *testing.T) {
	m, _ := clockwork(t)
	g, _, err := m.Graph(models.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	graphtest.Golden(t, "cwrnn", g.String())
}
