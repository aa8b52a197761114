package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// mostNamed is how many names a list in a sentence has.
const mostNamed = 3

// nothing is said where no length could be measured.
const nothing = "nothing could be measured"

// summarize says in one sentence who goes furthest, to what length, and who, though not as far, is not told apart from the best:
// two series are told apart at a length where every run of one is above every run of the other; a single run counts with the 95 %
// interval of its prompts.
func (t *Task) summarize(by string) string {
	ordered := slices.DeleteFunc(t.byResult(), func(s Series) bool { return len(s.runs) == 0 })
	if len(ordered) == 0 {
		return fmt.Sprintf("On %s, %s.", t.Name, nothing)
	}
	parts := t.furthest(ordered, by)
	if t.AtChance && parts[0] != nothing {
		parts = append(parts, "all are at chance beyond the trained lengths")
	}
	how := runsEach(ordered)
	if t.Trained[1] > 0 {
		how = fmt.Sprintf("trained on lengths %d to %d, %s", t.Trained[0], t.Trained[1], how)
	}
	parts = append(parts, how)
	if slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(part, unfitMark) }) {
		parts = append(parts, unfitMark+" no run fitted")
	}
	return fmt.Sprintf("On %s, %s.", t.Name, strings.Join(parts, "; "))
}

// marked is the series' name, with a mark where no run fitted.
func (s Series) marked() string {
	if s.Unfit {
		return s.Name + " " + unfitMark
	}
	return s.Name
}

// furthest says who goes furthest, to what length, and who is not told apart from the first of them; series are ordered.
func (t *Task) furthest(ordered []Series, by string) []string {
	var last task.Span
	for i, length := range t.Lengths {
		if slices.ContainsFunc(ordered, func(s Series) bool { return s.Points[i].N > 0 }) {
			last = length
		}
	}
	if last == (task.Span{}) {
		return []string{nothing}
	}
	percent := fmt.Sprintf("%.0f %% %s", 100*eval.EffectiveAccuracy, label(by))
	best := ordered[0]
	length := best.Effective.Length
	if length == (task.Span{}) {
		return []string{"none has " + percent + " at the shortest length"}
	}
	var leaders, alike []string
	for _, s := range ordered {
		if s.Effective.Length == length {
			leaders = append(leaders, s.marked())
			continue
		}
		if !slices.ContainsFunc(t.Lengths, func(n task.Span) bool {
			i := slices.Index(t.Lengths, n)
			return best.value(best.Points[i]).apart(s.value(s.Points[i]))
		}) {
			alike = append(alike, s.marked())
		}
	}
	who := few(leaders)
	switch {
	case len(ordered) == 1:
		who += " goes"
	case len(leaders) == 1:
		who += " goes furthest,"
	default:
		who += " go furthest,"
	}
	longest := ""
	if length == last {
		longest = " (the longest measured)"
	}
	parts := []string{fmt.Sprintf("%s to %s%s at ≥ %s", who, length.Label(), longest, percent)}
	if len(alike) > 0 {
		parts = append(parts, fmt.Sprintf("not told apart from %s, though not as far: %s", best.Name, few(alike)))
	}
	return parts
}

// runsEach says how many runs series have: "3 runs each", "1 to 3 runs each".
func runsEach(series []Series) string {
	runs := lists.Map(series, func(s Series) int { return len(s.runs) })
	text := between(slices.Min(runs), slices.Max(runs))
	if text == "1" {
		return "1 run each"
	}
	return text + " runs each"
}

// few names the first of a list, and how many others there are.
func few(names []string) string {
	if others := len(names) - mostNamed; others > 1 {
		names = append(names[:mostNamed:mostNamed], fmt.Sprintf("%d others", others))
	}
	return join(names)
}

// join writes a list as prose does.
func join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// between writes a range of numbers: "7 to 100", or one that is no range.
func between(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}
