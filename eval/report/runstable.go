package report

import (
	"slices"

	"github.com/nopezoo/zoo/eval/summary"
)

// severalRuns reports whether a task has encodings of several training runs.
func severalRuns(t *summary.Task) bool {
	return slices.ContainsFunc(t.Series, func(s summary.Series) bool { return len(s.Seeds) > 1 })
}

// runsBlock is exact match over training runs: a column per encoding.
func runsBlock(t *summary.Task) block {
	b := block{
		title: "exact match in %, medians over training runs (quartiles, interpolated linearly; * length seen in training)",
		lines: [][]string{append([]string{"length"}, summary.Each(t.Series, func(s summary.Series) string { return s.Name + " " })...)},
	}
	if slices.ContainsFunc(t.Series, func(s summary.Series) bool { return len(s.Seeds) == 1 }) {
		b.notes = []string{"[square brackets]: 1 run, with the 95 % interval over its prompts"}
	}
	for i, length := range t.Lengths {
		line := []string{length.Label()}
		for _, s := range t.Series {
			cell := "-"
			switch p := s.Points[i]; {
			case p.NA:
				cell = "n/a"
			case p.N > 0:
				cell = p.Exact.Percent()
			}
			mark := " "
			if s.Saw(length) {
				mark = "*"
			}
			line = append(line, cell+mark)
		}
		b.lines = append(b.lines, line)
	}
	b.lines = append(b.lines, make([]string, len(b.lines[0]))) // the summary below
	for _, of := range []struct {
		name string
		text func(summary.Series) string
	}{
		{"mean trained", func(s summary.Series) string { return meanText(s.Inside, s.InsideNA) }},
		{"mean beyond", func(s summary.Series) string { return meanText(s.Beyond, s.BeyondNA) }},
		{"effective length", func(s summary.Series) string { return s.Effective.String() }},
		{"runs", func(s summary.Series) string { return s.Fit.String() }},
	} {
		b.lines = append(b.lines, append([]string{of.name}, summary.Each(t.Series, func(s summary.Series) string {
			return of.text(s) + " "
		})...))
	}
	return b
}
