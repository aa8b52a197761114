package models_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/nopezoo/zoo/models"
)

// adaptiveFactor is what logit_scale=adaptive multiplies the logits of a head with, of a query at position t that sees n
// keys.
func (w *twin) adaptiveFactor(l *twinLayer, head, t int, n float64) float64 {
	at := fmt.Sprintf("layers.%d.attn.", l.index)
	beta := w.w[at+"scale_beta.weight"]
	row := head - (w.cfg.NHeads - beta.Shape()[0]) // nape's heads with slopes come first
	if row < 0 {
		return 1
	}
	b := w.matrix(at + "scale_beta.weight")(l.hidden[t])[row]
	g := w.matrix(at + "scale_gamma.weight")(l.hidden[t])[row]
	return 1 + math.Log(1+math.Exp(b))*math.Pow(math.Log(n+1), 2*math.Tanh(g))
}

// The heads of nape that have slopes are left as they are, and so are layers without others.
func TestTwinAdaptiveHeads(t *testing.T) {
	cfg := micro("nape", "modern")
	cfg.LogitScale, cfg.Attention = "adaptive", "entmax"
	likeTwin(t, "nape", newDecoder(t, cfg))
	cfg = micro("alibi/nope", "modern")
	cfg.LogitScale = "adaptive"
	for _, p := range newDecoder(t, cfg).Params() {
		if p.Name == "layers.0.attn.scale_beta.weight" {
			t.Error("a layer of heads with slopes has a scale")
		}
	}
}

// Outputs of heads that another program computed (numpy) from the arrays of checkArray; W_β and W_γ are wb and wg.
func TestAdaptiveCheckValues(t *testing.T) {
	second := [4]float64{0.4377506, 0.5818432, -0.5876852, -0.4304032}
	for _, tc := range []struct {
		encoding string
		first    [4]float64
		sum      float64
	}{
		{"nope", [4]float64{-0.4469505, -0.6201971, 0.6067684, 0.4638395}, 0.0250415},
		{"nape", [4]float64{-0.3265276, 0.9659265, 0.0776190, -0.9859281}, -0.6610581},
	} {
		cfg := checkConfig(tc.encoding)
		cfg.LogitScale, cfg.Attention = "adaptive", "entmax"
		m := newDecoder(t, cfg)
		weights := checkWeights(m)
		for param, array := range map[string]string{"scale_beta": "wb", "scale_gamma": "wg"} {
			rows := times(checkArray(array, 0.5, checkHeads*checkWidth), checkHeads, checkInput())
			name := "layers.0.attn." + param + ".weight"
			if tc.encoding == "nape" {
				for i := range rows {
					rows[i] = rows[i][1:]
				}
			}
			ofTokens(weights, name, rows)
		}
		compareOutputs(t, tc.encoding, checkOutputs(t, m, models.Mode{}, weights), [2][4]float64{tc.first, second}, tc.sum)
	}
}
