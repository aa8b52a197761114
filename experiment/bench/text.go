package bench

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// text is measured on windows of running text.
type text struct {
	eval.TextConfig
	most int // windows that fit into memory together
}

// addText gives a group the cells of a corpus. What would not fit is refused.
func (p *Plan) addText(ctx context.Context, g *group, t task.Task, seed uint64) error {
	tokens, err := p.inTokens()
	if err != nil {
		return err
	}
	cfg := eval.TextConfig{Task: t, N: p.options.Samples, Batch: g.batch, Seed: seed, Split: cmp.Or(p.options.Split, task.Test),
		Words: g.words, Environment: g.env}
	if cfg.Split != task.Test && g.card.Task != "" {
		return fmt.Errorf("split %s has documents that training may have had, as zoo trained the model on %s; leave it out, for %s",
			cfg.Split, g.card.Task, task.Test)
	}
	if cfg.Longest, err = cfg.LongestWindow(g.card, tokens); err != nil {
		return err
	}
	for _, n := range tokens {
		row, err := eval.Measure(ctx, nil, g.card, cfg, task.At(n))
		if err != nil {
			return err
		}
		unavailable, most := &row, g.batch
		if !row.NA {
			unavailable = nil
			if most, err = p.most(g, n, min(g.batch, cfg.N)); err != nil {
				return fmt.Errorf("task %s: %w", t.Name, err)
			}
		}
		g.addCell(eval.KeyOf(g.card, cfg, task.At(n)), task.At(n), text{cfg, most}, unavailable)
	}
	return nil
}

func (x text) batch(most int) int { return min(most, x.most) }

func (x text) tokens(c *Cell) float64 { return float64(x.N) * float64(c.Length) }

// seconds counts reading alone.
func (x text) seconds(c *Cell, p *pace) (float64, error) {
	read, err := p.reading(c.Length)
	return float64((x.N+p.batch-1)/p.batch) * read, err
}

func (x text) run(ctx context.Context, c *Cell, s session, progress func(done, total int)) (eval.Row, error) {
	s.describe(&x.Environment)
	x.OnBatch = progress
	asked := x.Batch
	x.Batch = x.most
	row, err := eval.Measure(ctx, eval.Of(s.Session), c.group.card, x.TextConfig, c.span)
	row.Batch = asked
	return row, err
}
