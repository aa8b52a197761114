package runtime_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/ort/orttest"
	"github.com/nopezoo/zoo/tokenizer"
)

// spec is a model with random weights. The zero value but for the encoding is a
// tiny one.
type spec struct {
	encoding   string
	fused      bool
	attentions bool
	maxLength  int // of the card; 0: the encoding's own
	config     models.Config
}

func (s spec) build() ([]byte, error) {
	cfg := s.config
	if cfg.DModel == 0 {
		cfg = models.Config{DModel: 32, NLayers: 2, NHeads: 4, DFF: 64, VocabSize: 50}
	}
	cfg.Encoding = s.encoding
	d, err := models.New(cfg)
	if err != nil {
		return nil, err
	}
	params := d.Params()
	for i := range params {
		params[i].Std *= 10 // the usual start gives flat logits, which prove little
	}
	g, states, err := d.Graph(models.Mode{Fused: s.fused, Attentions: s.attentions})
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
	return file(g, models.InitWeights(params, 1), &c)
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

// open opens a model on one thread, with ONNX Runtime unless the options say go.
func open(t testing.TB, model []byte, opt runtime.Options) *runtime.Session {
	t.Helper()
	if opt.Provider != "go" {
		opt.Library = orttest.Require(t)
		opt.NoSpinning = true
	}
	opt.Threads = 1
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

// everyModel runs f for each encoding, profile and engine.
func everyModel(t *testing.T, f func(t *testing.T, model []byte, provider string)) {
	for _, row := range pe.Table() {
		for _, fused := range []bool{false, true} {
			model := build(t, spec{encoding: row.Name, fused: fused})
			for _, provider := range []string{"cpu", "go"} {
				t.Run(fmt.Sprintf("%s/fused=%v/%s", row.Name, fused, provider), func(t *testing.T) {
					f(t, model, provider)
				})
			}
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
	e, w := b.Param("embed", vocab, width), b.Param("weight", width, width)
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
// position, and how many slots its row's mask shows.
func probe(t testing.TB, maskNew bool) []byte {
	t.Helper()
	b := graph.NewBuilder()
	batch, seq, past := graph.Sym("batch"), graph.Sym("seq"), graph.Sym("past")
	masked := past.Add(seq)
	if maskNew {
		masked = seq
	}
	column := func(x *graph.Node) *graph.Node { return b.Unsqueeze(b.Cast(x, tensor.Float32), 2) }
	ids := column(b.Input("input_ids", tensor.Int64, batch, seq))
	at := column(b.Input("position_ids", tensor.Int64, batch, seq))
	mask := b.Cast(b.Input("attention_mask", tensor.Int64, batch, masked), tensor.Float32)
	shown := b.Expand(b.Unsqueeze(b.ReduceSum(mask, true, 1), 2), batch, seq, graph.N(1))
	all := b.Concat(1, b.Input("past.0.ids", tensor.Float32, batch, past, graph.N(1)), ids)
	g, err := b.Build(graph.Output{Name: "logits", Node: b.Concat(2, ids, at, shown)}, graph.Output{Name: "present.0.ids", Node: all})
	if err != nil {
		t.Fatal(err)
	}
	model, err := file(g, nil, &card.Card{
		Architecture: "probe", Positions: "contiguous", Profile: card.Portable,
		State: []card.State{{Past: "past.0.ids", Present: "present.0.ids", Shape: []string{"batch", "past", "1"}, Kind: card.Growing, Axis: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return model
}
