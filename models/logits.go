package models

import (
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/models/pe"
)

// Values of Config.LogitScale.
const (
	scaleSSMax    = "ssmax"
	scaleLogN     = "log-n"
	scaleSteps    = "llama-4"
	scaleAdaptive = "adaptive"
)

// maxFactor bounds what logits are multiplied by: a guard against typing slips.
const maxFactor = 1000

// scaleCounts reports whether the scale of the logits depends on the trained length.
func (c Config) scaleCounts() bool {
	return slices.Contains([]string{scaleSSMax, scaleLogN, scaleSteps}, c.LogitScale)
}

// checkLogits reports the first setting of the logits that cannot be.
func checkLogits(c Config) error {
	if c.scaleCounts() && (c.TrainedLength < 2 || c.TrainedLength > maxTokens) {
		return fmt.Errorf("trained_length %d: logit_scale %s divides by its logarithm; want 2 to %d tokens",
			c.TrainedLength, c.LogitScale, maxTokens)
	}
	sloped := c.LogitScale == scaleLogN || c.LogitScale == scaleSteps
	if c.LogitSlope != 0 && !sloped {
		return fmt.Errorf("logit_slope %v: only logit_scale %s and %s have a slope", c.LogitSlope, scaleLogN, scaleSteps)
	}
	if sloped && !(c.LogitSlope > 0 && c.LogitSlope <= maxFactor) {
		return fmt.Errorf("logit_slope %v: want a positive number up to %d", c.LogitSlope, maxFactor)
	}
	if n := len(c.LogitFactors); n > 1 && n != c.NHeads && n != c.NLayers*c.NHeads {
		return fmt.Errorf("logit_factors: %d of them; want 1, %d (one for each head) or %d (for each head of each layer)",
			n, c.NHeads, c.NLayers*c.NHeads)
	}
	for _, f := range c.LogitFactors {
		if !(f > 0 && f <= maxFactor) {
			return fmt.Errorf("logit_factors: %v: want positive numbers up to %d", f, maxFactor)
		}
	}
	return nil
}

// ssmaxParam is s of a layer's heads [H]. It starts at 1/ln L, so that the factor s·ln n
// is 1 at the longest sequences of training (the paper's 0.43 is what models of long texts
// come to; at 40 tokens it would be a factor of 1.6 from the start).
func ssmaxParam(c Config, layer int) pe.Param {
	return pe.Param{Name: ssmaxName(layer), Shape: []int{c.NHeads}, Mean: 1 / math.Log(float64(c.TrainedLength))}
}

func ssmaxName(layer int) string { return fmt.Sprintf("layers.%d.attn.ssmax_scale", layer) }

// scaleLogits multiplies the logits of a layer [B,H,T,S] by the factors of the
// configuration, and for a query that sees n keys by
//
//	s·ln n                    ssmax (Nakanishi 2025, arXiv 2501.19399)
//	1 + c·ln(max(n, L)/L)     log-n; with c = 1/ln L it is max(1, ln n/ln L), Chiang and
//	                          Cholak 2022 (arXiv 2202.12172) with no change up to L, and for
//	                          other c the factor that Gelberg et al. 2025 (arXiv 2512.12167)
//	                          tune, there for all queries of a test length, here for each
//	1 + c·ln(1 + ⌊n/L⌋)       llama-4 (meta-llama/llama-models and transformers, models/llama4): c is 0.1 and L 8,192
//	                          there, in the layers without rotation; the factor jumps at each multiple of L
//	adaptive                  see scaleAdaptively
//
// in the layers of LogitLayers.
// n counts what may be seen: padding and later tokens are not among them.
func (p *pass) scaleLogits(s *pe.Site, logits *graph.Node) *graph.Node {
	b, c := p.b, p.cfg
	if f := c.LogitFactors; len(f) > 0 {
		if len(f) == c.NLayers*c.NHeads {
			f = f[s.Layer*c.NHeads:][:c.NHeads]
		}
		logits = b.Mul(logits, b.Const(perHead(f)))
	}
	if !p.scales(s.Layer) {
		return logits
	}
	switch c.LogitScale {
	case scaleSSMax:
		n := b.Max(s.Seen(), b.Float(1)) // a query that is padding sees nothing
		scale := b.Unsqueeze(p.param(ssmaxName(s.Layer)), 1, 2)
		logits = b.Mul(logits, b.Mul(scale, b.Log(n)))
	case scaleLogN:
		trained := b.Float(float64(c.TrainedLength))
		growth := b.Log(b.Div(b.Max(s.Seen(), trained), trained)) // exactly 0 up to L
		logits = b.Mul(logits, b.Add(b.Float(1), b.Mul(growth, b.Float(c.LogitSlope))))
	case scaleSteps:
		steps := b.Op("Floor", []*graph.Node{b.Div(s.Seen(), b.Float(float64(c.TrainedLength)))})
		growth := b.Log(b.Add(steps, b.Float(1)))
		logits = b.Mul(logits, b.Add(b.Float(1), b.Mul(growth, b.Float(c.LogitSlope))))
	case scaleAdaptive:
		logits = p.scaleAdaptively(s, logits)
	}
	return logits
}

// perHead returns one number for all heads or for each, [n,1,1].
func perHead(values []float64) *tensor.Tensor {
	data := lists.Map(values, func(v float64) float32 { return float32(v) })
	return tensor.Of(data, len(data), 1, 1)
}

// scales reports whether logit_scale acts on a layer.
func (d *decoder) scales(layer int) bool {
	if d.cfg.LogitScale == "" || d.isDelta(layer) {
		return false
	}
	p, err := pe.ParsePattern(d.cfg.byLayer(), 0)
	return err == nil && (d.cfg.LogitLayers == "" || p[layer%len(p)] == d.cfg.LogitLayers)
}

// checkScale wants heads that the scale of the logits acts on.
func (d *decoder) checkScale() error {
	c := d.cfg
	if c.LogitLayers != "" && c.LogitScale == "" {
		return fmt.Errorf("logit_layers %s: there is no logit_scale, whose layers they would be; set it, or leave them out", c.LogitLayers)
	}
	if c.LogitScale == "" {
		return nil
	}
	layers, heads := 0, 0
	for i := range c.NLayers {
		if d.scales(i) {
			layers, heads = layers+1, heads+len(d.adaptiveHeads(i))
		}
	}
	if layers == 0 {
		return fmt.Errorf("logit_layers %s: no layer has this encoding, layers have %s; name one of these, or leave it out for all",
			c.LogitLayers, c.byLayer())
	}
	if c.LogitScale == scaleAdaptive && heads == 0 {
		return fmt.Errorf("logit_scale %s: all heads of the encoding %s have slopes, and it scales those without; "+
			"take nape, which has both kinds, or leave out the scale", scaleAdaptive, c.byLayer())
	}
	return nil
}
