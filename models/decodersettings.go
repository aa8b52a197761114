package models

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/models/pe"
)

// family holds the defaults that a settings name stands for.
var family = map[string]Config{
	"modern":   {Activation: "relu2", AttentionScale: "sqrt", HeadScale: "none", Init: "gpt", NormEps: 1e-6},
	"faithful": {Activation: "relu", AttentionScale: "none", HeadScale: "sqrt", Init: "t5", NormEps: 1e-6},
	"gpt2": {Activation: "gelu", Norm: layerNorms, Bias: linearBias, AttentionScale: "sqrt", HeadScale: "none", Init: "gpt",
		NormEps: 1e-5},
}

// layerNorms is a value of Config.Norm and Config.EmbedNorm.
const layerNorms = "layer"

// resolveDecoder fills in and checks the decoder's settings.
func resolveDecoder(c Config) (Config, error) {
	base := family[c.Settings]
	c.Activation = cmp.Or(c.Activation, base.Activation)
	c.Norm = unlessDefault(cmp.Or(c.Norm, base.Norm), "rms", base.Norm)
	bias, err := parseBias(cmp.Or(c.Bias, base.Bias, "none"))
	if err != nil {
		return c, err
	}
	c.Bias = unlessDefault(bias.String(), "none", base.Bias)
	c.AttentionScale = cmp.Or(c.AttentionScale, base.AttentionScale)
	c.HeadScale = cmp.Or(c.HeadScale, base.HeadScale)
	c.Init = cmp.Or(c.Init, base.Init)
	c.NormEps = cmp.Or(c.NormEps, base.NormEps)
	if c.Attention == "softmax" {
		c.Attention = "" // one way to write a configuration, one hash
	}
	for setting, plain := range map[*string]string{&c.QKNorm: "none", &c.AttentionSink: "none", &c.AttentionGate: "none",
		&c.LogitScale: "none", &c.LogitLayers: "all", &c.MLP: "plain", &c.NormPlace: "before", &c.Residual: "sequential", &c.EmbedNorm: "none", &c.Head: "tied"} {
		if *setting == plain {
			*setting = ""
		}
	}
	if c.NKVHeads == c.NHeads {
		c.NKVHeads = 0
	}
	for _, factor := range []*float64{&c.EmbedScale, &c.ResidualScale} {
		if *factor == 1 {
			*factor = 0
		}
	}
	if c.LogitScale == scaleLogN && c.LogitSlope == 0 && c.TrainedLength > 1 {
		c.LogitSlope = 1 / math.Log(float64(c.TrainedLength))
	}
	if c.LogitScale == scaleSteps && c.LogitSlope == 0 {
		c.LogitSlope = 0.1
	}
	if c.DHead == 0 && c.NHeads > 0 {
		if c.DModel%c.NHeads != 0 {
			return c, fmt.Errorf("n_heads %d does not divide d_model %d; change one, or set d_head", c.NHeads, c.DModel)
		}
		c.DHead = c.DModel / c.NHeads
	}
	row, err := pe.Find(c.Encoding)
	if err != nil {
		return c, err
	}
	c.Encoding = row.Name
	if c.Settings == "faithful" {
		if c.EncodingParams, err = overlay(row.Paper, c.EncodingParams); err != nil {
			return c, fmt.Errorf("encoding_params: %w", err)
		}
	}
	if c.Window, err = c.Window.resolve(c.NLayers); err != nil {
		return c, fmt.Errorf("window: %w", err)
	}
	return c, checkDecoder(c)
}

// unlessDefault returns the value of a setting, or nothing for the plain one in a family
// that has no other: one way to write a configuration, one hash.
func unlessDefault(value, plain, family string) string {
	if value == plain && family == "" {
		return ""
	}
	return value
}

