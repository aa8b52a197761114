package serve

import (
	"context"
	"strings"
)

// echo shows the tokens of prompts with their log-probabilities, as parts of the choices. A prompt is read once for
// all of its choices, and one at a time for each model: its logits take much.
func (a *response) echo(ctx context.Context, see func(part *choice) error) error {
	select {
	case a.model.scoring <- struct{}{}:
		defer func() { <-a.model.scoring }()
	case <-ctx.Done():
		return ctx.Err()
	}
	n := a.request.N
	for first := 0; first < len(a.rows); first += n {
		prompt := a.prompts[first]
		steps, err := a.model.Session.ScoreText(ctx, prompt.IDs, *a.request.LogProbs)
		if err != nil {
			return err
		}
		if strings.HasSuffix(prompt.Text, " ") { // which the completion's first token has
			steps[len(steps)-1].Text += " "
		}
		for i, row := range a.rows[first : first+n] {
			row.last = -1
			for _, step := range steps {
				step.Prompt = first + i
				part, err := row.add(a.model, step)
				if err == nil {
					err = see(part)
				}
				if err != nil {
					return err
				}
			}
			row.start = row.sent
		}
	}
	return nil
}
