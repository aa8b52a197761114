package report

import "github.com/nopezoo/zoo/eval/summary"

// insideView is what the page shows of observations: tables, and charts as SVG.
type insideView struct {
	Sections []insideTables
	Charts   []pageChart
}

// insideTables are a section's.
type insideTables struct {
	Title  string
	Tables []Table
}

// insideView lays the observations out for the page, without tables of heads for steps on the way.
func (s *Report) insideView() (insideView, error) {
	var v insideView
	for _, t := range s.inside {
		for _, section := range t.Sections(false) {
			v.Sections = append(v.Sections, insideTables{section.Title, summary.Each(section.Tables, pageTable)})
		}
	}
	var err error
	v.Charts, err = pageCharts(s.insideFigures())
	return v, err
}

// pageTable is a table for the page, with its notes in the caption.
func pageTable(t summary.Table) Table {
	out := Table{Caption: t.Title, Head: t.Head}
	for _, note := range t.Notes {
		out.Caption += ". " + note
	}
	for _, line := range t.Lines {
		out.Lines = append(out.Lines, summary.Each(line, func(c summary.Cell) string { return c.Text + c.Mark }))
	}
	return out
}
