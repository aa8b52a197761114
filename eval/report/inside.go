package report

import "github.com/nopezoo/zoo/eval/summary"

// InsideView is what the page shows of observations: tables, and charts as SVG.
type InsideView struct {
	Sections []InsideTables
	Charts   []pageChart
}

// InsideTables are a section's.
type InsideTables struct {
	Title  string
	Tables []Table
}

// View lays the observations out for the page, without tables of heads for steps on the way.
func (s *Report) View() (InsideView, error) {
	var v InsideView
	for _, t := range s.Inside {
		for _, section := range t.Sections(t.Ends()) {
			v.Sections = append(v.Sections, InsideTables{section.Title, summary.Each(section.Tables, pageTable)})
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
