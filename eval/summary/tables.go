package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// Marks behind numbers.
const (
	seenMark  = "*"
	unfitMark = "†"
)

// tabulate makes the tables of a study and of its tasks.
func (s *Study) tabulate() {
	s.RankTable, s.HeatMap, s.PublishedTable = s.rankTable(), s.heatMap(), s.publishedTable()
	for _, t := range s.Tasks {
		best := t.byResult()
		t.Accuracy, t.EveryRun = t.accuracy(best, s.Measure), t.everyRun(best, s.Measure)
		t.Depths, t.Differences = t.depthTables(best), t.seedTables(best)
		if t.Parts = s.partsOf(t); len(t.Parts) > 0 {
			t.Differences = append([]Table{t.partTable(s.Measure)}, t.Differences...)
		}
		t.Headlines, t.Tradeoffs = nil, nil
		for _, p := range t.Places {
			t.Headlines, t.Tradeoffs = append(t.Headlines, s.headline(t, p)), append(t.Tradeoffs, s.tradeoff(t, p))
		}
		if len(t.Places) == 0 {
			t.Headlines = []Table{s.headline(t, Place{})}
		}
	}
}

func namesOf(series []Series) []string {
	return lists.Map(series, func(s Series) string { return s.Name })
}

// unfit names the series of which no run fitted.
func (t *Task) unfit() []string {
	return namesOf(slices.DeleteFunc(slices.Clone(t.Series), func(s Series) bool { return !s.Unfit }))
}

// byResult lists the series by effective length and then by the mean beyond training, the best first.
func (t *Task) byResult() []Series {
	out := slices.Clone(t.Series)
	slices.SortStableFunc(out, func(a, b Series) int {
		return cmp.Or(b.Effective.Length.Compare(a.Effective.Length), cmp.Compare(b.Score.Median, a.Score.Median))
	})
	return out
}

// byLength has a line for each length and a column for each series.
func (t *Task) byLength(title string, series []Series, heads []string, cell func(Series, point) Cell) Table {
	return grid(title, "length", lists.Map(t.Lengths, task.Span.Label), heads, func(i, k int) Cell {
		s, p, c := series[k], series[k].Points[i], Cell{Text: "–"}
		switch {
		case p.NA:
			c.Text = "n/a"
		case p.N > 0:
			c = cell(s, p)
			c.N = p.N
		}
		if s.saw(p.Length) && (p.NA || p.N > 0) {
			c.Mark = seenMark
		}
		return c
	})
}

// accuracy is a measure by length; below stand its means, how far each series carries, and the runs behind it.
func (t *Task) accuracy(series []Series, by string) Table {
	heads := lists.Map(series, Series.marked)
	out := t.byLength(fmt.Sprintf("%s on %s by length, in %%: %s; * length seen in training", label(by), t.Name, intervals(series)),
		series, heads, func(s Series, p point) Cell { return percentCell(s.value(p)) })
	if prompts := promptsOf(series, t.Lengths...); strings.Contains(prompts, " ") { // not the same everywhere
		out.Head[0] += " (n)"
		for i, length := range t.Lengths {
			if n := promptsOf(series, length); n != "0" {
				out.Lines[i][0].Text += " (" + n + ")"
			}
		}
	}
	out.add(words(make([]string, len(out.Head))...)...)
	below := func(name string, cell func(Series) Cell) { out.add(append(words(name), lists.Map(series, cell)...)...) }
	below("mean trained", func(s Series) Cell { return meanCell(s.Inside, s.InsideNA) })
	below("mean beyond", func(s Series) Cell { return meanCell(s.Beyond, s.BeyondNA) })
	below("effective length", func(s Series) Cell { return Cell{Text: s.Effective.String()} })
	below("runs", func(s Series) Cell { return Cell{Text: s.Fit.String()} })
	if slices.ContainsFunc(series, func(s Series) bool { return s.Rows[0].DType != series[0].Rows[0].DType }) {
		below("file, MiB", fileSize)
	}
	if len(t.Whole) > 0 {
		lengths := lists.Map(t.Whole, func(length task.Span) string {
			if length.IsBin() {
				return "some of " + length.Label()
			}
			return length.Label()
		})
		out.Notes = append(out.Notes, fmt.Sprintf("nothing held out at length %s: training may have seen the same prompts", strings.Join(lengths, ", ")))
	}
	for i, s := range series {
		out.Notes = append(out.Notes, causes(heads[i], s.Rows)...)
	}
	return out
}

