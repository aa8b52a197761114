package models

import (
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/models/pe"
)

// Model is what training, export and the catalogue need of an architecture.
type Model interface {
	// Config returns the resolved configuration.
	Config() Config
	// Params lists every weight.
	Params() []pe.Param
	// MaxLength returns the greatest sequence length in tokens, 0 for none.
	MaxLength() int
	// Graph builds the model as it is exported, and lists its state.
	Graph(m Mode) (*graph.Graph, []card.State, error)
	// Forward adds the forward pass of training to a builder. Failures come out of
	// the builder's Build.
	Forward(b *graph.Builder, m Mode) *Forward
}

// Architecture is a row of the table of architectures other than the decoder.
// Its name stands where a decoder's encoding does: such a model has none, and
// what order it knows of comes from its own working.
type Architecture struct {
	Name    string
	Formula string // for people, in plain text
	Source  string // paper
	// Unrolled says that training needs graphs of fixed length (Mode.Steps).
	Unrolled bool
	// Settings are the keys of Config that it has.
	Settings []string
	resolve  func(Config) (Config, error)
	make     func(Config) Model
}

// Architectures lists them. Adding one takes its file, its test and a row.
func Architectures() []Architecture {
	return []Architecture{
		{Name: "cwrnn", Formula: "y_t[m] = tanh(Σ W y_(t−1)[≥m] + U x_t) where t mod T_m = 0", Source: "Koutník et al. 2014, arXiv 1402.3511",
			Unrolled: true, Settings: []string{"encoding", "d_model", "d_ff", "vocab_size", "n_units", "n_modules", "periods"},
			resolve: Config.resolveClockwork, make: func(c Config) Model { return &Clockwork{c} }},
	}
}

// Find returns the architecture of a name, if it is not the decoder.
func Find(name string) (Architecture, bool) {
	for _, a := range Architectures() {
		if a.Name == name {
			return a, true
		}
	}
	return Architecture{}, false
}

// Encodings lists what a configuration can name as its encoding: those of the decoder,
// and the architectures that have none and stand in their place.
func Encodings() []string {
	var names []string
	for _, r := range pe.Table() {
		names = append(names, r.Name)
	}
	for _, a := range Architectures() {
		names = append(names, a.Name)
	}
	return names
}

// Architecture names what the configuration builds: a row of Architectures, or
// "decoder".
func (c Config) Architecture() string {
	if a, ok := Find(c.Encoding); ok {
		return a.Name
	}
	return "decoder"
}

// New makes the model of a configuration, which it resolves first.
func New(cfg Config) (Model, error) {
	cfg, err := cfg.Resolve()
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	if a, ok := Find(cfg.Encoding); ok {
		return a.make(cfg), nil
	}
	return newDecoder(cfg)
}
