package models_test

func init() {
	twins["nape"] = func(w *twin) {
		biased := w.setting("biased", float64(w.cfg.NHeads/2))
		w.score = func(_, head int, _, _ []float64, distance int) float64 {
			if float64(head) >= biased {
				return 0
			}
			return -float64(float32(1/float64(head+1))) * float64(distance)
		}
	}
}
