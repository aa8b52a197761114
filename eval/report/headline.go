package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/study"
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
func (s *Report) Headline(t *study.Task, p study.Place) Table {
	out := Table{Caption: "Headline on " + t.Name, Head: []string{"encoding"}}
	if t.Scored {
		out.Caption += ", by " + s.Measure.Label()
		inside := s.Measure.Label() + " inside, %"
		out.Head = append(out.Head, "trained", inside, "beyond, %", "effective length", "MRR, all tasks")
	}
	if p.Common.Max > 0 {
		out.Caption += fmt.Sprintf("; costs at length %s, %s", p.Common.Label(), p.Name)
		out.Head = append(out.Head, s.costHeads(t, p)...)
	}
	out.Head = append(out.Head, "parameters", "seeds")
	for i, of := range t.Series {
		line := []string{of.Name}
		if t.Scored {
			line = append(line, trainedText(of), of.Inside.Percent(), beyondText(of), of.Effective.String(),
				s.mrr(of.Name))
		}
		if p.Common.Max > 0 {
			line = append(line, s.costCells(t, p, i)...)
		}
		out.Marks = append(out.Marks, of.Encoding)
		out.Lines = append(out.Lines, append(line, study.Millions(of.Parameters), strconv.Itoa(len(of.Seeds))))
	}
	return out
}

func trainedText(s study.Series) string {
	if s.Trained[1] == 0 {
		return "never"
	}
	return fmt.Sprintf("%d–%d", s.Trained[0], s.Trained[1])
}

func beyondText(s study.Series) string {
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
func (s *Report) Accuracy(t *study.Task) Table {
	out := Table{Head: []string{"length"}, Caption: fmt.Sprintf(
		"Accuracy on %s by length: %s in %%, with intervals; * length seen in training", t.Name, s.Measure.Label())}
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

// Costs has a line per length and series.
func (s *Report) Costs(t *study.Task, p study.Place) Table {
	out := Table{Caption: fmt.Sprintf("Costs on %s, %s", t.Name, p.Name),
		Head: []string{"length", "encoding"}, Prose: []int{1}}
	metrics := study.Metrics()
	if token := p.Charts[study.PerToken().Key]; len(token.Lines) > 0 {
		metrics = append(metrics, study.PerToken())
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
func (s *Report) Tradeoff(t *study.Task, p study.Place) Table {
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

// RankTable is the mean reciprocal ranks, ours and the paper's.
func (s *Report) RankTable() Table {
	by := s.Measure.Label()
	out := Table{
		Caption: fmt.Sprintf("Mean reciprocal rank by %s over every task and training seed, 1 for always best; %s",
			by, s.Weighting),
		Head: []string{"encoding", "MRR", "paper’s tie rule", "published MRR", "mean " + by + " beyond, %", "rankings"},
	}
	for _, r := range s.Ranks {
		out.Lines = append(out.Lines, []string{r.Name, ranked3(r.MRR), ranked3(r.PaperTies), ranked3(r.Published),
			r.Mean.Percent(), strconv.Itoa(r.Contests)})
	}
	return out
}

// ranked3 gives a reciprocal rank as the paper does.
func ranked3(n study.Number) string {
	if !n.Known() {
		return "–"
	}
	return strconv.FormatFloat(float64(n), 'f', 3, 64)
}

// taskLabel is a task's name, marked if it is not ranked.
func taskLabel(t *study.Task) string {
	if t.AtChance {
		return t.Name + " (at chance)"
	}
	return t.Name
}

// HeatMap has a line per task and a column per series.
func (s *Report) HeatMap() Table {
	out := Table{Head: append([]string{"task"}, s.Names()...), Caption: "Mean of " + s.Measure.Label() +
		" beyond the trained lengths, in %; what a model cannot take counts as wrong"}
	for _, t := range s.Scored() {
		line := []string{taskLabel(t)}
		for _, name := range s.Names() {
			line = append(line, t.ScoreOf(name).Percent())
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// PublishedTable sets our accuracies beside the published ones.
func (s *Report) PublishedTable() Table {
	out := Table{Caption: "Exact match beyond the trained lengths, beside " + study.PublishedSource, Prose: []int{1, 6},
		Head: []string{"task", "encoding", "here, %", "published, %", "difference, points",
			"published at all lengths, %",
			"what differs in the setup"}}
	for _, c := range s.Published {
		out.Lines = append(out.Lines, []string{c.Task, c.Name, c.Ours.Percent(), c.Published.Percent(),
			signed(c.Difference), c.All.Percent(), c.Setup})
	}
	return out
}

// signed gives a difference of ratios in points: "+1.2", "−0.4".
func signed(n study.Number) string {
	if !n.Known() {
		return "–"
	}
	text := strconv.FormatFloat(100*float64(n), 'f', 1, 64)
	switch {
	case text == "-0.0" || text == "0.0":
		return "0.0"
	case text[0] == '-':
		return "−" + text[1:]
	}
	return "+" + text
}

// costHeads name the costs in a headline.
func (s *Report) costHeads(t *study.Task, p study.Place) []string {
	var out []string
	for _, m := range study.HeadlineMetrics() {
		head := strings.ToLower(m.Label) + ", " + m.Unit
		if slices.ContainsFunc(p.Series, func(c study.CostSeries) bool { return s.Relative(t, p, c, m).Known() }) {
			head += " (×\u00a0" + s.Baseline + ")"
		}
		out = append(out, head)
	}
	return out
}

// costCells are the costs of one of a task's series in a headline: "0.412 (1.06×)".
func (s *Report) costCells(t *study.Task, p study.Place, series int) []string {
	c := study.CostSeries{Series: series}
	if i := slices.IndexFunc(p.Series, func(c study.CostSeries) bool { return c.Series == series }); i >= 0 {
		c = p.Series[i]
	}
	return study.Each(study.HeadlineMetrics(), func(m study.Metric) string {
		cell := m.Of(c.At(p.Common)).Mean.Short()
		if times := s.Relative(t, p, c, m); times.Known() {
			cell += " (" + times.Times() + ")"
		}
		return cell
	})
}
