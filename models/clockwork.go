package models

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/models/pe"
)

// clockwork is the Clockwork RNN (Koutník, Greff, Gomez & Schmidhuber 2014,
// arXiv 1402.3511) as a language model. Its n hidden units are g modules of
// k = n/g, sorted from fast to slow; module m has the period T_m and reads
// itself and every slower module:
//
//	y_t[m] = tanh( Σ_{j ≥ m} W[m,j] y_{t−1}[j] + U[m] x_t + b[m] )  where t mod T_m = 0
//	y_t[m] = y_{t−1}[m]                                             elsewhere
//	logits_t = W_O y_t, from all modules at every step
//
// x_t is the token's embedding, y before the first token is 0, and the clock
// starts at t = 0, where every module fires. The recurrent matrix is block upper
// triangular by construction: the blocks below the diagonal are no parameters.
type clockwork struct {
	cfg Config
}

// size is k, the units of one module.
func (c *clockwork) size() int { return c.cfg.NUnits / c.cfg.NModules }

// newClockwork makes a network from a resolved configuration.
func newClockwork(cfg Config) (Model, error) { return &clockwork{cfg}, nil }

// resolveClockwork fills in and checks the network's settings.
func resolveClockwork(c Config) (Config, error) {
	c.NUnits, c.DFF = cmp.Or(c.NUnits, c.DFF), 0
	c.NModules = cmp.Or(c.NModules, 8)
	c.Periods = slices.Clone(c.Periods) // the caller's
	err := checkSizes(size{"d_model", c.DModel, maxWidth}, size{"vocab_size", c.VocabSize, maxVocab},
		size{"n_units", c.NUnits, maxWidth}, size{"n_modules", c.NModules, 30})
	if err != nil {
		return c, err
	}
	if c.NUnits%c.NModules != 0 {
		return c, fmt.Errorf("n_modules %d does not divide n_units %d; change one", c.NModules, c.NUnits)
	}
	if len(c.Periods) == 0 {
		for m := range c.NModules {
			c.Periods = append(c.Periods, 1<<m)
		}
	}
	if len(c.Periods) != c.NModules || !slices.IsSorted(c.Periods) || c.Periods[0] < 1 {
		return c, fmt.Errorf("periods %v: want one for each of the %d modules, positive and from fast to slow",
			c.Periods, c.NModules)
	}
	return c, nil
}

// Config implements Model.
func (c *clockwork) Config() Config { return c.cfg }

// MaxLength implements Model: there is none.
func (c *clockwork) MaxLength() int { return 0 }

// Params implements Model. The standard deviations keep sums of units of order 1;
// the paper's own 0.1 is for networks of a few dozen units.
func (c *clockwork) Params() []pe.Param {
	n, d, k := c.cfg.NUnits, c.cfg.DModel, c.size()
	list := []pe.Param{
		{Name: "embed.weight", Shape: []int{c.cfg.VocabSize, d}, Std: 1, Decay: true},
		{Name: "in_proj.weight", Shape: []int{n, d}, Std: 1 / math.Sqrt(float64(d)), Decay: true},
		{Name: "in_proj.bias", Shape: []int{n}},
	}
	for m := range c.cfg.NModules {
		reads := n - m*k
		std := 1 / math.Sqrt(float64(reads))
		list = append(list, pe.Param{Name: recurrent(m), Shape: []int{k, reads}, Std: std, Decay: true})
	}
	head := pe.Param{Name: "head.weight", Shape: []int{c.cfg.VocabSize, n}, Std: 1 / math.Sqrt(float64(n)), Decay: true}
	return append(list, head)
}

func recurrent(m int) string { return fmt.Sprintf("modules.%d.recurrent.weight", m) }

// cell is a Clockwork RNN under construction.
type cell struct {
	*clockwork
	b      *graph.Builder
	params map[string]*graph.Node
}

func (c *clockwork) cell(b *graph.Builder) *cell { return &cell{c, b, declare(b, c.Params())} }

// fired is the new value of module m, [B,k], from the modules' old values and
// the drive of all units, [B,n].
func (l *cell) fired(m int, y []*graph.Node, drive *graph.Node) (out *graph.Node) {
	k := l.size()
	l.b.In(fmt.Sprintf("modules.%d", m), func() {
		own := l.b.Slice(drive, 1, graph.N(m*k), graph.N((m+1)*k))
		out = l.b.Tanh(l.b.Add(linear(l.b, l.b.Concat(1, y[m:]...), l.params[recurrent(m)]), own))
	})
	return out
}

// Forward implements Model: the network unrolled over m.Steps tokens, which is
// the length of the axis seq. Rows are padded on the right.
func (c *clockwork) Forward(b *graph.Builder, m Mode) *forward {
	l := c.cell(b)
	drives, ok := unroll(b, m, l.params, "a Clockwork RNN")
	if !ok {
		return &forward{}
	}
	y := lists.Make(c.cfg.NModules, func(int) *graph.Node { return b.Expand(b.Float(0), graph.Sym(card.Batch), graph.N(c.size())) })
	var hidden []*graph.Node
	for t, drive := range partsAlong(b, drives, 1) {
		old := slices.Clone(y)
		for i, period := range c.cfg.Periods {
			if t%period == 0 {
				y[i] = l.fired(i, old, drive)
			}
		}
		hidden = append(hidden, b.Concat(1, y...))
	}
	return logitsOf(b, l.params, hidden)
}

// Graph implements Model: one step, flat, with the state in and out. Its clock is
// position_ids, which starts at 0; where attention_mask is 0 (left padding) the
// state stays as it is. Both profiles are this graph.
func (c *clockwork) Graph(Mode) (*graph.Graph, []card.State, error) {
	b := graph.NewBuilder()
	l := c.cell(b)
	state := card.LayerState(0, "state")
	state.Shape = []string{card.Batch, strconv.Itoa(c.cfg.NUnits)}
	ids := input(b, card.InputIDs, card.Seq, "1")
	real := b.Cast(input(b, card.AttentionMask, card.Seq, "1", card.Past, "0"), tensor.Bool)
	clock := input(b, card.PositionIDs, card.Seq, "1")
	past := input(b, state.Input())
	y := lists.Make(c.cfg.NModules, func(i int) *graph.Node { return b.Slice(past, 1, graph.N(i*c.size()), graph.N((i+1)*c.size())) })
	drive := drive(b, l.params, ids, graph.Sym(card.Batch))
	next := make([]*graph.Node, len(y))
	for i, period := range c.cfg.Periods {
		p := b.Ints(int64(period))
		rest := b.Sub(clock, b.Mul(b.Div(clock, p), p)) // t mod T
		fires := b.And(b.Greater(b.Ints(1), rest), real)
		next[i] = b.Where(fires, l.fired(i, y, drive), y[i])
	}
	present := b.Concat(1, next...)
	logits := b.Unsqueeze(linear(b, present, l.params["head.weight"]), 1)
	g, err := b.Build(graph.Output{Name: card.Logits.Name, Node: logits},
		graph.Output{Name: state.Present, Node: present})
	if err != nil {
		return nil, nil, wrap.Error(err, "models: %s", c.cfg.Name())
	}
	return g, []card.State{state}, nil
}
