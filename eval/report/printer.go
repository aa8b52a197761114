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
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/human"
)

// Formats lists what a Printer writes: tables for people (text, Markdown), and rows.
func Formats() []string { return []string{"table", "md", "csv", "json", "jsonl", "benchstat"} }

// Printer writes results: the tables of a task when it is complete (Task), everything
// else at the end (Rest). Above tables stands where the rows were measured.
type Printer struct {
	Out    io.Writer
	Format string            // one of Formats
	Width  int               // of tables of text, in characters; 0 is DefaultWidth
	Ranks  summary.Weighting // how ranks weigh lengths

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

// Beside writes what papers have for the tasks and encodings of rows next to what the rows
// say: of published numbers, or for nil of the usual ones. Where there are none for these it
// writes nothing.
func (p *Printer) Beside(rows []eval.Row, published *summary.Published) error {
	s, err := summary.New(rows, summary.Options{Ranks: p.Ranks, Published: published})
	if err != nil || len(s.Published) == 0 {
		return err
	}
	return p.write(rows, []Section{publishedSection(s)})
}

// sections writes those sections of the rows that are wanted.
func (p *Printer) sections(rows []eval.Row, wanted func(Section) bool) error {
	all, err := Sections(rows, p.Ranks)
	if err != nil {
		return err
	}
	return p.write(rows, slices.DeleteFunc(all, func(s Section) bool { return !wanted(s) }))
}

// write writes sections of the rows.
func (p *Printer) write(rows []eval.Row, sections []Section) error {
	var b strings.Builder
	for _, s := range sections {
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
			b.WriteString(human.Wrap(where, width) + "\n")
		}
		if err := write(&b); err != nil {
			return err
		}
	}
	_, err := io.WriteString(p.Out, b.String())
	return err
}

// measuredWhere names the machines, engines, threads and versions of rows.
func measuredWhere(rows []eval.Row) string {
	var seen [4][]string
	for _, r := range rows {
		for i, text := range setup(r) {
			if text != "" && !slices.Contains(seen[i], text) {
				seen[i] = append(seen[i], text)
			}
		}
	}
	var parts []string
	for _, texts := range seen {
		if len(texts) > 0 {
			slices.Sort(texts)
			parts = append(parts, strings.Join(texts, " and "))
		}
	}
	return strings.Join(parts, "; ")
}

// setup names the machine, engine, threads and version of a row, "" for what it does
// not say.
func setup(r eval.Row) [4]string {
	out := [4]string{0: r.Computer(), 3: "zoo " + r.ToolVersion}
	switch {
	case r.ORTVersion != "":
		out[1], out[2] = fmt.Sprintf("ONNX Runtime %s, provider %s", r.ORTVersion, r.Provider), "one thread per core"
		if r.Threads > 0 {
			out[2] = human.Plural(r.Threads, "thread", "threads")
		}
	case !r.NA: // else nothing ran
		out[1] = "pure Go"
		if r.Threads > 0 { // it heeded none before it had threads of its own
			out[2] = human.Plural(r.Threads, "thread", "threads")
		}
	}
	return out
}
