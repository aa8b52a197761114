package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
)

// accuracy is measured on samples of a task.
type accuracy struct{ eval.Config }

// addAccuracy gives a group the cells of a task. What would not fit is refused.
func (p *Plan) addAccuracy(ctx context.Context, g *group, t task.Task, seed uint64) error {
	cfg := eval.Config{Task: t, N: p.options.Samples, Batch: g.batch, Seed: seed, Split: task.Test,
		Warmup: 1, Repeat: max(p.options.Repeat, 1), Environment: g.env, Memory: memoryMeter()}
	longest := 0
	for _, span := range p.lengths {
		cfg.Untimed = p.options.Untimed || span.IsBin() || p.options.OneTimed && span != p.timed
		cfg.Halve = p.options.Halve && cfg.Untimed
		row, err := eval.Measure(ctx, nil, g.card, cfg, span)
		if err != nil {
			return err
		}
		if !row.NA {
			longest = max(longest, slices.Max(t.LengthsIn(task.Range(span))))
		}
		g.addCell(eval.KeyOf(g.card, cfg, span), span, accuracy{cfg}, row)
	}
	if longest == 0 {
		return nil
	}
	return g.checkSamples(cfg, longest, p.free(g))
}

func (a accuracy) batch(most int) int { return min(most, a.N) }

// tokens counts the tokens generated, those of the warm-up among them, and the tokens scored. What is not timed is hardly
// generated where it is right, and measured on half of the samples where it is wrong.
func (a accuracy) tokens(c *Cell) float64 {
	passes := 1
	if !a.Untimed {
		passes = 1 + a.Warmup + 2*max(a.Repeat, 1)
	}
	return float64(passes*a.N) * c.span.Middle()
}

func (a accuracy) seconds(c *Cell, p *pace) (float64, error) {
	lengths := a.Task.LengthsIn(task.Range(c.span))
	prompt, target, _, err := eval.SampleTokens(a.Task, c.group.card, lengths[len(lengths)/2], nil)
	if err != nil {
		return 0, err
	}
	read, err := p.reading(prompt)
	if err != nil {
		return 0, err
	}
	score, err := p.reading(prompt + target)
	batches := (a.N + p.batch - 1) / p.batch
	generate := read + float64(target)*p.step(prompt+target/2)
	runs := a.Warmup + a.Repeat*batches
	if a.Untimed {
		runs = batches
	}
	return float64(runs)*generate + float64(batches)*score, err
}

func (a accuracy) run(ctx context.Context, c *Cell, s session, progress func(done, total int)) (eval.Row, error) {
	s.describe(&a.Environment)
	a.OnBatch = progress
	return eval.Measure(ctx, eval.Of(s.Session), c.group.card, a.Config, c.span)
}

// A sample takes so many bytes, and more for each of its tokens: as text and as ids,
// the completion with its probabilities, and all of it once more while it is scored.
const (
	sampleBytes      = 512
	sampleTokenBytes = 64
)

// checkSamples refuses a length of a task at which a batch, or all samples, would
// not fit into the free memory, 0 for unknown.
func (g *group) checkSamples(cfg eval.Config, length int, free int64) error {
	if free == 0 {
		return nil
	}
	sample := func(prompt, target int) int64 { return sampleBytes + sampleTokenBytes*int64(prompt+target) }
	run := func(prompt, target, batch int) (int64, error) {
		bytes, err := g.load.scoringMemory(batch, prompt, target)
		return bytes + int64(batch)*sample(prompt, target), err
	}
	prompt, target, reached, err := eval.SampleTokens(cfg.Task, g.card, length, func(prompt, target int) bool {
		bytes, err := run(prompt, target, 1)
		return err != nil || bytes > free
	})
	if err != nil {
		return err
	}
	about := "about"
	if reached < length {
		about = "more than"
	}
	fits := need(func(length, batch int) (int64, error) {
		length = min(length, reached) // longer samples are not made
		for cfg.Task.CheckLength(task.At(length)) != nil {
			length++
		}
		prompt, target, _, err := eval.SampleTokens(cfg.Task, g.card, length, nil)
		if err != nil {
			return 0, err
		}
		return run(prompt, target, batch)
	})
	batch := min(cfg.Batch, cfg.N)
	if err := fits.checkFits(length, batch, free, about); err != nil {
		return fmt.Errorf("task %s: %w", cfg.Task.Name, err)
	}
	one, err := run(prompt, target, batch)
	g.need = max(g.need, one)
	each := sample(prompt, target)
	if most := int64(batch) + (free-one)/each; err == nil && int64(cfg.N) > most {
		return fmt.Errorf("task %s: n is %d, and at length %d needs about %s of memory for the samples, "+
			"and %s are free; the largest n that fits is %d",
			cfg.Task.Name, cfg.N, length, human.Bytes(int64(cfg.N)*each), human.Bytes(free), most)
	}
	return err
}
