package journal

// Fitted returns the step of the first evaluation without a mistake at trained lengths, 0
// for none, and nil where there was no evaluation.
func (m Metrics) Fitted() *int {
	var fitted *int
	for _, e := range m.Evaluations {
		if e.Sequence == nil {
			continue
		}
		if *e.Sequence == 1 {
			return new(e.Step)
		}
		fitted = new(0)
	}
	return fitted
}
