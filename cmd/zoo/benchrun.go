package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
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
	chosen := o.file == "" && !o.rows()
	if chosen {
		o.file = a.rowFile(p)
	}
	watch, end := a.watchBench(p, o.file, out)
	rows, err := p.Run(ctx, o.file, watch)
	end()
	if chosen && len(rows) == 0 && o.file != "" {
		_ = os.Remove(o.file)        // nothing was measured
		_ = os.Remove(resultsFolder) // which fails where there is more in it
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = a.interrupted(len(rows), len(p.Cells), "measured", o.file)
		if chosen && o.file != "" && len(rows) > 0 {
			err = fmt.Errorf("%w -o %s", err, o.file)
		}
	}
	if err = cmp.Or(err, out.Rest(rows)); err == nil && chosen && o.file != "" { // what was measured is shown, come what may
		a.Print("\nrows: %s", o.file)
	}
	return err
}

// rows reports whether the rows themselves go to standard output, so that no file needs to keep them.
func (o benchOutput) rows() bool {
	return o.format != "table" && o.format != "md" && o.format != "latex"
}

// rowFile is the file that keeps the rows of a plan where none is named, one that is not there yet:
// results/DATE-NAME.jsonl. "" with a note where none can be made.
func (a *app) rowFile(p *bench.Plan) string {
	names := func(named func(*bench.Cell) string) []string {
		out := lists.Map(p.Cells, named)
		slices.Sort(out)
		return slices.Compact(out)
	}
	name := "bench"
	if found := names(func(c *bench.Cell) string { return c.Model }); len(found) == 1 {
		name = found[0]
	} else if found := names(func(c *bench.Cell) string { return cmp.Or(c.Task, "speed") }); len(found) == 1 {
		name = found[0]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-+._", r) {
			return r
		}
		return '-'
	}, name)
	path, err := files.New(resultsFolder, time.Now().Format(time.DateOnly)+"-"+name, ".jsonl")
	if err != nil {
		a.Note("the rows are not kept: %s; name a file with -o", human.Error(err))
	}
	return path
}

// watchBench shows how measuring goes on, on a meter until end. The meter is away wherever its bar would
// stand on the same line, or among the tables.
func (a *app) watchBench(p *bench.Plan, file string, out *report.Printer) (watch bench.Watch, end func()) {
	// Brief tables of running text and of tasks in tokens are of all together.
	together := out.Brief && slices.ContainsFunc(p.Cells, func(c *bench.Cell) bool { return strings.Contains(c.Task, task.InTokens) })
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
					human.Plural(len(p.Cells), "cell is", "cells are"), file)
			}
		},
		Begin: func() { a.Note("measuring %s", extent(p)) },
		Done: func(what string, rows []eval.Row) {
			end()
			a.Note("%s: %s", what, finished(rows))
		},
		Progress: func(cell string, done, total int64) {
			if m == nil {
				m = a.Meter("", done, total)
			}
			m.Update(done, func() string { return cell })
		},
		Task: func(rows []eval.Row) error {
			end()
			if together {
				return nil
			}
			return out.Task(rows)
		},
	}, end
}

// extent says what a plan measures: "9 models on unique-copy, 100 cells".
func extent(p *bench.Plan) string {
	models, tasks := map[string]bool{}, map[string]bool{}
	for _, c := range p.Cells {
		models[c.Model], tasks[cmp.Or(c.Task, "speed")] = true, true
	}
	on := human.Plural(len(tasks), "task", "tasks")
	for name := range tasks {
		if len(tasks) == 1 {
			on = name
		}
	}
	return fmt.Sprintf("%s on %s: %s", human.Plural(len(models), "model", "models"), on,
		human.Plural(len(p.Cells), "cell", "cells"))
}

// finished says in few words what the rows of one model are.
func finished(rows []eval.Row) string {
	var tasks []string
	byTask := map[string][]eval.Row{}
	for _, r := range rows {
		if r.NA {
			continue
		}
		if !slices.Contains(tasks, r.Task) {
			tasks = append(tasks, r.Task)
		}
		byTask[r.Task] = append(byTask[r.Task], r)
	}
	for i, name := range tasks {
		switch first := byTask[name][0]; first.Measure {
		case eval.MeasureSpeed:
			tasks[i] = fmt.Sprintf("%.3g ms to the first token, %.3g ms for each more, at length %d",
				first.PrefillMS, first.DecodeP50MS, first.Length)
		case eval.MeasureAccuracy, "": // of older files
			tasks[i] = reached(byTask[name])
		default:
			tasks[i] = fmt.Sprintf("%s at %s", name, human.Plural(len(byTask[name]), "length", "lengths"))
		}
	}
	return strings.Join(tasks, ", ")
}

// reached says up to which length the rows of a task are right, over seeds and depths.
func reached(rows []eval.Row) string {
	var lengths []task.Span
	right := map[task.Span][]float64{}
	for _, r := range rows {
		lengths, right[r.Span()] = append(lengths, r.Span()), append(right[r.Span()], r.Accuracy)
	}
	lengths = task.SortSpans(lengths)
	to, _ := eval.EffectiveLength(lengths, func(n task.Span) (float64, bool) {
		sum := 0.0
		for _, v := range right[n] {
			sum += v
		}
		return sum / float64(len(right[n])), true
	})
	if to == (task.Span{}) {
		return fmt.Sprintf("not right on %s at length %s", rows[0].Task, lengths[0].Label())
	}
	return fmt.Sprintf("right on %s to length %s", rows[0].Task, to.Label())
}

// interrupted is the error for an end when some of all cells are done; output is the file that keeps them, "" for none.
func (a *app) interrupted(some, all int, done, output string) error {
	cells := human.Plural(all, "cell", "cells")
	if some == 0 {
		return fmt.Errorf("interrupted before any of %s was %s; begin again with: %s", cells, done, a.repeat())
	}
	text := fmt.Sprintf("interrupted with %d of %s %s", some, cells, done)
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
	lines, alike := tables.Cells(cells)
	if err := a.Table(lines); err != nil {
		return err
	}
	if alike != "" {
		a.Print("\nall with %s", alike)
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
