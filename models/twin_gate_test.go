package models_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/nopezoo/zoo/models"
)

// gated multiplies what the heads give for token t by the gates of its input.
func (w *twin) gated(l *twinLayer, t int, y []float64) []float64 {
	gate := fmt.Sprintf("layers.%d.attn.gate_proj.weight", l.index)
	if w.w[gate] == nil {
		return y
	}
	gates := w.matrix(gate)(l.hidden[t])
	for i := range y {
		y[i] /= 1 + math.Exp(-gates[i*len(gates)/len(y)])
	}
	return y
}

// Outputs of heads that were computed by another program (numpy) from the arrays of checkArrays.
func TestGateCheckValues(t *testing.T) {
	for _, tc := range []struct {
		gate, array string
		rows        int
		last        [2][4]float64
		sum         float64
	}{
		{gate: "none", sum: -0.0620763, last: [2][4]float64{
			{-0.5746016, -0.1844925, 0.6221433, 0.0241730}, {0.5644341, 0.2037531, -0.6169390, -0.0447747}}},
		{gate: "head", array: "gh", rows: 2, sum: 0.0805293, last: [2][4]float64{
			{-0.2352673, -0.0755394, 0.2547329, 0.0098975}, {0.0862147, 0.0311224, -0.0942346, -0.0068391}}},
		{gate: "element", array: "ge", rows: 8, sum: 0.1166270, last: [2][4]float64{
			{-0.3727293, -0.1578678, 0.4790563, 0.0088818}, {0.0825464, 0.0449406, -0.3800072, -0.0381225}}},
	} {
		cfg := checkConfig("nope")
		cfg.AttentionGate = tc.gate
		m := newDecoder(t, cfg)
		weights := checkWeights(m)
		if tc.array != "" {
			ofTokens(weights, "layers.0.attn.gate_proj.weight", times(checkArray(tc.array, 0.5, tc.rows*8), tc.rows, checkInput()))
		}
		got := checkOutputs(t, m, models.Mode{}, weights)
		compareOutputs(t, tc.gate, got, tc.last, tc.sum)
	}
}
