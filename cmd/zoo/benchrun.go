package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/models"
)

// bench measures what has no row yet and shows tasks as they become complete.
func (a *app) bench(ctx context.Context, p *bench.Plan, measured []bench.Model, o benchOutput) error {
	if err := p.Add(ctx, measured...); err != nil {
		return err
	}
	if o.dryRun {
		return a.dryBench(ctx, p, o)
	}
	out := &report.Printer{Out: a.Out, Format: o.format, Width: a.Width(), Brief: !o.details,
		Options: summary.Options{Ranks: o.ranks, Encodings: models.Encodings()}}
	watch, end := a.watchBench(len(p.Cells), o.file, out)
	rows, err := p.Run(ctx, o.file, watch)
	end()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = a.interrupted(len(rows), len(p.Cells), "measured", o.file)
	}
	return cmp.Or(err, out.Rest(rows)) // what was measured is shown, come what may
}

// watchBench shows how measuring goes on, on a meter until end. The meter is away wherever its bar would
// stand on the same line, or among the tables.
func (a *app) watchBench(cells int, file string, out *report.Printer) (watch bench.Watch, end func()) {
	var m *terminal.Meter // nil before the first progress
	end = func() {
		if m != nil {
			m.Close()
		}
	}
	return bench.Watch{
		Resumed: func(rows int, repaired string) {
			if repaired != "" {
				a.Note("%s", repaired)
			}
			if rows > 0 {
				a.Note("%d of %s in %s, not measured again", rows,
					human.Plural(cells, "cell is", "cells are"), file)
			}
		},
		Session: func(what string) {
			end()
			a.Note("measuring %s", what)
		},
		Progress: func(cell string, done, total int64) {
			if m == nil {
				m = a.Meter("measuring", done, total)
			}
			m.Update(done, func() string { return cell })
		},
		Task: func(rows []eval.Row) error {
			end()
			return out.Task(rows)
		},
	}, end
}

// interrupted is the error for an end when some of all cells are done; output is the file that keeps them, "" for none.
func (a *app) interrupted(some, all int, done, output string) error {
	text := fmt.Sprintf("interrupted with %d of %s %s", some, human.Plural(all, "cell", "cells"), done)
	if output == "" {
		return errors.New(text + "; with -o FILE they would be kept, and the same command would go on")
	}
	return fmt.Errorf("%s; they are kept; go on with: %s", text, a.repeat())
}

// dryBench prints the cells and how long they may take; it writes no file.
func (a *app) dryBench(ctx context.Context, p *bench.Plan, o benchOutput) error {
	seconds, err := p.Estimate(ctx, o.file)
	if err != nil {
		return withoutLibrary(err)
	}
	cells := p.Cells
	encoder := json.NewEncoder(a.Out)
	encoder.SetEscapeHTML(false)
	switch o.format {
	case "json":
		encoder.SetIndent("", "  ")
		return encoder.Encode(struct {
			Cells   []*bench.Cell `json:"cells"`
			Seconds float64       `json:"seconds"`
			RestsOn string        `json:"rests_on"`
		}{cells, seconds, bench.RestsOn})
	case "jsonl":
		for _, c := range cells {
			if err := encoder.Encode(c); err != nil {
				return err
			}
		}
		return nil
	}
	if err := a.Table(tables.Cells(cells)); err != nil {
		return err
	}
	sum, found := human.Plural(len(cells), "cell", "cells"), 0
	for _, c := range cells {
		if c.Measured {
			found++
		}
	}
	switch {
	case found == len(cells):
		a.Print("\n%s, all of them in %s: nothing is left to measure", sum, o.file)
		return nil
	case found > 0:
		sum += fmt.Sprintf(", of which %s holds %d", o.file, found)
	}
	a.Print("\n%s; about %s: %s", sum, human.Seconds(seconds), bench.RestsOn)
	return nil
}
