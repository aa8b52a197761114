package models_test

import "math"

func init() {
	twins["alibi"] = func(w *twin) {
		w.score = func(_, head int, _, _ []float64, distance int) float64 {
			return -math.Pow(2, -8*float64(head+1)/float64(w.cfg.NHeads)) * w.setting("factor", 1) * float64(distance)
		}
	}
}
