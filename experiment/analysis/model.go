package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// Model is a model whose inside can be read. It runs whole sequences in pure Go, by the graph of its training.
type Model struct {
	Label string
	Card  card.Card

	heads  int     // of each layer with attention
	layers []int   // with attention, ascending
	words  []int64 // of its random sequences, after first; nil for the task's
	first  int64

	model    models.Model
	weights  map[string]*tensor.Tensor
	hash     string // of the weights
	unrolled bool   // its graph has one length
	programs map[variant]*interp.Program
}

// variant is what a graph of a model is built for.
type variant struct {
	tokens  int  // of an unrolled one; 0 for any
	logits  bool // attention logits are outputs
	heads   bool // what heads give are outputs
	shifted bool // hidden states can be shifted
}

// NewModel prepares a model. A model without attention is an error.
func NewModel(label string, m modelfile.Model) (*Model, error) {
	model, err := models.New(m.Config)
	if err != nil {
		return nil, err
	}
	cfg := model.Config()
	row, err := models.ArchitectureOf(cfg)
	if err != nil {
		return nil, err
	}
	described := m.Card
	described.Architecture, described.Encoding = cfg.Architecture, cmp.Or(cfg.Encoding, cfg.Mixer)
	described.MaxLength = model.MaxLength()
	out := &Model{Label: label, Card: described, heads: cfg.NHeads, model: model, weights: m.Weights, hash: weightsHash(m.Weights),
		unrolled: row.Unrolled, programs: map[variant]*interp.Program{}}
	if !slices.Contains(row.Settings, "n_heads") {
		return nil, fmt.Errorf("%s: %s has no attention whose weights could be read", label, row.Name)
	}
	g, err := out.graph(variant{}, 1)
	if err != nil {
		return nil, err
	}
	for layer := range cfg.NLayers {
		if slices.ContainsFunc(g.Outputs, func(o graph.Output) bool { return o.Name == card.Attentions(layer) }) {
			out.layers = append(out.layers, layer)
		}
	}
	if len(out.layers) == 0 {
		return nil, fmt.Errorf("%s: no layer of %s has attention whose weights could be read", label, cfg.Name())
	}
	return out, nil
}

// graph builds the model for sequences of so many tokens if it is unrolled, else of any.
func (m *Model) graph(v variant, tokens int) (*graph.Graph, error) {
	mode := models.Mode{Attentions: true, Hidden: true, AttentionLogits: v.logits, HeadOutputs: v.heads, Shift: v.shifted}
	if m.unrolled {
		mode.Steps = tokens
	}
	b := graph.NewBuilder()
	f := m.model.Forward(b, mode)
	return b.Build(slices.Concat([]graph.Output{{Name: card.Logits.Name, Node: f.Logits}}, f.Attentions, f.Hidden, f.AttentionLogits, f.HeadOutputs)...)
}

// maxTokens bounds a sequence: the weights of one layer have heads × tokens² numbers.
const maxTokens = 2048

// errTooManyTokens is the error of a sequence longer than maxTokens.
var errTooManyTokens = errors.New("attention is read of shorter sequences only")

// inside is what a model computes for one sequence of T tokens.
type inside struct {
	ids       []int64 // T
	logits    []float32
	vocab     int
	attention [][]float32 // by place in Model.layers, [H,T,T]
	hidden    [][]float32 // after 0, 1, … layers, [T,D]
	scores    [][]float32 // attention logits as attention, where asked for
	heads     [][]float32 // what heads give, [T,H·D], by place in Model.layers, where asked for
}

// readOptions change a run, or what it gives.
type readOptions struct {
	logits bool        // give attention logits
	heads  bool        // give what heads give
	shift  [][]float32 // added to hidden states after 0, 1, … layers, [T,D]; nil for none
}

// read runs a sequence.
func (m *Model) read(ctx context.Context, ids []int64, o readOptions) (inside, error) {
	if len(ids) > maxTokens {
		return inside{}, fmt.Errorf("%w: there are %d tokens, at most %d can be; choose a shorter length",
			errTooManyTokens, len(ids), maxTokens)
	}
	key := variant{logits: o.logits, heads: o.heads, shifted: o.shift != nil}
	if m.unrolled {
		key.tokens = len(ids)
	}
	program := m.programs[key]
	if program == nil {
		g, err := m.graph(key, len(ids))
		if err != nil {
			return inside{}, err
		}
		program = interp.New(g, tensor.Float32)
		m.programs[key] = program
	}
	positions := lists.Make(len(ids), func(i int) int64 { return int64(i) })
	inputs := map[string]*tensor.Tensor{
		card.InputIDs.Name:    tensor.Of(ids, 1, len(ids)),
		card.PositionIDs.Name: tensor.Of(positions, 1, len(ids)),
	}
	for layers, by := range o.shift {
		inputs[fmt.Sprintf(models.ShiftName, layers)] = tensor.Of(by, 1, len(ids), len(by)/len(ids))
	}
	out, err := program.Run(ctx, inputs, m.weights)
	if err != nil {
		return inside{}, fmt.Errorf("%s: %w", m.Label, err)
	}
	in := inside{ids: ids, logits: tensor.Data[float32](out[card.Logits.Name]), vocab: m.model.Config().VocabSize}
	for _, layer := range m.layers {
		in.attention = append(in.attention, tensor.Data[float32](out[card.Attentions(layer)]))
		if o.logits {
			in.scores = append(in.scores, tensor.Data[float32](out[fmt.Sprintf(models.LogitsName, layer)]))
		}
		if o.heads {
			in.heads = append(in.heads, tensor.Data[float32](out[fmt.Sprintf(models.HeadOutputName, layer)]))
		}
	}
	for layers := 0; out[fmt.Sprintf(models.HiddenName, layers)] != nil; layers++ {
		in.hidden = append(in.hidden, tensor.Data[float32](out[fmt.Sprintf(models.HiddenName, layers)]))
	}
	return in, nil
}

// row is the weights of a head's query t for the keys 0 … t.
func (in *inside) row(layer, head, t int) []float32 {
	n := len(in.ids)
	return in.attention[layer][(head*n+t)*n:][:t+1]
}

// score is the logits of a head's query t for the keys 0 … t, below unseen for keys that a window hides.
func (in *inside) score(layer, head, t int) []float32 {
	n := len(in.ids)
	return in.scores[layer][(head*n+t)*n:][:t+1]
}

// unseen lies between the logits of hidden keys and all others.
const unseen = -1e8

// predicts returns the token with the greatest logit after token t.
func (in *inside) predicts(t int) int64 {
	row := in.logits[t*in.vocab:][:in.vocab]
	best := 0
	for i, v := range row {
		if v > row[best] {
			best = i
		}
	}
	return int64(best)
}
