package models_test

import (
	"math"

	"github.com/nopezoo/zoo/graph/tensor"
)

func init() {
	twins["sinusoidal"] = func(w *twin) {
		w.embed = func(x []float64, pos int) {
			half, amplitude := len(x)/2, 1.0
			if !w.faithful() {
				amplitude = float64(float32(0.02))
			}
			if w := w.w["sinusoidal.amplitude"]; w != nil {
				amplitude = float64(tensor.Data[float32](w)[0])
			}
			for c, freq := range frequencies(len(x)) {
				sin, cos := math.Sincos(float64(pos) * freq)
				i, j := 2*c, 2*c+1
				if w.faithful() {
					i, j = c, half+c
				}
				x[i], x[j] = x[i]+amplitude*sin, x[j]+amplitude*cos
			}
		}
	}
}
