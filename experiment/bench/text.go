package bench

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

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
		x := once{t, cfg.N, g.batch, false, func(ctx context.Context, on reader) (eval.Row, error) {
			cfg := cfg
			cfg.Batch, cfg.OnBatch = on.batch, on.progress
			on.describe(&cfg.Environment)
			return eval.Measure(ctx, on.model, g.card, cfg, task.At(n))
		}}
		if _, err := p.addOnce(ctx, g, eval.KeyOf(g.card, cfg, task.At(n)), x); err != nil {
			return err
		}
	}
	return nil
}
