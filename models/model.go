package models

import (
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/internal/wrap"
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
	Forward(b *graph.Builder, m Mode) *forward
}

// New makes the model of a configuration, which it resolves first.
func New(cfg Config) (Model, error) {
	cfg, a, err := cfg.resolve()
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	m, err := a.make(cfg)
	return wrap.Value(m, err, "models")
}
