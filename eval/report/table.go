package report

import (
	"fmt"
	"slices"
	"strconv"
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

// Headline is how each series of a task does inside and beyond its trained
// lengths, and its rank over all tasks.
func (s *Study) Headline(t *Task) Table {
	out := Table{Caption: "Headline on " + t.Name,
		Head: []string{"encoding", "trained", "exact match inside, %", "beyond, %", "effective length", "MRR, all tasks", "parameters", "seeds"}}
	for _, of := range t.Series {
		trained := "never"
		if of.Trained[1] > 0 {
			trained = fmt.Sprintf("%d–%d", of.Trained[0], of.Trained[1])
		}
		beyond := of.Beyond.Percent()
		if of.BeyondNA > 0 {
			beyond += fmt.Sprintf(" (%d n/a)", of.BeyondNA)
		}
		out.Marks = append(out.Marks, of.Encoding)
		out.Lines = append(out.Lines, []string{of.Name, trained, of.Inside.Percent(), beyond, of.Effective.String(), s.mrr(of.Name), millions(of.Parameters), strconv.Itoa(len(of.Seeds))})
	}
	return out
}

// mrr is a series' mean reciprocal rank; a dash if it was never ranked.
func (s *Study) mrr(name string) string {
	for _, r := range s.Ranks {
		if r.Name == name {
			return ranked3(r.MRR)
		}
	}
	return "–"
}

// Percent gives a spread of ratios: "15.3 (12.1–18.0)".
func (s Spread) Percent() string {
	if !s.Low.Known() || s.Low == s.High {
		return s.Mean.Percent()
	}
	return fmt.Sprintf("%s (%s–%s)", s.Mean.Percent(), s.Low.Percent(), s.High.Percent())
}

// Short gives a spread of costs.
func (s Spread) Short() string {
	if !s.Low.Known() || s.Low == s.High {
		return s.Mean.Short()
	}
	return fmt.Sprintf("%s (%s–%s)", s.Mean.Short(), s.Low.Short(), s.High.Short())
}

// Accuracy has a line per length and two columns per series.
func (t *Task) Accuracy() Table {
	out := Table{Caption: "Accuracy on " + t.Name + " by length in %, with intervals; tokens: right place by place; * length seen in training", Head: []string{"length"}}
	for _, s := range t.Series {
		out.Head = append(out.Head, s.Name, s.Name+", tokens")
	}
	for i, length := range t.Lengths {
		line := []string{strconv.Itoa(length)}
		for _, s := range t.Series {
			p, mark := s.Points[i], "\u2007" // as wide as a digit: numbers stay aligned
			if s.Trained[0] <= length && length <= s.Trained[1] {
				mark = "*"
			}
			switch {
			case p.NA:
				line = append(line, "n/a"+mark, "n/a"+mark)
			case p.N == 0:
				line = append(line, "–", "–")
			default:
				line = append(line, p.Exact.Percent()+mark, p.Token.Percent()+mark)
			}
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// Costs has a line per length and series.
func (t *Task) Costs(p Place) Table {
	out := Table{Caption: fmt.Sprintf("Costs on %s, %s", t.Name, p.Name), Head: []string{"length", "encoding"}, Prose: []int{1}}
	for _, m := range Metrics() {
		out.Head = append(out.Head, m.Label+", "+m.Unit)
	}
	for _, length := range t.Lengths {
		for _, s := range p.Series {
			at, ok := s.At(length)
			if !ok {
				continue
			}
			line := []string{strconv.Itoa(length), t.Series[s.Series].Name}
			for _, m := range Metrics() {
				line = append(line, m.Of(at).Short())
			}
			out.Lines = append(out.Lines, line)
		}
	}
	return out
}

// Tradeoff has a line per series: what is won for what.
func (t *Task) Tradeoff(p Place) Table {
	out := Table{Caption: fmt.Sprintf("Accuracy against cost on %s, %s", t.Name, p.Name),
		Head: []string{"encoding", fmt.Sprintf("median decode step at length %d, ms", p.Common), "exact match beyond, %"}}
	for _, s := range p.Series {
		if at, ok := s.At(p.Common); ok {
			of := t.Series[s.Series]
			out.Lines = append(out.Lines, []string{of.Name, at.Decode.Short(), of.Score.Percent()})
			out.Marks = append(out.Marks, of.Encoding)
		}
	}
	return out
}

// RankTable is the mean reciprocal ranks, ours and the paper's.
func (s *Study) RankTable() Table {
	out := Table{Caption: "Mean reciprocal rank over (task, training seed); " + s.Weighting,
		Head: []string{"encoding", "MRR", "paper's tie rule", "published MRR", "mean exact match beyond, %", "rankings"}}
	for _, r := range s.Ranks {
		out.Lines = append(out.Lines, []string{r.Name, ranked3(r.MRR), ranked3(r.PaperTies), ranked3(r.Published), r.Mean.Percent(), strconv.Itoa(r.Contests)})
	}
	return out
}

// ranked3 gives a reciprocal rank as the paper does.
func ranked3(n Number) string {
	if !n.Known() {
		return "–"
	}
	return strconv.FormatFloat(float64(n), 'f', 3, 64)
}

// Names lists all series of the study, in the order of Encodings.
func (s *Study) Names() []string {
	var out []string
	for i := range s.Encodings {
		for _, t := range s.Tasks {
			for _, of := range t.Series {
				if of.Encoding == i && !slices.Contains(out, of.Name) {
					out = append(out, of.Name)
				}
			}
		}
	}
	return out
}

// scored lists the tasks that have accuracies.
func (s *Study) scored() []*Task {
	return slices.DeleteFunc(slices.Clone(s.Tasks), func(t *Task) bool { return !t.Scored })
}

// Label is the task's name, marked if it is not ranked.
func (t *Task) Label() string {
	if t.AtChance {
		return t.Name + " (at chance)"
	}
	return t.Name
}

// HeatMap has a line per task and a column per series.
func (s *Study) HeatMap() Table {
	out := Table{Caption: "Mean exact match beyond the trained lengths, in %; what a model cannot take counts as wrong", Head: append([]string{"task"}, s.Names()...)}
	for _, t := range s.scored() {
		line := []string{t.Label()}
		for _, name := range s.Names() {
			line = append(line, t.score(name).Percent())
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// PublishedTable sets our accuracies beside the published ones.
func (s *Study) PublishedTable() Table {
	out := Table{Caption: "Exact match beyond the trained lengths, beside " + PublishedSource, Prose: []int{1, 6},
		Head: []string{"task", "encoding", "here, %", "published, %", "difference, points", "published at all lengths, %", "what differs in the setup"}}
	for _, c := range s.Published {
		out.Lines = append(out.Lines, []string{c.Task, c.Name, c.Ours.Percent(), c.Published.Percent(), signed(c.Difference), c.All.Percent(), c.Setup})
	}
	return out
}

// signed gives a difference of ratios in points: "+1.2", "−0.4".
func signed(n Number) string {
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
