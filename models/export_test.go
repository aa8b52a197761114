package models

import (
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/models/pe"
)

// Entmax adds entmax by itself to a graph.
func Entmax(b *graph.Builder, logits, visible *graph.Node) *graph.Node {
	return (&pass{b: b}).entmax(logits, visible)
}

// WithEncoding makes a decoder from a resolved configuration and an encoding that no table has.
func WithEncoding(cfg Config, enc pe.Encoding) Model { return &decoder{cfg: cfg, enc: enc} }

// Resolve fills in the defaults, and checks the settings.
func (c Config) Resolve() (Config, error) {
	c, _, err := c.resolve()
	return c, err
}
