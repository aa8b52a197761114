package bench

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/runtime/engine"
)

// lengthsOf are those at which a task is measured: asked for, or the usual ones.
func (p *Plan) lengthsOf(t task.Task) ([]task.Span, error) {
	if t.Corpus != nil && !p.asked {
		return task.ParseSpans(TextLengths)
	}
	return p.options.Lengths, nil
}

// addText gives the group of a model the cells of a corpus. What would not fit is refused.
func (p *Plan) addText(ctx context.Context, g *group, t task.Task, seed uint64) error {
	lengths, err := p.lengthsOf(t)
	if err != nil {
		return err
	}
	tokens := make([]int, len(lengths))
	for i, at := range lengths {
		tokens[i] = at.Max
	}
	window, err := eval.LongestWindow(t, g.card, task.Test, tokens)
	if err != nil {
		return err
	}
	longest := 0
	for _, at := range lengths {
		if at.IsBin() {
			return fmt.Errorf("lengths: %s is a bin, and windows of running text have one length: give %d", at, at.Max)
		}
		cfg := eval.TextConfig{Task: t, N: p.options.Samples, Batch: g.batch, Seed: seed, Split: task.Test, Longest: window,
			Environment: g.env}
		row, err := eval.MeasureTextAt(ctx, nil, g.card, cfg, at.Max) // asks no model
		if err != nil {
			return err
		}
		cell := &Cell{text: &cfg}
		if row.NA {
			cell.na = &row
		} else {
			longest = max(longest, at.Max)
		}
		g.cells = append(g.cells, newCell(cfg.KeyOf(g.card, at.Max), at, cell))
	}
	if longest == 0 || p.machine.MemoryFree == 0 || g.load.graph == nil || engine.OnDevice(g.runtime.Provider) {
		return nil
	}
	bytes := need(func(length, batch int) (int64, error) {
		bytes, err := g.load.memory(batch, length, 1)
		return bytes + 2*4*int64(g.load.vocab*batch*min(g.load.chunk(batch), length)), err // scoring has all logits of a run
	})
	if err := bytes.checkFits(longest, min(g.batch, p.options.Samples), p.machine.MemoryFree, "about"); err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	return nil
}

// estimateText returns the seconds of a cell of running text, whose windows are read alone.
func (p *pace) estimateText(c *Cell) (float64, error) {
	read, err := p.reading(c.Length)
	return float64((c.text.N+p.batch-1)/p.batch) * read, err
}
