package bench

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// text is measured on windows of running text.
type text struct{ eval.TextConfig }

// addText gives a group the cells of a corpus. What would not fit is refused.
func (p *Plan) addText(ctx context.Context, g *group, t task.Task, seed uint64) error {
	lengths := p.options.Lengths
	if len(lengths) == 0 {
		var err error
		if lengths, err = task.ParseSpans(TextLengths); err != nil {
			return err
		}
	}
	tokens := make([]int, len(lengths))
	for i, span := range lengths {
		if tokens[i] = span.Max; span.IsBin() {
			return fmt.Errorf("lengths: %s is a bin, and windows of running text have one length: give %d", span, span.Max)
		}
	}
	cfg := eval.TextConfig{Task: t, N: p.options.Samples, Batch: g.batch, Seed: seed, Split: task.Test, Words: g.words,
		Environment: g.env}
	var err error
	if cfg.Longest, err = cfg.LongestWindow(g.card, tokens); err != nil {
		return err
	}
	longest := 0
	for _, n := range tokens {
		row, err := eval.Measure(ctx, nil, g.card, cfg, task.At(n))
		if err != nil {
			return err
		}
		unavailable := &row
		if !row.NA {
			longest, unavailable = max(longest, n), nil
		}
		g.addCell(eval.KeyOf(g.card, cfg, task.At(n)), task.At(n), text{cfg}, unavailable)
	}
	if longest == 0 {
		return nil
	}
	bytes := need(func(length, batch int) (int64, error) { return g.load.scoringMemory(batch, length, 0) })
	if err := bytes.checkFits(longest, min(g.batch, cfg.N), p.free(g), "about"); err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	return nil
}

func (x text) batch(most int) int { return min(most, x.N) }

func (x text) tokens(c *Cell) float64 { return float64(x.N) * float64(c.Length) }

// seconds counts reading alone.
func (x text) seconds(c *Cell, p *pace) (float64, error) {
	read, err := p.reading(c.Length)
	return float64((x.N+p.batch-1)/p.batch) * read, err
}

func (x text) run(ctx context.Context, c *Cell, s session, progress func(done, total int)) (eval.Row, error) {
	s.describe(&x.Environment)
	x.OnBatch = progress
	return eval.Measure(ctx, eval.Of(s.Session), c.group.card, x.TextConfig, c.span)
}
