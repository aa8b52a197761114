package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/study"
)

// Formats lists what a Printer writes: tables for people (text, Markdown), and rows.
func Formats() []string { return []string{"table", "md", "csv", "json", "jsonl", "benchstat"} }

// Printer writes results: the tables of a task when it is complete (Task), everything
// else at the end (Rest). Above tables stands where the rows were measured.
type Printer struct {
	Out    io.Writer
	Format string          // one of Formats
	Width  int             // of tables of text, in characters; 0 is DefaultWidth
	Ranks  study.Weighting // how ranks weigh lengths

	shown map[string]bool // tasks that were written
	where string          // the line that was written last
}

// Task writes the tables of one task, whose rows are all there; nothing in a format
// without tables.
func (p *Printer) Task(rows []eval.Row) error {
	if !p.tables() || len(rows) == 0 {
		return nil
	}
	task := rows[0].Task
	if err := p.sections(rows, func(s Section) bool { return s.Task == task }); err != nil {
		return err
	}
	if p.shown == nil {
		p.shown = map[string]bool{}
	}
	p.shown[task] = true
	return nil
}

// Rest writes all rows, but for the tables that Task has written.
func (p *Printer) Rest(rows []eval.Row) error {
	switch p.Format {
	case "jsonl":
		return eval.WriteJSONL(p.Out, rows...)
	case "json":
		e := json.NewEncoder(p.Out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(rows)
	case "csv":
		return eval.CSV(p.Out, rows)
	case "benchstat":
		return eval.Benchstat(p.Out, rows)
	}
	if !p.tables() {
		return fmt.Errorf("report: unknown format %q; known: %s", p.Format, strings.Join(Formats(), ", "))
	}
	return p.sections(rows, func(s Section) bool { return !p.shown[s.Task] })
}

func (p *Printer) tables() bool { return p.Format == "table" || p.Format == "md" }

// sections writes those sections of the rows that are wanted.
func (p *Printer) sections(rows []eval.Row, wanted func(Section) bool) error {
	sections, err := Sections(rows, p.Ranks)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, s := range sections {
		if !wanted(s) {
			continue
		}
		width, write := math.MaxInt, s.Markdown
		if p.Format == "table" {
			width = cmp.Or(p.Width, DefaultWidth)
			write = func(w io.Writer) error { return s.Text(w, width) }
		}
		if p.where != "" {
			b.WriteString("\n")
		}
		if where := measuredWhere(rows); where != p.where {
			p.where = where
			b.WriteString(Wrap(where, width) + "\n")
		}
		if err := write(&b); err != nil {
			return err
		}
	}
	_, err = io.WriteString(p.Out, b.String())
	return err
}

// measuredWhere names the machines, engines, threads and versions of rows.
func measuredWhere(rows []eval.Row) string {
	var parts []string
	for _, part := range []func(r eval.Row) string{
		func(r eval.Row) string { return r.Machine }, engine, threads,
		func(r eval.Row) string { return "zoo " + r.ToolVersion },
	} {
		texts := slices.Compact(slices.Sorted(slices.Values(each(rows, part))))
		texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
		if len(texts) > 0 {
			parts = append(parts, strings.Join(texts, " and "))
		}
	}
	return strings.Join(parts, "; ")
}

func engine(r eval.Row) string {
	switch {
	case r.NA: // nothing ran
		return ""
	case r.ORTVersion == "":
		return "pure Go"
	}
	return fmt.Sprintf("ONNX Runtime %s, provider %s", r.ORTVersion, r.Provider)
}

func threads(r eval.Row) string {
	switch {
	case r.ORTVersion == "": // pure Go does not heed them
		return ""
	case r.Threads == 0:
		return "one thread per core"
	}
	return study.Count(r.Threads, "thread", "threads")
}
