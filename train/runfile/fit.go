package runfile

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
)

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

// Fit says for people whether the run fitted its data; "" where that is not known.
func (c *Checkpoint) Fit() (string, error) {
	p := c.Progress
	switch {
	case p.Fitted == nil:
		return "", nil
	case *p.Fitted == 0:
		return fmt.Sprintf("did not fit in %s: best %.4g %%", human.Plural(c.Step, "step", "steps"), 100*p.BestScore), nil
	}
	lengths, err := c.Config.fitLengths()
	if err != nil {
		return "", err
	}
	prompts := "prompts" // older checkpoints do not say how many
	if p.Prompts > 0 {
		prompts = human.Plural(p.Prompts, "prompt", "prompts")
	}
	return fmt.Sprintf("fitted at step %d (no mistake in %s at lengths %s)", *p.Fitted, prompts, lengths), nil
}

// fitLengths is the range of the trained lengths that are evaluated.
func (c Config) fitLengths() (r task.Range, err error) {
	lengths, err := c.evalLengths()
	if err != nil {
		return r, err
	}
	d, err := c.Data()
	if err != nil {
		return r, err
	}
	var in []int
	for _, n := range lengths {
		for i := range d.Tasks {
			if d.trainsOn(i, n) {
				in = append(in, n)
			}
		}
	}
	if len(in) == 0 {
		return r, fmt.Errorf("train.eval_lengths %s: none is a trained length (%s)", c.Train.EvalLengths, d.Ranges)
	}
	return task.Range{Min: slices.Min(in), Max: slices.Max(in)}, nil
}
