// Package modelfile builds the ONNX file of a model, in either profile, from its
// configuration, its weights and what its card says.
package modelfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile/precision"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/tokenizer"
)

// Model is what a file is built from.
type Model struct {
	Config  models.Config
	Weights map[string]*tensor.Tensor // float32, by the names of the model's Params
	// Card says how the model came to be and holds its tokenizer, and in DType the precision
	// that a file is built in; what follows from Config and the profile is filled in then.
	Card card.Card
	// Attentions adds the attention weights of each layer (card.Attentions) to what the file of
	// ONNX gives whoever asks for them. Sessions of runtime do not, and answer as ever.
	Attentions bool
}

// Name is what files of the model are called: its task, if it has one, the name of its
// configuration, and what was changed after training.
func (m Model) Name() string {
	name := m.Config.Name()
	if m.Card.Task != "" {
		name = task.Label(m.Card.Task) + "-" + name
	}
	if m.Card.Intervention != "" {
		plain := strings.NewReplacer(", ", "-", ",", "-", ":", "-", "=", "-", "/", "-", "*", "x")
		name += "-" + plain.Replace(m.Card.Intervention)
	}
	return name
}

// FileName is what the model's ONNX file in a profile is called: copy-rope.onnx,
// copy-rope.fused.onnx, or in another precision copy-rope.int8.onnx.
func (m Model) FileName(profile string) string {
	name := m.Name()
	if profile != card.Portable {
		name += "." + profile
	}
	if d := m.Card.DType; d != "" && d != card.Float32 {
		name += "." + d
	}
	return name + ".onnx"
}

// ONNX returns the model's file in a profile. Equal models give equal bytes.
func (m Model) ONNX(profile string) ([]byte, error) {
	g, c, err := m.checked(profile, false)
	if err != nil {
		return nil, err
	}
	weights, err := m.Stored(g)
	if err != nil {
		return nil, fmt.Errorf("modelfile: %w", err)
	}
	return m.write(c, func(buf *bytes.Buffer, o export.Options) error { return export.Write(buf, g, weights, o) })
}

// checked is Describe for a file that is to be written, whose profile must be known and kept.
func (m Model) checked(profile string, growing bool) (*graph.Graph, card.Card, error) {
	if profile != card.Portable && profile != card.Fused {
		return nil, card.Card{}, fmt.Errorf("modelfile: unknown profile %q; known: %s, %s", profile, card.Portable, card.Fused)
	}
	g, c, err := m.describe(profile, growing)
	if err == nil && profile == card.Portable {
		err = export.CheckPortable(g)
	}
	return g, c, err
}

// LoopedONNX returns the model as a file that answers whole prompts in one call, for ONNX
// Runtime only: its graph within a Loop (export.WriteLooped). The model needs a tokenizer,
// which says what ends an answer. Attention weights are not among what such a file gives.
func (m Model) LoopedONNX(profile string) ([]byte, error) {
	m.Attentions = false
	g, c, err := m.checked(profile, true)
	if err != nil {
		return nil, err
	}
	if _, err := tokenizer.New(c.Tokenizer); err != nil {
		return nil, fmt.Errorf("modelfile: answers end with the end token of a tokenizer: %w", err)
	}
	weights, err := m.Stored(g)
	if err != nil {
		return nil, fmt.Errorf("modelfile: %w", err)
	}
	states := c.State
	c.State, c.Form = nil, card.Looped
	return m.write(c, func(buf *bytes.Buffer, o export.Options) error {
		return export.WriteLooped(buf, g, weights, states, tokenizer.EOS, o)
	})
}

func (m Model) write(c card.Card, write func(*bytes.Buffer, export.Options) error) ([]byte, error) {
	metadata, err := c.Metadata()
	if err != nil {
		return nil, fmt.Errorf("modelfile: %w", err)
	}
	var buf bytes.Buffer
	if err := write(&buf, export.Options{Metadata: metadata}); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Stored returns the weights that a file holds whose graph is g (see Describe).
func (m Model) Stored(g *graph.Graph) (map[string]*tensor.Tensor, error) {
	if d, err := dtypeOf(m.Card.DType); d == "" || err != nil {
		return m.Weights, err
	}
	return precision.Weights(g, m.Weights)
}

// dtypeOf returns a precision as cards have it, where float32 is "".
func dtypeOf(dtype string) (string, error) {
	if dtype == "" || dtype == card.Float32 {
		return "", nil
	}
	return dtype, precision.Check(dtype)
}

// full tells which weights stay float32 in files of any precision.
func full(params []pe.Param) func(name string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(params, func(p pe.Param) bool { return p.Full && p.Name == name })
	}
}

// Describe returns what the model's file in a profile holds: its graph, and its card but
// for the hash of the weights.
func (m Model) Describe(profile string) (*graph.Graph, card.Card, error) {
	return m.describe(profile, false)
}

// DescribeLooped is Describe for the graph within the file of LoopedONNX, with its states.
func (m Model) DescribeLooped(profile string) (*graph.Graph, card.Card, error) {
	return m.describe(profile, true)
}

// describe is Describe, of a graph whose states may grow.
func (m Model) describe(profile string, growing bool) (*graph.Graph, card.Card, error) {
	c := m.Card
	model, err := models.New(m.Config)
	if err != nil {
		return nil, c, err
	}
	g, state, err := model.Graph(models.Mode{Fused: profile == card.Fused, Growing: growing, Attentions: m.Attentions})
	if err != nil {
		return nil, c, err
	}
	if m.Attentions && !slices.ContainsFunc(g.Outputs, func(o graph.Output) bool { return o.Name == card.Attentions(0) }) {
		return nil, c, fmt.Errorf("modelfile: %s has no attention in its first layer, so there are no weights to give", m.Name())
	}
	if c.DType, err = dtypeOf(c.DType); err != nil {
		return nil, c, fmt.Errorf("modelfile: %w", err)
	}
	if c.DType != "" {
		if g, err = precision.Graph(g, c.DType, full(model.Params())); err != nil {
			return nil, c, fmt.Errorf("modelfile: %s: %w", c.DType, err)
		}
	}
	cfg := model.Config()
	if c.Config, err = json.Marshal(cfg); err != nil {
		return nil, c, fmt.Errorf("modelfile: %w", err)
	}
	c.Architecture, c.Positions = cfg.Architecture, cmp.Or(c.Positions, card.Contiguous)
	c.Encoding, c.EncodingParams = cfg.ByLayer(), cfg.EncodingParams
	c.MaxLength = model.MaxLength()
	c.Parameters = int64(models.Count(model.Params()))
	c.Profile = profile
	c.State, c.Form = state, card.Steps
	c.WeightsSHA256 = "" // of the file: writing it fills that in
	return g, c, nil
}
