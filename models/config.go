package models

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/models/pe"
)

// Config is a model, but for its weights. The zero value of an optional field
// means the setting's default; Resolve fills it in.
type Config struct {
	// Settings names the family of defaults: "modern" (scaled attention, full
	// rotary, squared ReLU) or "faithful" (Kazemnejad et al. 2023: T5 block with
	// unscaled attention, ReLU, tied and scaled head, T5 initialisation).
	Settings string `json:"settings"`
	// Encoding is a name of the table of package pe, or of an architecture that
	// has none (see Architectures).
	Encoding string `json:"encoding"`
	// EncodingParams is a JSON object of the encoding's own settings. Under the
	// faithful settings, keys that are not given are the paper's.
	EncodingParams json.RawMessage `json:"encoding_params,omitempty"`

	DModel    int `json:"d_model"`
	NLayers   int `json:"n_layers"`
	NHeads    int `json:"n_heads"`
	DHead     int `json:"d_head"` // default d_model / n_heads
	DFF       int `json:"d_ff"`
	VocabSize int `json:"vocab_size"` // default: the task's

	// Activation of the feed-forward layer: "relu", "relu2" (its square) or
	// "gelu" (tanh form).
	Activation string `json:"activation"`
	// AttentionScale multiplies q·k: "sqrt" is d_head^−½, "none" is 1.
	AttentionScale string `json:"attention_scale"`
	// HeadScale multiplies the hidden vector before the output product: "sqrt"
	// is d_model^−½, "none" is 1.
	HeadScale string `json:"head_scale"`
	// Init is the initialisation: "t5" or "gpt".
	Init string `json:"init"`
	// NormEps is added to the mean square before the root in RMSNorm.
	NormEps float64 `json:"norm_eps"`

	// NUnits, NModules and Periods are the Clockwork RNN's hidden units (default
	// d_ff), modules (default 8) and the period of each, from fast to slow (default
	// 1, 2, 4, …).
	NUnits   int   `json:"n_units,omitempty"`
	NModules int   `json:"n_modules,omitempty"`
	Periods  []int `json:"periods,omitempty"`
}

// family holds the defaults that a settings name stands for.
var family = map[string]Config{
	"modern":   {Activation: "relu2", AttentionScale: "sqrt", HeadScale: "none", Init: "gpt", NormEps: 1e-6},
	"faithful": {Activation: "relu", AttentionScale: "none", HeadScale: "sqrt", Init: "t5", NormEps: 1e-6},
}

// Resolve returns the configuration with every default filled in and what its
// architecture has not (see Settings) cleared, or an error that names the
// offending key, its value and what is allowed.
func (c Config) Resolve() (Config, error) {
	c.Settings = cmp.Or(c.Settings, "modern")
	base, ok := family[c.Settings]
	if !ok {
		return c, fmt.Errorf("settings %q: want modern or faithful", c.Settings)
	}
	if a, ok := Find(c.Encoding); ok {
		return a.resolve(c)
	}
	c.NUnits, c.NModules, c.Periods = 0, 0, nil
	c.Activation = cmp.Or(c.Activation, base.Activation)
	c.AttentionScale = cmp.Or(c.AttentionScale, base.AttentionScale)
	c.HeadScale = cmp.Or(c.HeadScale, base.HeadScale)
	c.Init = cmp.Or(c.Init, base.Init)
	c.NormEps = cmp.Or(c.NormEps, base.NormEps)
	if c.DHead == 0 && c.NHeads > 0 {
		if c.DModel%c.NHeads != 0 {
			return c, fmt.Errorf("n_heads %d does not divide d_model %d; change one, or set d_head", c.NHeads, c.DModel)
		}
		c.DHead = c.DModel / c.NHeads
	}
	if name, ok := strings.CutPrefix(c.Encoding, valuePrefix); ok {
		return c, fmt.Errorf("encoding %s was handed to WithEncoding as a value, which no configuration can carry; give it a row in the table of package pe, or write the decoder's own Graph with export.Write", name)
	}
	row, err := pe.Find(c.Encoding)
	if err != nil {
		return c, err
	}
	if c.Settings == "faithful" {
		if c.EncodingParams, err = overlay(row.Paper, c.EncodingParams); err != nil {
			return c, fmt.Errorf("encoding_params: %w", err)
		}
	}
	return c, c.check()
}

// overlay returns the JSON object base with the keys of over added or replaced.
func overlay(base, over json.RawMessage) (json.RawMessage, error) {
	if len(over) == 0 {
		return base, nil
	}
	if len(base) == 0 {
		return over, nil
	}
	var both map[string]json.RawMessage
	for _, text := range []json.RawMessage{base, over} {
		if err := json.Unmarshal(text, &both); err != nil {
			return nil, err
		}
	}
	return json.Marshal(both)
}

// dims are the sizes that encodings are told.
func (c Config) dims() pe.Dims {
	return pe.Dims{Model: c.DModel, Heads: c.NHeads, Head: c.DHead, Layers: c.NLayers}
}

// The largest sizes accepted: a guard against typing slips and hostile files,
// far above what this program trains.
const (
	maxWidth  = 1 << 16
	maxLayers = 1 << 10
	maxVocab  = 1 << 20
)

func (c Config) check() error {
	for _, f := range []struct {
		key   string
		value int
		max   int
	}{
		{"d_model", c.DModel, maxWidth}, {"n_layers", c.NLayers, maxLayers}, {"n_heads", c.NHeads, maxWidth},
		{"d_head", c.DHead, maxWidth}, {"d_ff", c.DFF, maxWidth}, {"vocab_size", c.VocabSize, maxVocab},
	} {
		if f.value < 1 || f.value > f.max {
			return fmt.Errorf("%s %d: want 1 to %d", f.key, f.value, f.max)
		}
	}
	for _, f := range []struct {
		key, value string
		allowed    []string
	}{
		{"activation", c.Activation, []string{"relu", "relu2", "gelu"}},
		{"attention_scale", c.AttentionScale, []string{"sqrt", "none"}},
		{"head_scale", c.HeadScale, []string{"sqrt", "none"}},
		{"init", c.Init, []string{"gpt", "t5"}},
	} {
		if !slices.Contains(f.allowed, f.value) {
			return fmt.Errorf("%s %q: want %s", f.key, f.value, strings.Join(f.allowed, " or "))
		}
	}
	if !(c.NormEps > 0 && c.NormEps < 1) {
		return fmt.Errorf("norm_eps %v: want a small positive number", c.NormEps)
	}
	return nil
}
