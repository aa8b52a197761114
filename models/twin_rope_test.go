package models_test

import (
	"math"
	"strings"
)

func init() {
	twins["rope"] = func(w *twin) {
		w.rotate = func(x []float64, pos int) []float64 {
			y := append([]float64(nil), x...)
			width := len(x)
			if w.faithful() {
				width /= 4 // a quarter, in neighbouring pairs
			}
			sharp := 1.0
			scaled := strings.Contains(string(w.cfg.EncodingParams), `"scaling_ramp":"pairs"`)
			if scaled {
				sharp = float64(float32(0.1*math.Log(w.setting("scaling_factor", 0)) + 1))
			}
			for c, freq := range frequencies(width) {
				if scaled { // as transformers computes it, with the base 10000 and 1 and 32 turns
					s, length := w.setting("scaling_factor", 0), w.setting("scaling_length", 0)
					pair := func(turns float64) float64 {
						return float64(width) * math.Log(length/(turns*2*math.Pi)) / (2 * math.Log(10000))
					}
					low := math.Max(math.Floor(pair(32)), 0)
					high := math.Min(math.Ceil(pair(1)), float64(width-1))
					if low == high {
						high += 0.001
					}
					ramp := math.Min(math.Max((float64(c)-low)/(high-low), 0), 1)
					freq = freq/s*ramp + freq*(1-ramp)
				}
				if float64(c) >= w.setting("p", 1)*float64(width/2) {
					break // the lower frequencies stay
				}
				i, j := c, c+width/2
				if w.faithful() {
					i, j = 2*c, 2*c+1
				}
				sin, cos := math.Sincos(float64(pos) * freq)
				y[i], y[j] = sharp*(x[i]*cos-x[j]*sin), sharp*(x[j]*cos+x[i]*sin)
			}
			return y
		}
	}
}
