package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/internal/human"
)

func (a *app) bench(ctx context.Context, o benchOptions, args []string) error {
	p, err := a.planBench(ctx, o, args)
	if err != nil {
		return err
	}
	open := bench.OpenLog
	if o.dryRun {
		open = bench.ReadLog
	}
	log, err := open(o.output)
	if err != nil {
		return err
	}
	defer log.Close()
	found := p.Resume(log.Records)
	if o.dryRun {
		return a.dryBench(ctx, p, o, found)
	}
	if log.Repaired != "" {
		a.Note("%s", log.Repaired)
	}
	if found > 0 {
		a.Note("%d of %s in %s, not measured again", found, human.Plural(len(p.Cells()), "cell is", "cells are"), o.output)
	}
	out := &report.Printer{Out: a.Out, Format: o.format, Width: a.Width(), Ranks: summary.Weighting(o.ranks)}
	err = a.measureAll(ctx, p, log, out)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = a.interrupted(len(p.Rows()), len(p.Cells()), "measured", o.output)
	}
	return cmp.Or(err, out.Rest(p.Rows())) // what was measured is shown, come what may
}

// measureAll measures what has no row yet and shows tasks as they become complete.
func (a *app) measureAll(ctx context.Context, p *bench.Plan, log *bench.Log, out *report.Printer) error {
	if err := a.needProviders(ctx, p); err != nil {
		return err
	}
	done, total := p.Work()
	m := a.Meter("measuring", done, total)
	defer m.Close()
	return withoutLibrary(p.Run(ctx, log, bench.Watch{
		Session: func(what string) {
			m.Close() // a bar would stand on the same line; it comes back
			a.Note("measuring %s", what)
		},
		Progress: func(c *bench.Cell, done int64) { m.Update(done, c.String) },
		Task: func(rows []eval.Row) error {
			m.Close() // a bar would stand among the tables
			return out.Task(rows)
		},
	}))
}

// interrupted is the error for an end when some of all cells are done; output is the file that keeps them, "" for none.
func (a *app) interrupted(some, all int, done, output string) error {
	text := fmt.Sprintf("interrupted with %d of %s %s", some, human.Plural(all, "cell", "cells"), done)
	if output == "" {
		return errors.New(text + "; with -o FILE they would be kept, and the same command would go on")
	}
	return fmt.Errorf("%s; they are kept; go on with: %s", text, a.repeat())
}

// dryBench prints the cells and how long they may take; it writes no file. found of
// them have a row.
func (a *app) dryBench(ctx context.Context, p *bench.Plan, o benchOptions, found int) error {
	if err := a.needProviders(ctx, p); err != nil {
		return err
	}
	e, err := p.Estimate(ctx)
	if err != nil {
		return withoutLibrary(err)
	}
	if err := e.Write(a.Out, o.format); err != nil || o.format != "table" {
		return err
	}
	cells := human.Plural(len(e.Cells), "cell", "cells")
	switch {
	case found == len(e.Cells):
		a.Print("\n%s, all of them in %s: nothing is left to measure", cells, o.output)
		return nil
	case found > 0:
		cells += fmt.Sprintf(", of which %s holds %d", o.output, found)
	}
	a.Print("\n%s; about %s: %s", cells, e.Duration(), e.RestsOn)
	return nil
}

// needProviders is needProvider for those that the cells without a row need.
func (a *app) needProviders(ctx context.Context, p *bench.Plan) error {
	for _, provider := range p.Providers() {
		if err := a.needProvider(ctx, provider); err != nil {
			return err
		}
	}
	return nil
}
