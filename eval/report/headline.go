package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/summary"
)

// Table is the numbers behind a chart, or a headline. The first column names the
// line; the others are numbers unless Prose says otherwise.
type Table struct {
	Caption string
	Head    []string
	Lines   [][]string
	Prose   []int // columns of words
	Marks   []int // encodings whose shapes stand before the lines' names; nil for none
}

// IsProse reports whether a column holds words.
func (t Table) IsProse(column int) bool { return column == 0 || slices.Contains(t.Prose, column) }

// Headline is how each series of a task does inside and beyond its trained lengths,
// its rank over all tasks, and what it costs at a place, also relative to the
// baseline. Speed alone has no accuracy; a place of none has no costs.
func (s *Report) Headline(t *summary.Task, p summary.Place) Table {
	out := Table{Caption: "Headline on " + t.Name, Head: []string{"encoding", "runs"}, Prose: []int{1}}
	if t.Scored {
		out.Caption += ", by " + s.Measure.Label()
		inside := s.Measure.Label() + " inside, %"
		out.Head = append(out.Head, "trained", inside, "beyond, %", "each run beyond, %", "effective length", "MRR, all tasks")
	}
	if p.Common.Max > 0 {
		out.Caption += fmt.Sprintf("; costs at length %s, %s", p.Common.Label(), p.Name)
		out.Head = append(out.Head, s.costHeads(t, p)...)
	}
	out.Head = append(out.Head, "parameters")
	for i, of := range t.Series {
		line := []string{of.Name, of.Fit.String()}
		if t.Scored {
			line = append(line, trainedText(of), of.Inside.Percent(), beyondText(of),
				cmp.Or(of.Beyond.PercentRuns(), "–"), of.Effective.String(),
				s.mrr(of.Name))
		}
		if p.Common.Max > 0 {
			line = append(line, s.costCells(t, p, i)...)
		}
		out.Marks = append(out.Marks, of.Encoding)
		out.Lines = append(out.Lines, append(line, summary.Millions(of.Parameters)))
	}
	return out
}

func trainedText(s summary.Series) string {
	if s.Trained[1] == 0 {
		return "never"
	}
	return fmt.Sprintf("%d–%d", s.Trained[0], s.Trained[1])
}

func beyondText(s summary.Series) string {
	if s.BeyondNA > 0 {
		return fmt.Sprintf("%s (%d n/a)", s.Beyond.Percent(), s.BeyondNA)
	}
	return s.Beyond.Percent()
}

// mrr is a series' mean reciprocal rank; a dash if it was never ranked.
func (s *Report) mrr(name string) string {
	for _, r := range s.Ranks {
		if r.Name == name {
			return ranked3(r.MRR)
		}
	}
	return "–"
}

