package runtime_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile/precision"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
)

// spec is a model with random weights. The zero value with an encoding is a
// tiny one.
type spec struct {
	encoding   string
	fused      bool
	growing    bool // states that grow, as in old files, not in place
	attentions bool
	dtype      string // of the large matrices, as a card has it; "": float32
	window     models.Windows
	maxLength  int // of the card; 0: the encoding's own
	broken     int // a position of learned ones that gives NaN with layer norms; 0: none
	config     models.Config
	change     func(*card.Card) // nil: nothing
}

func (s spec) build() ([]byte, error) {
	cfg := s.config
	if cfg.DModel == 0 {
		cfg = models.Config{DModel: 32, NLayers: 2, NHeads: 4, DFF: 64, VocabSize: 50}
	}
	cfg.Encoding, cfg.Window = s.encoding, s.window
	d, err := models.New(cfg)
	if err != nil {
		return nil, err
	}
	params := d.Params()
	for i := range params {
		params[i].Std = min(10*params[i].Std, max(params[i].Std, 0.3)) // the usual start gives flat logits, which prove little
	}
	g, states, err := d.Graph(models.Mode{Fused: s.fused, Growing: s.growing, Attentions: s.attentions})
	if err != nil {
		return nil, err
	}
	c := card.Card{
		Architecture: "decoder", Encoding: s.encoding, Positions: "contiguous", Profile: card.Portable,
		Tokenizer: vocabulary(cfg.VocabSize), MaxLength: d.MaxLength(), State: states,
	}
	if s.fused {
		c.Profile = card.Fused
	}
	if s.maxLength > 0 {
		c.MaxLength = s.maxLength
	}
	if s.change != nil {
		s.change(&c)
	}
	weights := models.InitWeights(params, 1)
	if s.dtype != "" {
		c.DType = s.dtype
		if g, weights, err = precision.Convert(g, weights, s.dtype, nil); err != nil {
			return nil, err
		}
	}
	if s.broken > 0 {
		breakPosition(weights, s.broken)
	}
	return file(g, weights, &c)
}

// vocabulary is the two standard pieces, then a, b, …, z, A, B, … and one more
// letter each until there are enough.
func vocabulary(size int) []string {
	pieces := []string{tokenizer.PadPiece, tokenizer.EOSPiece}
	for word := ""; len(pieces) < size; word += "x" {
		for _, letter := range "abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWYZ" {
			if len(pieces) < size {
				pieces = append(pieces, word+string(letter))
			}
		}
	}
	return pieces
}

