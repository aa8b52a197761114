package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/bench"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/study"
)

// benchPrinter shows results, which all derive from the rows alone: the tables of a
// task as soon as all of its cells are measured, everything else at the end.
type benchPrinter struct {
	*app
	plan    *bench.Plan
	options benchOptions
	tasks   []string
	left    map[string]int // cells without a row, by task
	shown   map[string]bool
	heading string // printed last
}

// startPrinting shows what is complete before anything is measured.
func (a *app) startPrinting(p *bench.Plan, o benchOptions) (*benchPrinter, error) {
	b := &benchPrinter{app: a, plan: p, options: o, left: map[string]int{}, shown: map[string]bool{}}
	for _, c := range p.Cells() {
		t := c.Task
		if t == "" {
			continue // speed is one section over all
		}
		if _, known := b.left[t]; !known {
			b.tasks = append(b.tasks, t)
			b.left[t] = 0
		}
		if !c.Measured {
			b.left[t]++
		}
	}
	for _, t := range b.tasks {
		if err := b.show(t); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// completes reports whether a cell is the last one missing of its task.
func (b *benchPrinter) completes(c *bench.Cell) bool { return b.left[c.Task] == 1 }

// measured shows the task of a cell that completes it.
func (b *benchPrinter) measured(c *bench.Cell) error {
	t := c.Task
	if t == "" {
		return nil
	}
	b.left[t]--
	return b.show(t)
}

// show prints the tables of a task that is complete.
func (b *benchPrinter) show(t string) error {
	if b.left[t] > 0 || !b.prints() {
		return nil
	}
	rows := slices.DeleteFunc(b.plan.Rows(), func(r eval.Row) bool { return r.Task != t })
	if err := b.sections(rows, func(s report.Section) bool { return s.Task == t }); err != nil {
		return err
	}
	b.shown[t] = true
	return nil
}

// prints reports whether results are tables, which can be read one by one.
func (b *benchPrinter) prints() bool { return b.options.format == "table" || b.options.format == "md" }

// rest prints what has not been shown, complete or not.
func (b *benchPrinter) rest() error {
	rows := b.plan.Rows()
	switch b.options.format {
	case "jsonl":
		return eval.WriteJSONL(b.stdout, rows...)
	case "json":
		return b.json(rows)
	case "csv":
		return eval.CSV(b.stdout, rows)
	case "benchstat":
		return eval.Benchstat(b.stdout, rows)
	}
	return b.sections(rows, func(s report.Section) bool { return !b.shown[s.Task] })
}

// sections prints those sections of the rows that are wanted, below a line that says
// where they were measured.
func (b *benchPrinter) sections(rows []eval.Row, wanted func(report.Section) bool) error {
	sections, err := report.Sections(rows, study.Weighting(b.options.ranks))
	if err != nil {
		return err
	}
	for _, s := range sections {
		if !wanted(s) {
			continue
		}
		if b.heading != "" {
			b.print("")
		}
		write, width := s.Markdown, math.MaxInt
		if b.options.format == "table" {
			width = b.width()
			write = func(w io.Writer) error { return s.Text(w, width) }
		}
		if text := heading(rows); text != b.heading {
			b.heading = text
			b.print("%s", report.Wrap(text, width))
		}
		err := write(b.stdout)
		if err != nil {
			return err
		}
	}
	return nil
}

// heading says where the rows were measured.
func heading(rows []eval.Row) string {
	var parts []string
	for _, part := range []func(eval.Row) string{
		func(r eval.Row) string { return r.Machine },
		engineOf,
		func(r eval.Row) string {
			switch {
			case r.ORTVersion == "": // pure Go does not heed them
				return ""
			case r.Threads == 0:
				return "one thread per core"
			case r.Threads == 1:
				return "1 thread"
			}
			return fmt.Sprintf("%d threads", r.Threads)
		},
		func(r eval.Row) string { return "zoo " + r.ToolVersion },
	} {
		seen := slices.Compact(slices.Sorted(slices.Values(each(rows, part))))
		seen = slices.DeleteFunc(seen, func(s string) bool { return s == "" })
		if len(seen) > 0 {
			parts = append(parts, strings.Join(seen, " and "))
		}
	}
	return strings.Join(parts, "; ")
}

func engineOf(r eval.Row) string {
	switch {
	case r.NA: // nothing ran
		return ""
	case r.ORTVersion == "":
		return "pure Go"
	}
	return fmt.Sprintf("ONNX Runtime %s, provider %s", r.ORTVersion, r.Provider)
}
