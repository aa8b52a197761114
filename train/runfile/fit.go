package runfile

// mistakeShows is the number of prompts below which one mistake keeps the rounded score of
// Progress.note under 1.
const mistakeShows = 20000

// recall fills in what checkpoints of versions before fitted_step do not say, as far as it
// follows from their best score: a score below 1 had mistakes, and one of 1 had none where
// rounding cannot hide any. Else it stays unknown.
func (p *Progress) recall(c Config) error {
	if p.Fitted != nil || p.Evaluated == 0 {
		return nil
	}
	lengths, err := c.evalLengths()
	if err != nil {
		return err
	}
	d, err := c.Data()
	if err != nil || d.Text {
		return err
	}
	switch {
	case p.BestScore < 1:
		p.Fitted = new(0)
	case len(lengths)*len(d.Tasks)*c.Train.EvalSamples < mistakeShows:
		p.Fitted = new(p.BestStep)
	}
	return nil
}
