// Package modelfile builds the ONNX file of a model, in either profile, from its
// configuration, its weights and what its card says.
package modelfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
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
	// Looped makes a file that answers whole prompts in one call, for ONNX Runtime only: the graph
	// within a Loop (export.WriteLooped). The model needs a tokenizer, which says what ends an
	// answer. Such a file gives no attention weights.
	Looped bool
	// TokenizerFile is the tokenizer.json of a pretrained model, which stands beside its files; nil for none.
	TokenizerFile []byte
	// Attentions adds the attention weights of each layer (card.Attentions) to what the file of
	// ONNX gives whoever asks for them. Sessions of runtime do not, and answer as ever.
	Attentions bool
}

// Name is what files of the model are called: its task, if it has one, the name of its
// configuration, or of where a pretrained model comes from, and what was changed after training.
func (m Model) Name() string {
	name := m.Config.Name()
	if p := m.Card.Pretrained; p != nil {
		name = strings.TrimSuffix(p.Source, ".gguf")
	}
	if m.Card.Task != "" {
		tasks, _ := task.Label(m.Card.Task) // of a task that this program does not know, its name
		name = tasks + "-" + name
	}
	if m.Card.Intervention != "" {
		plain := strings.NewReplacer(", ", "-", ",", "-", ":", "-", "=", "-", "/", "-", "*", "x")
		name += "-" + plain.Replace(m.Card.Intervention)
	}
	return name
}

// FileName is what the model's ONNX file in a profile is called: copy-rope.onnx,
// copy-rope.fused.onnx, or in another precision copy-rope.float16.onnx, copy-rope.int8.onnx.
func (m Model) FileName(profile string) string {
	name := m.Name()
	if profile != card.Portable {
		name += "." + profile
	}
	if d := m.Card.DType; d != "" && d != card.Float32 {
		name += "." + strings.TrimSuffix(d, "-block")
	}
	return name + ".onnx"
}

// ONNX returns the model's file in a profile. Equal models give equal bytes. A model of more than 2 GiB is an error.
func (m Model) ONNX(profile string) ([]byte, error) {
	file, _, err := m.ONNXFiles(profile, "")
	return file, err
}

// ONNXFiles is ONNX for models of any size, in a file of a name: of one that would exceed 2 GiB the large weights are in beside,
// the contents of a second file by its name (safety.IsData); of others beside is nil.
func (m Model) ONNXFiles(profile, name string) (file []byte, beside map[string][]byte, err error) {
	to := export.Options{Name: name, Data: func(name string, contents []byte) error {
		beside = map[string][]byte{name: contents}
		return nil
	}}
	var out written
	if err := m.write(&out, profile, to); err != nil {
		return nil, nil, err
	}
	return out, beside, nil
}

// written keeps what is written, and does not copy the first piece, which is all.
type written []byte

func (w *written) Write(p []byte) (int, error) {
	if *w == nil {
		*w = p // export leaves what it has written to it
	} else {
		*w = append(*w, p...)
	}
	return len(p), nil
}

// File returns the model's file of any size for runtime.OpenFile. It has the memory of Weights, where the file is in their
// precision.
func (m Model) File(profile string) (f *safety.File, err error) {
	err = m.write(nil, profile, export.Options{Kept: func(kept *safety.File) { f = kept }})
	return f, err
}

func (m Model) write(w io.Writer, profile string, o export.Options) error {
	if profile != card.Portable && profile != card.Fused {
		return fmt.Errorf("modelfile: unknown profile %q; known: %s, %s", profile, card.Portable, card.Fused)
	}
	d, err := m.Describe(profile)
	if err != nil {
		return err
	}
	states := d.Card.State
	if m.Looped {
		d.Card.State, d.Card.Form = nil, card.Looped
		if _, err := tokenizer.New(d.Card.Tokenizer); err != nil {
			return fmt.Errorf("modelfile: answers end with the end token of a tokenizer: %w", err)
		}
	}
	if o.Metadata, err = d.Card.Metadata(); err != nil {
		return fmt.Errorf("modelfile: %w", err)
	}
	if profile == card.Portable {
		o.Opset = export.OpsetPortable
	}
	if m.Looped {
		return export.WriteLooped(w, d.Graph, d.Weights, states, tokenizer.EOS, o)
	}
	return export.Write(w, d.Graph, d.Weights, o)
}

// dtypeOf returns a precision as cards have it, where float32 is "".
func dtypeOf(dtype string) (string, error) {
	if dtype == "" || dtype == card.Float32 {
		return "", nil
	}
	return precision.Parse(dtype)
}

// full tells which weights stay float32 in files of any precision.
func full(params []pe.Param) func(name string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(params, func(p pe.Param) bool { return p.Full && p.Name == name })
	}
}

// description is what a file of a model holds.
type description struct {
	Graph   *graph.Graph              // of a looped file the graph within the Loop
	Weights map[string]*tensor.Tensor // in the file's precision
	Card    card.Card                 // without the hash of the weights; of a looped file with the graph's states
}

// Describe returns what the model's file in a profile holds.
func (m Model) Describe(profile string) (description, error) {
	c := m.Card
	model, err := models.New(m.Config)
	if err != nil {
		return description{}, err
	}
	g, state, err := model.Graph(models.Mode{Fused: profile == card.Fused, Growing: m.Looped, Attentions: m.Attentions && !m.Looped})
	if err != nil {
		return description{}, err
	}
	if m.Attentions && !m.Looped && !slices.ContainsFunc(g.Outputs, func(o graph.Output) bool { return o.Name == card.Attentions(0) }) {
		return description{}, fmt.Errorf("modelfile: %s has no attention in its first layer, so there are no weights to give", m.Name())
	}
	if c.DType, err = dtypeOf(c.DType); err != nil {
		return description{}, fmt.Errorf("modelfile: %w", err)
	}
	weights := m.Weights
	if c.DType != "" {
		if g, weights, err = precision.Convert(g, weights, c.DType, full(model.Params())); err != nil {
			return description{}, fmt.Errorf("modelfile: %w", err)
		}
	}
	cfg := model.Config()
	if c.Config, err = json.Marshal(cfg); err != nil {
		return description{}, fmt.Errorf("modelfile: %w", err)
	}
	c.Architecture, c.Positions = cfg.Architecture, cmp.Or(c.Positions, card.Contiguous)
	c.Encoding, c.EncodingParams = cmp.Or(cfg.Encoding, cfg.Mixer), cfg.EncodingParams
	c.MaxLength = model.MaxLength()
	c.Parameters = int64(models.Count(model.Params()))
	c.Profile = profile
	c.State, c.Form = state, card.Steps
	c.WeightsSHA256 = "" // of the file: writing it fills that in
	return description{g, weights, c}, nil
}