// file writes a model file; without a card for nil.
func file(g *graph.Graph, weights map[string]*tensor.Tensor, c *card.Card) ([]byte, error) {
	var opt export.Options
	if c != nil {
		var err error
		if opt.Metadata, err = c.Metadata(); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	err := export.Write(&b, g, weights, opt)
	return b.Bytes(), err
}

func build(t testing.TB, s spec) []byte {
	t.Helper()
	data, err := s.build()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// open opens a model, with ONNX Runtime unless the options say go; on one thread unless
// they say how many.
func open(t testing.TB, model []byte, opt runtime.Options) *runtime.Session {
	t.Helper()
	switch {
	case opt.Provider == "webgpu":
		opt.Library = orttest.RequireWebGPU(t)
	case !strings.HasSuffix(opt.Provider, "go"):
		opt.Library = orttest.Require(t)
		opt.NoSpinning = true
	}
	opt.Threads = max(opt.Threads, 1)
	s, err := runtime.OpenBytes(model, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// kinds are the ways in which a decoder's states are carried.
var kinds = []struct {
	name    string
	growing bool
}{{"in place", false}, {"growing", true}}

// everyKind runs f for a model of each kind of states on each engine, whose names may have
// a prefix: see spy.
func everyKind(t *testing.T, s spec, prefix string, f func(t *testing.T, model []byte, provider string)) {
	for _, kind := range kinds {
		s.growing = kind.growing
		model := build(t, s)
		for _, provider := range []string{"cpu", "go"} {
			t.Run(kind.name+"/"+provider, func(t *testing.T) { f(t, model, prefix+provider) })
		}
	}
}

// everyModel runs f for each encoding and profile, kind of states and engine.
func everyModel(t *testing.T, f func(t *testing.T, model []byte, provider string)) {
	for _, row := range pe.Table() {
		for _, fused := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/fused=%v", row.Name, fused), func(t *testing.T) {
				everyKind(t, spec{encoding: row.Name, fused: fused}, "", f)
			})
		}
	}
}

// recurrent is a network of one layer that takes one token at a time, has a
// state of fixed size instead of a cache, and reads no attention mask:
// h ← tanh(x + h·Wᵀ), logits = h·Eᵀ, with h = 0.5 before the first token.
func recurrent(t testing.TB) (model []byte, embed, weight []float32) {
	t.Helper()
	const vocab, width = 7, 4
	b := graph.NewBuilder()
	batch := graph.Sym("batch")
	ids := b.Input("input_ids", tensor.Int64, batch, graph.N(1))
	past := b.Input("past.0.state", tensor.Float32, batch, graph.N(width))
	e, w := b.Param("embed", tensor.Float32, vocab, width), b.Param("weight", tensor.Float32, width, width)
	x := b.Reshape(b.Gather(e, ids, 0), batch, graph.N(width))
	h := b.Tanh(b.Add(x, b.Gemm(past, w, false, true)))
	logits := b.Reshape(b.Gemm(h, e, false, true), batch, graph.N(1), graph.N(vocab))
	g, err := b.Build(graph.Output{Name: "present.0.state", Node: h}, graph.Output{Name: "logits", Node: logits})
	if err != nil {
		t.Fatal(err)
	}
	weights := models.InitWeights([]pe.Param{
		{Name: "embed", Shape: []int{vocab, width}, Std: 1}, {Name: "weight", Shape: []int{width, width}, Std: 1},
	}, 3)
	model, err = file(g, weights, &card.Card{
		Architecture: "rnn", Positions: "contiguous", Profile: card.Portable,
		State: []card.State{{Past: "past.0.state", Present: "present.0.state", Shape: []string{"batch", "4"}, Initial: 0.5}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return model, tensor.Data[float32](weights["embed"]), tensor.Data[float32](weights["weight"])
}

// probe is a model whose three logits are what it was fed: the token id, its
// position, and how many slots its row's mask shows; in place, those up to the token's
// own. Its state is the ids; with a mask of the new tokens only, it grows.
func probe(t testing.TB, growing, maskNew bool) []byte {
	t.Helper()
	b := graph.NewBuilder()
	batch, seq, past, room := graph.Sym("batch"), graph.Sym("seq"), graph.Sym("past"), graph.Sym("capacity")
	state := card.State{Past: "past.0.ids", Present: "present.0.ids",
		Shape: []string{"batch", "past", "1"}, Kind: card.Growing, Axis: 1}
	masked := past.Add(seq)
	switch {
	case maskNew:
		masked = seq
	case !growing:
		state.Shape, state.Kind, state.Axis = []string{"capacity", "batch", "1"}, card.InPlace, 0
		masked = room
	}
	column := func(x *graph.Node) *graph.Node { return b.Unsqueeze(b.Cast(x, tensor.Float32), 2) }
	ids := column(b.Input("input_ids", tensor.Int64, batch, seq))
	at := column(b.Input("position_ids", tensor.Int64, batch, seq))
	mask := b.Cast(b.Input("attention_mask", tensor.Int64, batch, masked), tensor.Float32)
	var shown, all *graph.Node
	if state.Kind == card.InPlace {
		slots := b.Unsqueeze(b.Input("cache_position", tensor.Int64, seq), 1)
		reached := b.Op("GreaterOrEqual", []*graph.Node{slots, b.Unsqueeze(b.Range(graph.N(0), room), 0)}) // [T,S]
		shown = b.Unsqueeze(b.MatMul(mask, b.Transpose(b.Cast(reached, tensor.Float32), 1, 0)), 2)
		all = b.Op("ScatterND", []*graph.Node{b.Input("past.0.ids", tensor.Float32, room, batch, graph.N(1)), slots, b.Transpose(ids, 1, 0, 2)})
	} else {
		shown = b.Expand(b.Unsqueeze(b.ReduceSum(mask, true, 1), 2), batch, seq, graph.N(1))
		all = b.Concat(1, b.Input("past.0.ids", tensor.Float32, batch, past, graph.N(1)), ids)
	}
	logits := b.Concat(2, ids, at, shown)
	g, err := b.Build(graph.Output{Name: "logits", Node: logits}, graph.Output{Name: "present.0.ids", Node: all})
	if err != nil {
		t.Fatal(err)
	}
	model, err := file(g, nil, &card.Card{
		Architecture: "probe", Positions: "contiguous", Profile: card.Portable, State: []card.State{state},
	})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// texts are prompts.
func texts(all ...string) (prompts []runtime.Prompt) {
	for _, text := range all {
		prompts = append(prompts, runtime.Prompt{Text: text})
	}
	return prompts
}
