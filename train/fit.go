package train

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/train/runfile"
)

// Fit says for people whether the run of a checkpoint fitted its data; "" where that is not known.
func Fit(c *runfile.Checkpoint) (string, error) {
	p := c.Progress
	switch {
	case p.Fitted == nil:
		return "", nil
	case *p.Fitted == 0:
		return fmt.Sprintf("did not fit in %s: best %.4g %%", human.Plural(c.Step, "step", "steps"), 100*p.BestScore), nil
	}
	lengths, err := fitLengths(c.Config)
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
func fitLengths(c runfile.Config) (r task.Range, err error) {
	lengths, err := task.ParseLengths(c.Train.EvalLengths)
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
			if d.Lengths[i].Contains(n) && d.Tasks[i].CheckLength(task.At(n)) == nil {
				in = append(in, n)
			}
		}
	}
	if len(in) == 0 {
		return r, fmt.Errorf("train.eval_lengths %s: none is a trained length (%s)", c.Train.EvalLengths, d.Ranges)
	}
	return task.Range{Min: slices.Min(in), Max: slices.Max(in)}, nil
}
