package models

import "github.com/nopezoo/zoo/models/pe"

// WithEncoding makes a decoder from a resolved configuration and an encoding that no table has.
func WithEncoding(cfg Config, enc pe.Encoding) Model { return &decoder{cfg: cfg, enc: enc} }

// Resolve fills in the defaults, and checks the settings.
func (c Config) Resolve() (Config, error) {
	c, _, err := c.resolve()
	return c, err
}
