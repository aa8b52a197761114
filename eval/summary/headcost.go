package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
)

// HeadlineMetrics are the costs that stand in headlines.
func HeadlineMetrics() []Metric {
	return slices.DeleteFunc(Metrics(), func(m Metric) bool { return m.sentence == "" })
}

// CostAnswer says in a sentence what a task costs at a place; "" where nothing was
// decoded.
func (s *Study) CostAnswer(t *Task, p Place) string {
	var parts []string
	for _, m := range HeadlineMetrics() {
		if cost := s.costOf(t, p, m); cost != "" {
			parts = append(parts, m.sentence+" "+cost)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("At length %s, %s (%s).", p.Common.Label(), strings.Join(parts, "; "), p.Name)
}

// named is a cost of a series, or what it is times the baseline's.
type named struct {
	name  string
	value Number
}

// costOf is a cost of the baseline and the least and most of the others relative to
// it, as far as their spreads lie apart from its; where there is no one baseline the
// least and the most.
func (s *Study) costOf(t *Task, p Place, m Metric) string {
	var base, costs, times []named
	var near []string
	var own Spread
	isBase := func(c CostSeries) bool { return s.Encodings[t.Series[c.Series].Encoding] == s.Baseline }
	for _, c := range p.Series {
		if at := c.At(p.Common); at.Length != (task.Span{}) && isBase(c) {
			own = m.Of(at)
		}
	}
	for _, c := range p.Series {
		at := m.Of(c.At(p.Common))
		cost := named{t.Series[c.Series].Name, at.Median}
		switch {
		case !at.Median.Known():
			continue
		case isBase(c):
			base = append(base, cost)
		case own.overlaps(at):
			near = append(near, cost.name)
		default:
			times = append(times, named{cost.name, s.Relative(t, p, c, m)})
		}
		costs = append(costs, cost)
	}
	absolute := func(n Number) string { return n.Short() + " " + m.Unit }
	if len(base) != 1 {
		return extremes(costs, absolute, "all")
	}
	text := extremes(base, absolute, "")
	if len(times) > 0 {
		text += ", " + extremes(times, Number.Times, "all others")
	}
	const mostNamed = 3
	switch {
	case len(near) > mostNamed:
		text += fmt.Sprintf(" (the other %d are not told apart)", len(near))
	case len(near) > 1:
		text += fmt.Sprintf(" (%s are not told apart)", Join(near))
	case len(near) == 1:
		text += fmt.Sprintf(" (%s is not told apart)", near[0])
	}
	return text
}

// extremes gives the least and the most of a list; "" for none. All is how to call
// them if they are the same.
func extremes(list []named, show func(Number) string, all string) string {
	if len(list) == 0 {
		return ""
	}
	by := func(a, b named) int { return cmp.Compare(a.value, b.value) }
	least, most := slices.MinFunc(list, by), slices.MaxFunc(list, by)
	switch low, high := show(least.value), show(most.value); {
	case len(list) == 1:
		return low + " with " + least.name
	case low == high:
		return low + " with " + all
	default:
		return fmt.Sprintf("%s with %s to %s with %s", low, least.name, high, most.name)
	}
}
