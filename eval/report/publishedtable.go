package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/eval/summary"
)

// PublishedTable sets our accuracies beside the published ones.
func (s *Report) PublishedTable() Table {
	runs := slices.ContainsFunc(s.Published, func(c summary.Compared) bool { return c.Theirs.All.Median.Known() })
	value := "mean"
	if runs {
		value = "median"
	}
	out := Table{Caption: "Exact match beside " + s.Source, Prose: []int{1, 2, 3, 6},
		Head: []string{"task", "encoding", "lengths", "runs here", "here, " + value + ", %", "mean of fitted, %",
			"runs published", "published, " + value + ", %", "mean of fitted, %", "difference, points"}}
	whole := slices.ContainsFunc(s.Published, func(c summary.Compared) bool { return c.All.Known() })
	if whole {
		out.Head = append(out.Head, "published at all lengths, %")
	}
	out.Head = append(out.Head, "setup")
	for _, c := range s.Published {
		here, published := c.Here.Percent(), c.Published.Percent()
		if runs {
			here, published = c.Ours.All.Percent(), c.Theirs.All.Percent()
		}
		line := []string{c.Task, c.Name, c.Lengths, c.Ours.Fit.String(), here,
			c.Ours.Fitted.Percent(), c.Theirs.Fit.String(), published, c.Theirs.Fitted.Percent(), c.Difference.Points()}
		if whole {
			line = append(line, c.All.Percent())
		}
		out.Lines = append(out.Lines, append(line, c.Setup))
	}
	out.Prose = append(out.Prose, len(out.Head)-1)
	return out
}

// publishedSection is the table for a terminal: of each task the encodings and lengths that
// both have.
func publishedSection(s *summary.Study) Section {
	out := Section{title: "beside " + s.Source + ": exact match in %, median of the runs, or the mean where only " +
		"that is published; runs are those that fitted, of all"}
	for _, t := range s.Tasks {
		lines := [][]string{{"encoding, lengths", "here", "runs", "published", "runs", "difference"}}
		for _, c := range s.Published {
			if c.Task == t.Name {
				lines = append(lines, []string{c.Name + " " + c.Lengths, c.Here.Percent(), share(c.Ours.Fit),
					c.Published.Percent(), share(c.Theirs.Fit), c.Difference.Points()})
			}
		}
		if len(lines) > 1 {
			out.blocks = append(out.blocks, block{title: t.Name, lines: lines})
		}
	}
	return out
}

// share gives how many runs fitted, of all: "2/3".
func share(f summary.Fit) string {
	if f.Unknown > 0 {
		return strconv.Itoa(f.Runs)
	}
	return fmt.Sprintf("%d/%d", f.Fitted, f.Runs)
}
