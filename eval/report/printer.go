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

// Formats lists the formats of a Printer: tables as text, Markdown and LaTeX, and rows.
func Formats() []string { return []string{"table", "md", "latex", "csv", "json", "jsonl", "benchstat"} }

// Printer writes results: the tables of a complete task (Task), everything else at the end (Rest).
type Printer struct {
	Out     io.Writer
	Format  string          // one of Formats
	Width   int             // of tables of text, in characters; 0 is 80
	Options summary.Options // of the study
	Compare bool            // with the published numbers, at the end
	Brief   bool            // of tables of text: in few lines, without the place

	shown   map[string]bool // tasks that were written
	written bool            // something was written
	where   string          // the line that was written last
}

// Task writes the tables of one task from all its rows; nothing in a format without tables.
func (p *Printer) Task(rows []eval.Row) error {
	if !p.tables() || len(rows) == 0 {
		return nil
	}
	task := rows[0].Task
	if err := p.sections(rows, func(s summary.Section) bool { return s.Task == task }); err != nil {
		return err
	}
	if p.shown == nil {
		p.shown = map[string]bool{}
	}
	p.shown[task] = true
	return nil
}

// Rest writes all rows, without the tables that Task has written.
func (p *Printer) Rest(rows []eval.Row) error {
	switch p.Format {
	case "jsonl":
		return eval.Write(p.Out, rows...)
	case "json":
		e := json.NewEncoder(p.Out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(rows)
	case "csv":
		return summary.WriteCSV(p.Out, rows, nil)
	case "benchstat":
		return writeBenchstat(p.Out, rows)
	}
	if !p.tables() {
		return fmt.Errorf("report: unknown format %q; known: %s", p.Format, strings.Join(Formats(), ", "))
	}
	return p.sections(rows, func(s summary.Section) bool { return !p.shown[s.Task] })
}

func (p *Printer) tables() bool {
	return p.Format == "table" || p.Format == "md" || p.Format == "latex"
}

// sections writes those sections of the rows that are wanted.
func (p *Printer) sections(rows []eval.Row, wanted func(summary.Section) bool) error {
	if len(rows) == 0 {
		return nil
	}
	s, err := summary.New(rows, p.Options)
	if err != nil {
		return err
	}
	width, brief := math.MaxInt, p.Brief && p.Format == "table"
	if p.Format == "table" {
		width = cmp.Or(p.Width, 80)
	}
	sections := s.Sections(p.Compare)
	if brief {
		sections = s.Brief(width)
	}
	sections = slices.DeleteFunc(sections, func(s summary.Section) bool { return !wanted(s) })
	if len(sections) == 0 {
		return nil
	}
	var b strings.Builder
	if p.written {
		b.WriteString("\n")
	}
	p.written = true
	if where := strings.Join(s.Setups, "; "); where != p.where && !brief {
		p.where = where
		comment := ""
		if p.Format == "latex" {
			comment = "% "
		}
		b.WriteString(human.Wrap(comment+where, width) + "\n")
	}
	if err := summary.Write(&b, p.Format, width, sections...); err != nil {
		return err
	}
	_, err = io.WriteString(p.Out, b.String())
	return err
}