// intervals names the intervals of some series.
func intervals(series []Series) string {
	kinds := map[string]bool{}
	for _, s := range series {
		for _, p := range s.Points {
			kinds[p.Exact.Over] = true
		}
	}
	const runs, prompts = "median of the runs (quartiles)", "1 run [95 % interval over its prompts]"
	switch {
	case kinds[OverRuns] && kinds[OverPrompts]:
		return runs + ", or " + prompts
	case kinds[OverRuns]:
		return runs
	}
	return prompts
}

// promptsOf says how many different prompts stand behind the numbers of some lengths.
func promptsOf(series []Series, lengths ...task.Span) string {
	all := []int{}
	for _, s := range series {
		for _, p := range s.Points {
			if p.N > 0 && slices.Contains(lengths, p.Length) {
				all = append(all, p.N)
			}
		}
	}
	if len(all) == 0 {
		return "0"
	}
	return between(slices.Min(all), slices.Max(all))
}

// meanCell is a mean over lengths, and how many of them it leaves out.
func meanCell(mean Spread, na int) Cell {
	c := percentCell(mean)
	switch {
	case na > 0 && !mean.Median.Known():
		c.Text = "n/a"
	case na > 0:
		c.Text += fmt.Sprintf(" (%d n/a)", na)
	}
	return c
}

// fileSize is the size of a model file; older rows do not have it.
func fileSize(s Series) Cell {
	if s.Rows[0].ModelBytes == 0 {
		return Cell{Text: "–"}
	}
	return Cell{Text: fmt.Sprintf("%.2f", float64(s.Rows[0].ModelBytes)/(1<<20))}
}

// everyRun has the value of each run; it has no columns where no series has several.
func (t *Task) everyRun(series []Series, by string) Table {
	several := slices.DeleteFunc(slices.Clone(series), func(s Series) bool { return len(s.runs) < 2 })
	return t.byLength(fmt.Sprintf("each run on %s by length: %s in %%", t.Name, label(by)), several, namesOf(several),
		func(s Series, p point) Cell { return runsCell(s.value(p)) })
}

// runsCell lists several runs' ratios: "95.0, 97.0, 98.5".
func runsCell(s Spread) Cell {
	if len(s.Runs) < 2 {
		return Cell{Text: "–", Value: &s}
	}
	return Cell{Text: strings.Join(lists.Map(s.Runs, Number.percent), ", "), Value: &s}
}

// headline has the accuracy of each series inside and beyond its trained lengths, its rank over all tasks, and its costs in a
// place.
func (s *Study) headline(t *Task, p Place) Table {
	out := Table{Title: "headline on " + t.Name, Head: []string{"encoding", "runs"}}
	several := slices.ContainsFunc(t.Series, func(s Series) bool { return len(s.runs) > 1 })
	ranked := len(s.rankedTasks()) > 1 // else the table of ranks says the same
	if t.Scored {
		out.Title += ", by " + label(s.Measure)
		out.Head = append(out.Head, "trained", label(s.Measure)+" inside, %", "beyond, %")
		if several {
			out.Head = append(out.Head, "each run beyond, %")
		}
		out.Head = append(out.Head, "effective length")
		if ranked {
			out.Head = append(out.Head, "MRR, all tasks")
		}
	}
	costs := slices.DeleteFunc(slices.Clone(s.Metrics), func(m metric) bool { return !m.headline || p.Common.Max == 0 })
	if len(costs) > 0 {
		out.Title += fmt.Sprintf("; costs at length %s, %s", p.Common.Label(), p.Name)
	}
	heads := lists.Map(costs, func(m metric) string { return strings.ToLower(m.Label) + ", " + m.Unit + s.relativeTo(t, p, m) })
	out.Head = append(append(out.Head, heads...), "parameters")
	mrr := func(name string) Number { // unknown if it was never ranked
		if i := slices.IndexFunc(s.Ranks, func(r rank) bool { return r.Name == name }); i >= 0 {
			return s.Ranks[i].MRR
		}
		return Unknown
	}
	for _, series := range t.byResult() {
		line := append(nameCell(series.Name, series.Encoding), words(series.Fit.String())...)
		if t.Scored {
			trained := "never"
			if series.Trained[1] > 0 {
				trained = fmt.Sprintf("%d–%d", series.Trained[0], series.Trained[1])
			}
			line = append(line, Cell{Text: trained}, percentCell(series.Inside), meanCell(series.Beyond, series.BeyondNA))
			if several {
				line = append(line, runsCell(series.Beyond))
			}
			line = append(line, Cell{Text: series.Effective.String()})
			if ranked {
				line = append(line, numberCell(mrr(series.Name), Number.rank))
			}
		}
		line = append(line, lists.Map(costs, func(m metric) Cell { return s.costCell(t, p, series.Name, m) })...)
		out.add(append(line, Cell{Text: human.Millions(series.Parameters)})...)
	}
	return out
}

