package bench

import (
	"cmp"
	"context"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/runtime/engine"
)

// speedRepeats is how often speed is timed unless told, for a deviation.
const speedRepeats = 3

// speed is measured on random tokens.
type speed struct{ eval.SpeedConfig }

// addSpeed gives a group the cell of a length. What would not fit is refused.
func (p *Plan) addSpeed(ctx context.Context, g *group, length int) error {
	g.runtime.ChunkSize = g.load.chunk(g.batch)
	cfg := eval.SpeedConfig{
		Batch: g.batch, NewTokens: p.options.NewTokens, Chunk: g.runtime.ChunkSize, Vocab: g.load.vocab,
		Warmup: 1, Repeat: cmp.Or(p.options.Repeat, speedRepeats), Environment: g.env, Memory: memoryMeter(),
	}
	if m := g.card.MaxLength; m > 0 && length+cfg.NewTokens-1 > m {
		row, err := eval.Measure(ctx, nil, g.card, cfg, task.At(length))
		g.addCell(eval.KeyOf(g.card, cfg, task.At(length)), task.At(length), speed{cfg}, row)
		return err
	}
	if err := p.count(g, &cfg, length); err != nil {
		return err
	}
	g.addCell(eval.KeyOf(g.card, cfg, task.At(length)), task.At(length), speed{cfg}, eval.Row{}).Memory = cfg.Cost.MemoryEstimate
	return nil
}

func (speed) batch(most int) int { return most }

// tokens weighs the tokens read by their operations, in units of one pass over the weights.
func (s speed) tokens(c *Cell) float64 {
	perToken := c.group.load.weights / 2 // a multiply-add for each weight of 4 bytes
	return float64(s.Warmup+s.Repeat) * (s.Cost.PrefillFLOPs/max(perToken, 1) + float64(s.Batch*s.NewTokens))
}

func (s speed) seconds(c *Cell, p *pace) (float64, error) {
	read, err := p.reading(c.Length)
	return float64(s.Warmup+s.Repeat) * (read + float64(s.NewTokens)*p.step(c.Length)), err
}

func (s speed) run(ctx context.Context, c *Cell, on session, progress func(done, total int)) (eval.Row, error) {
	on.describe(&s.Environment)
	s.OnPass, s.Peaks = progress, on.peaks
	return eval.Measure(ctx, eval.Of(on.Session), c.group.card, s.SpeedConfig, c.span)
}

// count fills in the work and the memory of a length, and refuses a length that would not fit into main
// memory; the memory of an accelerator is not estimated.
func (p *Plan) count(g *group, cfg *eval.SpeedConfig, length int) (err error) {
	if g.load.graph == nil { // of a file that another program wrote
		return nil
	}
	if cfg.Cost, err = g.load.work(g.batch, length, cfg.NewTokens); err != nil {
		return err
	}
	if engine.OnDevice(g.runtime.Provider) {
		return nil
	}
	bytes := need(func(length, batch int) (int64, error) { return g.load.memory(batch, length, cfg.NewTokens) })
	if cfg.Cost.MemoryEstimate, err = bytes(length, g.batch); err != nil {
		return err
	}
	return bytes.checkFits(length, g.batch, p.machine.MemoryFree, "about")
}
