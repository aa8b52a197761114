// Package zoo is the catalogue of trained models, embedded in the program: their
// configurations, manifests and 16-bit weights. ONNX files are built from them
// on demand, in either profile.
package zoo

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

// Build returns the ONNX file of a model. The card says what the caller knows
// (task, tokenizer, training); what follows from the configuration and the
// profile is filled in here. Equal arguments give equal bytes.
func Build(cfg models.Config, weights map[string]*tensor.Tensor, c card.Card, profile string) ([]byte, error) {
	if profile != card.Portable && profile != card.Fused {
		return nil, fmt.Errorf("zoo: unknown profile %q; known: %s, %s", profile, card.Portable, card.Fused)
	}
	m, err := models.New(cfg)
	if err != nil {
		return nil, err
	}
	g, states, err := m.Graph(models.Mode{Fused: profile == card.Fused})
	if err != nil {
		return nil, err
	}
	if err := fill(&c, m, states, profile); err != nil {
		return nil, err
	}
	metadata, err := c.Metadata()
	if err != nil {
		return nil, fmt.Errorf("zoo: %w", err)
	}
	if profile == card.Portable {
		if err := export.CheckPortable(g); err != nil {
			return nil, err
		}
	}
	var buf bytes.Buffer
	if err := export.Write(&buf, g, weights, export.Options{Metadata: metadata}); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// BuildSequence returns a recurrent model as one ONNX file over whole sequences,
// for ONNX Runtime only: its one-step graph within a Scan (export.WriteSequence).
func BuildSequence(cfg models.Config, weights map[string]*tensor.Tensor, c card.Card) ([]byte, error) {
	m, err := models.New(cfg)
	if err != nil {
		return nil, err
	}
	g, states, err := m.Graph(models.Mode{})
	if err != nil {
		return nil, err
	}
	if len(states) != 1 || !states[0].Fixed {
		return nil, fmt.Errorf("zoo: %s is not recurrent: only a model with one state of fixed size has a sequence form", m.Config().Encoding)
	}
	if err := fill(&c, m, states, card.Portable); err != nil {
		return nil, err
	}
	metadata, err := c.Metadata()
	if err != nil {
		return nil, fmt.Errorf("zoo: %w", err)
	}
	var buf bytes.Buffer
	r := export.Recurrence{Past: states[0].Past, Present: states[0].Present}
	if err := export.WriteSequence(&buf, g, weights, r, export.Options{Metadata: metadata}); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// fill completes a card with what the model and its profile determine.
func fill(c *card.Card, m models.Model, states []models.State, profile string) error {
	config, err := json.Marshal(m.Config())
	if err != nil {
		return fmt.Errorf("zoo: %w", err)
	}
	c.Architecture, c.Positions = m.Config().Architecture(), "contiguous"
	c.Encoding, c.EncodingParams = m.Config().Encoding, m.Config().EncodingParams
	c.Config = config
	c.MaxLength = m.MaxLength()
	c.Parameters = int64(models.Count(m.Params()))
	c.Profile = profile
	c.State = nil
	c.WeightsSHA256 = "" // of the file: writing it fills that in
	for _, s := range states {
		shape := make([]string, len(s.Shape))
		for i, d := range s.Shape {
			shape[i] = d.String()
		}
		c.State = append(c.State, card.State{Past: s.Past, Present: s.Present, Shape: shape, Grows: !s.Fixed, Axis: s.Axis})
	}
	return nil
}
