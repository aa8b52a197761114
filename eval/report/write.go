package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/lists"
)

// Write writes the page ("html"), its tables ("md", "latex"), or tidy rows ("csv", see summary.WriteCSV). The same rows give
// the same bytes.
func (s *Report) Write(w io.Writer, format string) error {
	switch format {
	case "html":
		return s.writeHTML(w)
	case "csv":
		return summary.WriteCSV(w, s.rows, s.options.Observations)
	case "md", "latex":
		return summary.Write(w, format, math.MaxInt, s.sections()...)
	}
	return fmt.Errorf("report: unknown format %q; known: html, md, csv, latex", format)
}

// sections are the tables of the page by exact match, in its order.
func (s *Report) sections() []summary.Section {
	out := lists.Map(s.Texts, func(t *summary.Text) summary.Section { return t.Section })
	for _, t := range s.Tasks {
		section := summary.Section{Task: t.Task, Title: t.Name, Summary: t.Summary, Tables: slices.Clone(t.Headlines)}
		if t.Scored {
			section.Tables = slices.Concat([]summary.Table{t.Accuracy}, t.Depths, t.Differences, section.Tables)
		}
		for _, p := range t.Places {
			section.Tables = append(section.Tables, p.Tables...)
		}
		out = append(out, section)
	}
	over := summary.Section{Title: "all tasks", Summary: s.Summary, Tables: []summary.Table{s.RankTable, s.HeatMap, s.AgreementTable, s.PublishedTable}}
	over.Tables = slices.DeleteFunc(over.Tables, func(t summary.Table) bool { return len(t.Lines) == 0 })
	if len(over.Tables) > 0 {
		out = append(out, over)
	}
	for _, t := range s.inside {
		out = append(out, t.Sections(false)...)
	}
	return out
}
