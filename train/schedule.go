package train

// Schedule is a linear warm-up followed by a linear decay.
type Schedule struct {
	Peak   float64 // learning rate at the end of the warm-up
	Final  float64 // learning rate after the last step
	Warmup int     // steps
	Steps  int     // in all
	// FromZero begins the warm-up at rate 0, so that the first update changes no
	// weight, as in the library of Kazemnejad et al. 2023 (transformers 4.16).
	FromZero bool
}

// At returns the learning rate of step s, counted from 0. The warm-up reaches Peak
// at step Warmup−1, and the first step already moves; with FromZero it reaches Peak
// at step Warmup.
func (c Schedule) At(s int) float64 {
	if s < c.Warmup && c.FromZero {
		return c.Peak * float64(s) / float64(c.Warmup)
	}
	if s < c.Warmup {
		return c.Peak * float64(s+1) / float64(c.Warmup)
	}
	if s >= c.Steps {
		return c.Final
	}
	left := float64(c.Steps-s) / float64(max(1, c.Steps-c.Warmup))
	return c.Final + (c.Peak-c.Final)*left
}
