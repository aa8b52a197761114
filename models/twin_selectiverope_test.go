package models_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

func init() {
	twins["selective-rope"] = func(w *twin) {
		w.rotate = func([]float64, int) []float64 { return nil } // the logits are all
		w.mapLogits = func(l *twinLayer, t int, z [][]float64) {
			half := w.cfg.DHead / 2
			for h := range z {
				between := make([]float64, half) // of token j and t
				for j := t; j >= 0; j-- {
					q, k, sum := w.head(l.q[t], h), w.head(l.k[j], h), 0.0
					for c, angle := range between {
						angle *= float64(float32(math.Pow(w.setting("theta", 500000), -float64(c)/float64(half))))
						sum += (q[c]*k[c]+q[c+half]*k[c+half])*math.Cos(angle) + (q[c]*k[c+half]-q[c+half]*k[c])*math.Sin(angle)
					}
					z[h][j] += sum * w.scale()
					add(between, w.turns(l, j)[h*half:][:half])
				}
			}
		}
	}
}

// turns is what token t adds to the angles of selective-rope, all heads.
func (w *twin) turns(l *twinLayer, t int) []float64 {
	at := fmt.Sprintf("layers.%d.attn.angle_", l.index)
	down, up, conv := w.matrix(at+"down.weight"), w.matrix(at+"up.weight"), w.w[at+"conv.weight"]
	input := func(t int) []float64 { return unitHeads(l.hidden[t], w.cfg.DModel/w.cfg.NHeads) }
	taps, width := conv.Shape()[0], conv.Shape()[1]
	turns := make([]float64, width)
	for n := range taps {
		if before := t - (taps - 1 - n); before >= 0 {
			for i, v := range up(down(input(before))) {
				turns[i] += v * float64(tensor.Data[float32](conv)[n*width+i])
			}
		}
	}
	if gate := w.w[at+"gate.weight"]; gate != nil {
		open := w.matrix(at + "gate.weight")(input(t))
		for i, v := range turns {
			h := i * w.cfg.NHeads / width
			turns[i] = v / (1 + math.Exp(-v)) / (1 + math.Exp(-open[h]-float64(tensor.Data[float32](w.w[at+"gate.bias"])[h])))
		}
	}
	return turns
}

// unitHeads divides each run of so many numbers by its length.
func unitHeads(x []float64, width int) []float64 {
	x = slices.Clone(x)
	for part := range slices.Chunk(x, width) {
		length := 0.0
		for _, v := range part {
			length += v * v
		}
		for i := range part {
			part[i] /= math.Sqrt(length)
		}
	}
	return x
}

// Outputs that another program (numpy) computed by the paper's formula from the arrays of checkArray, with a rank of 3 and
// 3 taps.
func TestSelectiveRoPECheckValues(t *testing.T) {
	for _, tc := range []struct {
		phase string
		last  [2][4]float64
		sum   float64
	}{
		{"plain", [2][4]float64{{-0.6151143, -0.1141317, 0.6445248, -0.0519552}, {0.6723100, 0.0498269, -0.6851499, 0.1267287}}, -0.0418279},
		{"gated", [2][4]float64{{-0.5765493, -0.1828480, 0.6236672, 0.0221358}, {0.5631173, 0.2067505, -0.6163946, -0.0479124}}, -0.0622202},
	} {
		cfg := checkConfig("selective-rope")
		cfg.EncodingParams = []byte(`{"rank":3,"conv":3,"phase":"` + tc.phase + `"}`)
		m := newDecoder(t, cfg)
		weights, at := checkWeights(m), "layers.0.attn.angle_"
		set := func(name, array string, amp float64) {
			for i, v := range checkArray(array, amp, weights[at+name].Len()) {
				tensor.Data[float32](weights[at+name])[i] = float32(v)
			}
		}
		// The input of token t, by head of length 1, is the t-th unit vector: what a matrix makes of the array x is a column.
		columns := func(name, array string, amp float64, rows int) {
			ofTokens(weights, at+name, times(checkArray(array, amp*math.Sqrt(checkWidth), rows*checkWidth), rows, unitHeads(checkInput(), checkWidth/checkHeads)))
		}
		columns("down.weight", "p1", 0.5, 3)
		set("up.weight", "p2", 0.5)
		set("conv.weight", "conv", 0.6)
		if tc.phase == "gated" {
			columns("gate.weight", "wg", 0.5, checkHeads)
			set("gate.bias", "bg", 0.5)
		}
		compareOutputs(t, tc.phase, checkOutputs(t, m, models.Mode{}, weights), tc.last, tc.sum)
	}
}
