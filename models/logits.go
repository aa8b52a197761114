package models

import (
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// Values of Config.LogitScale.
const (
	scaleSSMax    = "ssmax"
	scaleLogN     = "log-n"
	scaleAdaptive = "adaptive"
)

// maxFactor bounds what logits are multiplied by: a guard against typing slips.
const maxFactor = 1000

// checkLogits reports the first setting of the logits that cannot be.
func checkLogits(c Config) error {
	if slices.Contains([]string{scaleSSMax, scaleLogN}, c.LogitScale) && (c.TrainedLength < 2 || c.TrainedLength > maxTokens) {
		return fmt.Errorf("trained_length %d: logit_scale %s divides by its logarithm; want 2 to %d tokens",
			c.TrainedLength, c.LogitScale, maxTokens)
	}
	if c.LogitSlope != 0 && c.LogitScale != scaleLogN {
		return fmt.Errorf("logit_slope %v: only logit_scale %s has a slope", c.LogitSlope, scaleLogN)
	}
	if c.LogitScale == scaleLogN && !(c.LogitSlope > 0 && c.LogitSlope <= maxFactor) {
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
//	adaptive                  see scaleAdaptively
//
// n counts what may be seen: padding and later tokens are not among them.
func (p *pass) scaleLogits(s *pe.Site, logits *graph.Node) *graph.Node {
	b, c := p.b, p.cfg
	if f := c.LogitFactors; len(f) > 0 {
		if len(f) == c.NLayers*c.NHeads {
			f = f[s.Layer*c.NHeads:][:c.NHeads]
		}
		logits = b.Mul(logits, b.Const(perHead(f)))
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
	case scaleAdaptive:
		logits = p.scaleAdaptively(s, logits)
	}
	return logits
}

// perHead returns one number for all heads or for each, [n,1,1].
func perHead(values []float64) *tensor.Tensor {
	data := make([]float32, len(values))
	for i, v := range values {
		data[i] = float32(v)
	}
	return tensor.Of(data, len(data), 1, 1)
}
