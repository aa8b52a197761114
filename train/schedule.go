package train

// Schedule is a linear warm-up followed by a linear decay.
type Schedule struct {
	Peak   float64 // learning rate at the end of the warm-up
	Final  float64 // learning rate after the last step
	Warmup int     // steps
	Steps  int     // in all
}

// At returns the learning rate of step s, counted from 0. The first step already
// moves: the warm-up reaches Peak at step Warmup−1.
func (c Schedule) At(s int) float64 {
	if s < c.Warmup {
		return c.Peak * float64(s+1) / float64(c.Warmup)
	}
	if s >= c.Steps {
		return c.Final
	}
	left := float64(c.Steps-s) / float64(max(1, c.Steps-c.Warmup))
	return c.Final + (c.Peak-c.Final)*left
}
