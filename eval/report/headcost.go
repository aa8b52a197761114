package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval"
)

// headlineMetrics are the costs that stand in headlines.
func headlineMetrics() []Metric {
	return slices.DeleteFunc(Metrics(), func(m Metric) bool { return m.sentence == "" })
}

// CostAnswer says in a sentence what a task costs at a place; "" where nothing was
// decoded.
func (s *Study) CostAnswer(t *Task, p Place) string {
	var parts []string
	for _, m := range headlineMetrics() {
		if cost := s.costOf(t, p, m); cost != "" {
			parts = append(parts, m.sentence+" "+cost)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("At length %d, %s (%s).", p.Common, strings.Join(parts, "; "), p.Name)
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
	for _, c := range p.Series {
		if at, ok := c.At(p.Common); ok && s.Encodings[t.Series[c.Series].Encoding].Name == s.Baseline {
			own = m.Of(at)
		}
	}
	for _, c := range p.Series {
		at, ok := c.At(p.Common)
		cost := named{t.Series[c.Series].Name, m.Of(at).Mean}
		switch {
		case !ok || !cost.value.Known():
			continue
		case s.Encodings[t.Series[c.Series].Encoding].Name == s.Baseline:
			base = append(base, cost)
		case own.overlaps(m.Of(at)):
			near = append(near, cost.name)
		default:
			times = append(times, named{cost.name, s.relative(t, p, c, m)})
		}
		costs = append(costs, cost)
	}
	absolute := func(n Number) string { return n.Short() + " " + m.Unit }
	if len(base) != 1 {
		return extremes(costs, absolute, "all")
	}
	text := extremes(base, absolute, "")
	if len(times) > 0 {
		text += ", " + extremes(times, Number.times, "all others")
	}
	const mostNamed = 3
	switch {
	case len(near) > mostNamed:
		text += fmt.Sprintf(" (the other %d are not told apart)", len(near))
	case len(near) > 1:
		text += fmt.Sprintf(" (%s are not told apart)", eval.Join(near))
	case len(near) == 1:
		text += fmt.Sprintf(" (%s is not told apart)", near[0])
	}
	return text
}

// overlaps reports whether two spreads have a value in common; without a spread
// nothing is known.
func (s Spread) overlaps(o Spread) bool { return s.Low <= o.High && o.Low <= s.High }

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

// times writes a factor: "1.06×", or a dash.
func (n Number) times() string {
	if !n.Known() {
		return "–"
	}
	return strconv.FormatFloat(float64(n), 'f', 2, 64) + "×"
}

// costHeads name the costs in a headline.
func (s *Study) costHeads(t *Task, p Place) []string {
	var out []string
	for _, m := range headlineMetrics() {
		head := strings.ToLower(m.Label) + ", " + m.Unit
		if slices.ContainsFunc(p.Series, func(c CostSeries) bool { return s.relative(t, p, c, m).Known() }) {
			head += " (×\u00a0" + s.Baseline + ")"
		}
		out = append(out, head)
	}
	return out
}

// costCells are the costs of one of a task's series in a headline: "0.412 (1.06×)".
func (s *Study) costCells(t *Task, p Place, series int) []string {
	c := CostSeries{Series: series}
	if i := slices.IndexFunc(p.Series, func(c CostSeries) bool { return c.Series == series }); i >= 0 {
		c = p.Series[i]
	}
	at, ok := c.At(p.Common)
	return each(headlineMetrics(), func(m Metric) string {
		if !ok {
			return "–"
		}
		cell := m.Of(at).Mean.Short()
		if times := s.relative(t, p, c, m); times.Known() {
			cell += " (" + times.times() + ")"
		}
		return cell
	})
}