// overlay returns the JSON object base with the keys of over added or replaced; where both have an object under a key,
// likewise in there. The keys are in order where there is a base: over it once more the result is the same, and so is its
// configuration's hash.
func overlay(base, over json.RawMessage) (json.RawMessage, error) {
	if len(base) == 0 {
		return over, nil
	}
	var both, above map[string]json.RawMessage
	if err := json.Unmarshal(base, &both); err != nil {
		return nil, err
	}
	if len(over) > 0 {
		if err := json.Unmarshal(over, &above); err != nil {
			return nil, err
		}
	}
	for key, value := range above {
		if isObject(both[key]) && isObject(value) {
			var err error
			if value, err = overlay(both[key], value); err != nil {
				return nil, err
			}
		}
		both[key] = value
	}
	return json.Marshal(both)
}

func isObject(text json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) }

// dims are the sizes that encodings are told.
func (c Config) dims() pe.Dims {
	return pe.Dims{Model: c.DModel, Heads: c.NHeads, Head: c.DHead, Layers: c.NLayers}
}

// checkDecoder reports the first of the decoder's settings that cannot be.
func checkDecoder(c Config) error {
	err := checkSizes(size{"d_model", c.DModel, maxWidth}, size{"n_layers", c.NLayers, maxLayers},
		size{"n_heads", c.NHeads, maxWidth}, size{"d_head", c.DHead, maxWidth}, size{"d_ff", c.DFF, maxWidth},
		size{"vocab_size", c.VocabSize, maxVocab})
	if err != nil {
		return err
	}
	for _, f := range []struct {
		key, value string
		allowed    []string
	}{
		{"activation", c.Activation, []string{"relu", "relu2", "silu", "gelu", exactGELU}},
		{"mlp", cmp.Or(c.MLP, "plain"), []string{"plain", gatedMLP}},
		{"norm", cmp.Or(c.Norm, "rms"), []string{"rms", layerNorms}},
		{"norm_place", cmp.Or(c.NormPlace, "before"), []string{"before", normOutput, normBoth, normAfter}},
		{"residual", cmp.Or(c.Residual, "sequential"), []string{"sequential", parallel, parallelShared, normedResidual}},
		{"embed_norm", cmp.Or(c.EmbedNorm, "none"), []string{"none", layerNorms}},
		{"head", cmp.Or(c.Head, "tied"), []string{"tied", untiedHead}},
		{"attention", cmp.Or(c.Attention, "softmax"), []string{"softmax", differential, entmax}},
		{"qk_norm", cmp.Or(c.QKNorm, "none"), []string{"none", qkRMS, qkRMSAll, qkLayer, qkLayerByHead}},
		{"attention_sink", cmp.Or(c.AttentionSink, "none"), []string{"none", sinkLearned, sinkZero}},
		{"attention_gate", cmp.Or(c.AttentionGate, "none"), []string{"none", gateHeads, gateElements}},
		{"logit_scale", cmp.Or(c.LogitScale, "none"), []string{"none", scaleSSMax, scaleLogN, scaleSteps, scaleAdaptive}},
		{"init", c.Init, []string{"gpt", "t5"}},
	} {
		if !slices.Contains(f.allowed, f.value) {
			return fmt.Errorf("%s %q: want %s", f.key, f.value, strings.Join(f.allowed, " or "))
		}
	}
	if !(c.NormEps > 0 && c.NormEps < 1) {
		return fmt.Errorf("norm_eps %v: want a small positive number", c.NormEps)
	}
	if c.HeadNormEps != 0 && !(c.HeadNormEps > 0 && c.HeadNormEps < 1) {
		return fmt.Errorf("head_norm_eps %v: want a small positive number, or leave it out", c.HeadNormEps)
	}
	if c.HeadNormEps != 0 && c.Architecture != deltaArchitecture && c.Attention != differential {
		return fmt.Errorf("head_norm_eps %v: heads have a norm of their own with attention %s alone", c.HeadNormEps, differential)
	}
	if c.Attention == differential && c.NHeads%2 != 0 {
		return fmt.Errorf("attention %s: n_heads %d is odd, and heads attend in pairs", differential, c.NHeads)
	}
	if c.Attention == entmax && c.AttentionSink != "" {
		return fmt.Errorf("attention_sink %s is part of the softmax, which attention %s replaces; leave out the one or the other",
			c.AttentionSink, entmax)
	}
	return cmp.Or(checkBlock(c), checkLogits(c), checkAttentionGate(c), checkAblation(c))
}
