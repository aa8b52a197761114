package summary

import "slices"

// publishedTable sets our accuracies next to the published ones.
func (s *Study) publishedTable() Table {
	runs := slices.ContainsFunc(s.Published, func(c comparison) bool { return c.Theirs.All.Median.Known() })
	whole := slices.ContainsFunc(s.Published, func(c comparison) bool { return c.All.Known() })
	value := "mean"
	if runs {
		value = "median"
	}
	out := Table{Title: "exact match beside " + s.Source, Head: []string{"task", "encoding", "lengths", "runs here",
		"here, " + value + ", %", "mean of fitted, %", "runs published", "published, " + value + ", %", "mean of fitted, %",
		"difference, points"}}
	if whole {
		out.Head = append(out.Head, "published at all lengths, %")
	}
	out.Head = append(out.Head, "setup")
	for _, c := range s.Published {
		here, published := numberCell(c.Here, Number.percent), numberCell(c.Published, Number.percent)
		if runs {
			here, published = percentCell(c.Ours.All), percentCell(c.Theirs.All)
		}
		line := words(c.Task, c.Name, c.Lengths, c.Ours.Fit.String())
		line = append(line, here, numberCell(c.Ours.Fitted, Number.percent), words(c.Theirs.Fit.String())[0], published,
			numberCell(c.Theirs.Fitted, Number.percent), numberCell(c.Difference, Number.points))
		if whole {
			line = append(line, numberCell(c.All, Number.percent))
		}
		out.add(append(line, words(c.Setup)...)...)
	}
	return out
}

// publishedSection has a narrow table for each task: encoding, lengths, both sides and the difference.
func (s *Study) publishedSection() Section {
	out := Section{Title: "exact match in % beside " + s.Source}
	columns := []int{1, 2, 4, 7, 9}
	for _, t := range s.Tasks {
		table := Table{Title: t.Name, Head: each(columns, func(i int) string { return s.PublishedTable.Head[i] })}
		for _, line := range s.PublishedTable.Lines {
			if line[0].Text == t.Name {
				table.add(each(columns, func(i int) Cell { return line[i] })...)
			}
		}
		if len(table.Lines) > 0 {
			out.Tables = append(out.Tables, table)
		}
	}
	return out
}
