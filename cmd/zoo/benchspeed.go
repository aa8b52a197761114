package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/eval"
)

// speedRepeats is how often speed is timed unless told, for a deviation.
const speedRepeats = 3

// measures reports whether a measure was asked for.
func (o *benchOptions) measures(measure string) bool { return slices.Contains(o.measure, measure) }

// defaultLengths are task lengths, or for speed alone tokens.
func defaultLengths(o benchOptions) string {
	if o.measures(eval.MeasureAccuracy) {
		return "20..40+4,60..200+20"
	}
	return "512..4096*2"
}

// checkMeasure wants known measures, and no flag that none of them heeds.
func (o *benchOptions) checkMeasure(flags *pflag.FlagSet) error {
	for _, f := range []struct{ name, value string }{{"pe", strings.Join(o.encodings, "")}, {"task", o.task}, {"lengths", o.lengths}} {
		if flags.Changed(f.name) && f.value == "" { // an unset variable of a script, not a wish for the default
			return fmt.Errorf("--%s is empty; give it a value, or leave it out for the default", f.name)
		}
	}
	for _, m := range o.measure {
		if err := oneOf("measure", m, eval.MeasureAccuracy, eval.MeasureSpeed); err != nil {
			return err
		}
	}
	unheeded := map[string][]string{eval.MeasureAccuracy: {"n", "seeds"}, eval.MeasureSpeed: {"new-tokens"}}
	if o.named { // otherwise it chooses models
		unheeded[eval.MeasureAccuracy] = append(unheeded[eval.MeasureAccuracy], "task")
	}
	for _, m := range []string{eval.MeasureAccuracy, eval.MeasureSpeed} {
		for _, name := range unheeded[m] {
			if flags.Changed(name) && !o.measures(m) {
				return fmt.Errorf("--%s is for --measure %s; drop one of the two", name, m)
			}
		}
	}
	if len(o.measure) == 0 {
		return errors.New("--measure is empty, expected accuracy or speed")
	}
	return nil
}

// addSpeed makes a group for each length, so that each has a session, and thus
// memory, of its own. What would not fit is refused.
func (p *benchPlan) addSpeed(ctx context.Context, model benchGroup, lengths []int) error {
	for _, length := range lengths {
		g := model
		g.engine.chunk = g.load.chunk(g.batch)
		cfg := &eval.SpeedConfig{
			Batch: g.batch, NewTokens: p.o.newTokens, Chunk: g.engine.chunk, Vocab: g.load.vocab,
			Warmup: 1, Repeat: p.o.repeat, Environment: g.env, Memory: memoryMeter(),
		}
		if cfg.Repeat == 0 {
			cfg.Repeat = speedRepeats
		}
		cell := &benchCell{speed: cfg, length: length}
		if m := g.card.MaxLength; m > 0 && length+cfg.NewTokens-1 > m {
			row, err := eval.MeasureSpeedAt(ctx, nil, g.card, *cfg, length) // asks no model
			if err != nil {
				return err
			}
			cell.na = &row
		} else if err := p.count(&g, cfg, length); err != nil {
			return err
		}
		g.cells = []*benchCell{cell}
		p.addGroup(&g)
	}
	return nil
}

// count fills in what the length costs; memory is this machine's main one, so
// that of an accelerator is not estimated.
func (p *benchPlan) count(g *benchGroup, cfg *eval.SpeedConfig, length int) (err error) {
	if cfg.Work, err = g.load.work(g.batch, length, cfg.NewTokens); err != nil {
		return err
	}
	if g.engine.provider == "cuda" {
		return nil
	}
	bytes := need(func(length, batch int) (int64, error) { return g.load.memory(batch, length, cfg.NewTokens) })
	if cfg.MemoryEstimate, err = bytes(length, g.batch); err != nil {
		return err
	}
	return bytes.checkFits(length, g.batch, p.free, "about")
}