// Accuracy has a line per length and a column per series.
func (s *Report) Accuracy(t *summary.Task) Table {
	out := Table{Head: []string{"length"}, Caption: fmt.Sprintf(
		"Accuracy on %s by length: %s in %%, %s; * length seen in training", t.Name, s.Measure.Label(), intervals(t.Series))}
	for _, s := range t.Series {
		out.Head = append(out.Head, s.Name)
	}
	for i, length := range t.Lengths {
		line := []string{length.Label()}
		for _, s := range t.Series {
			p, mark := s.Points[i], "\u2007" // as wide as a digit: numbers stay aligned
			if s.Saw(length) {
				mark = "*"
			}
			switch {
			case p.NA:
				line = append(line, "n/a"+mark)
			case p.N == 0:
				line = append(line, "–")
			default:
				line = append(line, s.Value(p).Percent()+mark)
			}
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// intervals says what the intervals of some series are about.
func intervals(of []summary.Series) string {
	kinds := map[summary.Over]bool{}
	for _, s := range of {
		for _, p := range s.Points {
			kinds[p.Exact.Over] = true
		}
	}
	const runs, prompts = "median of the runs (quartiles)", "1 run [95 % interval over its prompts]"
	switch {
	case kinds[summary.OverRuns] && kinds[summary.OverPrompts]:
		return runs + ", or " + prompts
	case kinds[summary.OverRuns]:
		return runs
	}
	return prompts
}

// EveryRun has a line per length and a column per series, with each run's value; no lines
// where no series has several.
func (s *Report) EveryRun(t *summary.Task) Table {
	out := Table{Head: []string{"length"}, Caption: fmt.Sprintf("Every run on %s by length: %s in %%", t.Name, s.Measure.Label())}
	several := slices.DeleteFunc(slices.Clone(t.Series), func(s summary.Series) bool { return len(s.Seeds) < 2 })
	if len(several) == 0 {
		return out
	}
	for _, s := range several {
		out.Head = append(out.Head, s.Name)
	}
	for i, length := range t.Lengths {
		line := []string{length.Label()}
		for _, s := range several {
			line = append(line, cmp.Or(s.Value(s.Points[i]).PercentRuns(), "–"))
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// Costs has a line per length and series.
func (s *Report) Costs(t *summary.Task, p summary.Place) Table {
	out := Table{Caption: fmt.Sprintf("Costs on %s, %s", t.Name, p.Name),
		Head: []string{"length", "encoding"}, Prose: []int{1}}
	metrics := summary.Metrics()
	if token := costChart(p, summary.PerToken()); len(token.Lines) > 0 {
		metrics = append(metrics, summary.PerToken())
		if len(token.Limits) > 0 {
			metrics = append(metrics, p.Roofline())
		}
	}
	for _, m := range metrics {
		out.Head = append(out.Head, m.Label+", "+m.Unit)
	}
	for _, length := range t.Lengths {
		for _, s := range p.Series {
			at := s.At(length)
			if at.Length.Max == 0 {
				continue
			}
			line := []string{length.Label(), t.Series[s.Series].Name}
			for _, m := range metrics {
				line = append(line, m.Of(at).Short())
			}
			out.Lines = append(out.Lines, line)
		}
	}
	return out
}

// Tradeoff has a line per series: what is won for what.
func (s *Report) Tradeoff(t *summary.Task, p summary.Place) Table {
	step := fmt.Sprintf("median decode step at length %s, ms", p.Common.Label())
	out := Table{Caption: fmt.Sprintf("Accuracy against cost on %s, %s", t.Name, p.Name),
		Head: []string{"encoding", step, s.Measure.Label() + " beyond, %"}}
	for _, s := range p.Series {
		if at := s.At(p.Common); at.Length.Max > 0 {
			of := t.Series[s.Series]
			out.Lines = append(out.Lines, []string{of.Name, at.Decode.Short(), of.Score.Percent()})
			out.Marks = append(out.Marks, of.Encoding)
		}
	}
	return out
}

// costHeads name the costs in a headline.
func (s *Report) costHeads(t *summary.Task, p summary.Place) []string {
	var out []string
	for _, m := range headlineMetrics() {
		head := strings.ToLower(m.Label) + ", " + m.Unit
		if slices.ContainsFunc(p.Series, func(c summary.CostSeries) bool { return s.Relative(t, p, c, m).Known() }) {
			head += " (×\u00a0" + s.Baseline + ")"
		}
		out = append(out, head)
	}
	return out
}

// costCells are the costs of one of a task's series in a headline: "0.412 (1.06×)".
func (s *Report) costCells(t *summary.Task, p summary.Place, series int) []string {
	c := summary.CostSeries{Series: series}
	if i := slices.IndexFunc(p.Series, func(c summary.CostSeries) bool { return c.Series == series }); i >= 0 {
		c = p.Series[i]
	}
	return summary.Each(headlineMetrics(), func(m summary.Metric) string {
		cell := m.Of(c.At(p.Common)).Median.Short()
		if times := s.Relative(t, p, c, m); times.Known() {
			cell += " (" + times.Times() + ")"
		}
		return cell
	})
}

func headlineMetrics() []summary.Metric {
	return slices.DeleteFunc(summary.Metrics(), func(m summary.Metric) bool { return !m.Headline })
}
