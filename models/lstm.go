package models

import (
	"cmp"
	"math"
	"strconv"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/models/pe"
)

// lstm is one layer of long short-term memory (Hochreiter & Schmidhuber 1997) with forget
// gates (Gers, Schmidhuber & Cummins 2000) as a language model:
//
//	i, f, o = σ(U x_t + W h_(t−1) + b), g = tanh(…), each with rows of its own
//	c_t = f ∘ c_(t−1) + i ∘ g
//	h_t = o ∘ tanh(c_t)
//	logits_t = W_O h_t
//
// x_t is the token's embedding; h and c before the first token are 0. The forget gates'
// biases begin at 1 (Jozefowicz, Zaremba & Sutskever 2015).
type lstm struct {
	cfg Config
}

func newLSTM(cfg Config) (Model, error) { return &lstm{cfg}, nil }

// resolveLSTM fills in and checks the network's settings.
func resolveLSTM(c Config) (Config, error) {
	c.NUnits, c.DFF = cmp.Or(c.NUnits, c.DFF), 0
	return c, checkSizes(size{"d_model", c.DModel, maxWidth}, size{"vocab_size", c.VocabSize, maxVocab},
		size{"n_units", c.NUnits, maxWidth})
}

// Config implements Model.
func (l *lstm) Config() Config { return l.cfg }

// MaxLength implements Model: there is none.
func (l *lstm) MaxLength() int { return 0 }

// Params implements Model. The gates' rows are i, f, o and g.
func (l *lstm) Params() []pe.Param {
	n, d, v := l.cfg.NUnits, l.cfg.DModel, l.cfg.VocabSize
	std := func(reads int) float64 { return 1 / math.Sqrt(float64(reads)) }
	bias := make([]float64, 4*n)
	for i := range n {
		bias[n+i] = 1
	}
	return []pe.Param{
		{Name: "embed.weight", Shape: []int{v, d}, Std: 1, Decay: true},
		{Name: "in_proj.weight", Shape: []int{4 * n, d}, Std: std(d), Decay: true},
		{Name: "in_proj.bias", Shape: []int{4 * n}, Init: bias},
		{Name: "recurrent.weight", Shape: []int{4 * n, n}, Std: std(n), Decay: true},
		{Name: "head.weight", Shape: []int{v, n}, Std: std(n), Decay: true},
	}
}

// lstmCell is an LSTM under construction.
type lstmCell struct {
	units   int
	b       *graph.Builder
	weights map[string]*graph.Node
}

func (l *lstm) cell(b *graph.Builder) *lstmCell {
	return &lstmCell{l.cfg.NUnits, b, declare(b, l.Params())}
}

// next returns h and c [B,n] after a token, from those before it and its drive [B,4n].
func (l *lstmCell) next(h, c, drive *graph.Node) (*graph.Node, *graph.Node) {
	b, n := l.b, l.units
	z := b.Add(linear(b, h, l.weights["recurrent.weight"]), drive)
	gates := b.Sigmoid(b.Slice(z, 1, graph.N(0), graph.N(3*n)))
	gate := func(i int) *graph.Node { return b.Slice(gates, 1, graph.N(i*n), graph.N((i+1)*n)) }
	c = b.Add(b.Mul(gate(1), c), b.Mul(gate(0), b.Tanh(b.Slice(z, 1, graph.N(3*n), graph.N(4*n)))))
	return b.Mul(gate(2), b.Tanh(c)), c
}

// Forward implements Model: the network unrolled over m.Steps tokens, which is the length
// of the axis seq. Rows are padded on the right.
func (l *lstm) Forward(b *graph.Builder, m Mode) *forward {
	cell := l.cell(b)
	drives, ok := unroll(b, m, cell.weights, "an LSTM")
	if !ok {
		return &forward{}
	}
	batch, n := graph.Sym(card.Batch), graph.N(l.cfg.NUnits)
	h, c := b.Expand(b.Float(0), batch, n), b.Expand(b.Float(0), batch, n)
	var hidden []*graph.Node
	for _, drive := range partsAlong(b, drives, 1) {
		h, c = cell.next(h, c, drive)
		hidden = append(hidden, h)
	}
	return logitsOf(b, cell.weights, hidden)
}

// Graph implements Model: one step, with h and c next to each other as one state. Where
// attention_mask is 0 (left padding) the state stays as it is. Both profiles are this graph.
func (l *lstm) Graph(Mode) (*graph.Graph, []card.State, error) {
	b := graph.NewBuilder()
	cell, n := l.cell(b), graph.N(l.cfg.NUnits)
	state := card.LayerState(0, "state")
	state.Shape = []string{card.Batch, strconv.Itoa(2 * l.cfg.NUnits)}
	ids := input(b, card.InputIDs, card.Seq, "1")
	real := b.Cast(input(b, card.AttentionMask, card.Seq, "1", card.Past, "0"), tensor.Bool)
	past := input(b, state.Input())
	h, c := cell.next(b.Slice(past, 1, graph.N(0), n), b.Slice(past, 1, n, n.Add(n)),
		drive(b, cell.weights, ids, graph.Sym(card.Batch)))
	logits := b.Unsqueeze(linear(b, h, cell.weights["head.weight"]), 1)
	g, err := b.Build(graph.Output{Name: card.Logits.Name, Node: logits},
		graph.Output{Name: state.Present, Node: b.Where(real, b.Concat(1, h, c), past)})
	if err != nil {
		return nil, nil, wrap.Error(err, "models: %s", l.cfg.Name())
	}
	return g, []card.State{state}, nil
}