// nameCell is a series' name behind the shape of its encoding.
func nameCell(name string, encoding int) []Cell {
	return []Cell{{Text: name, Words: true, Shape: 1 + encoding}}
}

// tradeoff sets accuracy beyond the trained lengths against the time of a step.
func (s *Study) tradeoff(t *Task, p Place) Table {
	out := Table{Title: fmt.Sprintf("accuracy against cost on %s, %s", t.Name, p.Name), Head: []string{"encoding",
		fmt.Sprintf("median decode step at length %s, ms", p.Common.Label()), label(s.Measure) + " beyond, %"}}
	for _, series := range t.byResult() {
		if common := p.costsOf(t, series.Name).Common; common.Length.Max > 0 {
			out.add(append(nameCell(series.Name, series.Encoding), shortCell(common.Values[DecodeCost]), percentCell(series.Score))...)
		}
	}
	return out
}

// rankTable has the mean reciprocal ranks, over all tasks and on each, and the published ones if there are any.
func (s *Study) rankTable() Table {
	published := slices.ContainsFunc(s.Ranks, func(r rank) bool { return r.Published.Known() })
	out := Table{Title: fmt.Sprintf("mean reciprocal rank by %s beyond the trained lengths, over all runs of all tasks, 1 for always best; %s",
		label(s.Measure), weightsText(s.Weighting)), Head: []string{"encoding", "MRR"}}
	if published {
		out.Head = append(out.Head, "paper’s tie rule", "published MRR")
	}
	tasks := s.rankedTasks()
	out.Head = append(append(out.Head, "mean beyond, %", "runs"), lists.Map(tasks, func(i int) string { return s.Tasks[i].Name })...)
	for _, r := range s.Ranks {
		line := append(nameCell(r.Name, r.Encoding), numberCell(r.MRR, Number.rank))
		for _, t := range s.Scored {
			if slices.Contains(t.unfit(), r.Name) {
				line[0].Mark = unfitMark
			}
		}
		if published {
			line = append(line, numberCell(r.PaperTies, Number.rank), numberCell(r.Published, Number.rank))
		}
		line = append(line, numberCell(r.Mean, Number.percent), Cell{Text: strconv.Itoa(r.Runs)})
		out.add(append(line, lists.Map(tasks, func(i int) Cell { return numberCell(r.Tasks[i], Number.rank) })...)...)
	}
	for _, t := range s.Scored {
		if t.AtChance {
			out.Notes = append(out.Notes, "not ranked where no encoding is above chance: "+t.Name)
		}
		if unfit := t.unfit(); len(unfit) > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("%s on %s no run fitted: %s", unfitMark, t.Name, join(unfit)))
		}
	}
	return out
}

// rankedTasks are the tasks with ranks, by index, if there are several.
func (s *Study) rankedTasks() []int {
	var out []int
	for i := range s.Tasks {
		if slices.ContainsFunc(s.Ranks, func(r rank) bool { return r.Tasks[i].Known() }) {
			out = append(out, i)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// heatMap has a line for each task and a column for each series.
func (s *Study) heatMap() Table {
	series := s.namesOf(s.Encodings)
	tasks := lists.Map(s.Scored, func(t *Task) string {
		if t.AtChance {
			return t.Name + " (at chance)"
		}
		return t.Name
	})
	return grid("mean "+label(s.Measure)+" beyond the trained lengths, in %, the median over runs; what a model cannot take counts as wrong; "+
		unfitMark+" no run fitted", "task", tasks, series, func(i, k int) Cell {
		for _, s := range s.Scored[i].Series {
			if s.Name == series[k] {
				c := Cell{Text: s.Score.Median.percent(), Value: &s.Score}
				if s.Unfit {
					c.Mark = unfitMark
				}
				return c
			}
		}
		return percentCell(unknownSpread)
	})
}
