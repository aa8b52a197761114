package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// mostNamed is how many names a list in a sentence has.
const mostNamed = 3

// summarize says in one sentence who goes furthest, to what length, and who is not told apart from the best: two series are
// told apart at a length where every run of one is above every run of the other; a single run counts with the 95 % interval of
// its prompts. Series of which no run fitted are named last and not compared, unless there are no others.
func (t *Task) summarize(by string) string {
	unfit := slices.DeleteFunc(slices.Clone(t.Series), Series.mayHaveFitted)
	of := slices.DeleteFunc(slices.Clone(t.Series), func(s Series) bool { return !s.mayHaveFitted() })
	if len(of) == 0 {
		of, unfit = unfit, nil
	}
	slices.SortStableFunc(of, func(a, b Series) int {
		return cmp.Or(b.Effective.Length.Compare(a.Effective.Length), cmp.Compare(b.Score.Median, a.Score.Median))
	})
	parts := []string{t.furthest(of, by)}
	var alike []string
	for _, s := range of[1:] {
		if !slices.ContainsFunc(s.Points, func(p point) bool {
			return of[0].value(of[0].Points[slices.Index(t.Lengths, p.Length)]).apart(s.value(p))
		}) {
			alike = append(alike, s.Name)
		}
	}
	if len(alike) > 0 {
		parts = append(parts, fmt.Sprintf("not told apart from %s: %s", of[0].Name, few(alike)))
	}
	if t.AtChance {
		parts = append(parts, "all are at chance beyond the trained lengths")
	}
	if len(unfit) > 0 {
		parts = append(parts, "not fitted: "+few(each(unfit, func(s Series) string { return s.Name })))
	}
	how := runsEach(of)
	if t.Trained[1] > 0 {
		how = fmt.Sprintf("trained on lengths %d to %d, %s", t.Trained[0], t.Trained[1], how)
	}
	return fmt.Sprintf("On %s, %s; %s.", t.Name, strings.Join(parts, "; "), how)
}

// mayHaveFitted reports whether some run that counts is not known to have failed to fit.
func (s Series) mayHaveFitted() bool { return !s.Unfit && len(s.Seeds) > 0 }

// furthest says who goes furthest, and to what length; of is ordered.
func (t *Task) furthest(of []Series, by string) string {
	var last task.Span
	for i, length := range t.Lengths {
		if slices.ContainsFunc(of, func(s Series) bool { return s.Points[i].N > 0 }) {
			last = length
		}
	}
	percent := fmt.Sprintf("%.0f %% %s", 100*eval.EffectiveAccuracy, label(by))
	length := of[0].Effective.Length
	switch length {
	case task.Span{}:
		if last == length {
			return "nothing could be measured"
		}
		return "none has " + percent + " at the shortest length"
	}
	leaders := slices.DeleteFunc(slices.Clone(of), func(s Series) bool { return s.Effective.Length != length })
	who := few(each(leaders, func(s Series) string { return s.Name }))
	switch {
	case len(of) == 1:
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
	return fmt.Sprintf("%s to %s%s at ≥ %s", who, length.Label(), longest, percent)
}

// runsEach says how many runs series have: "3 runs each", "1 to 3 runs each".
func runsEach(of []Series) string {
	runs := each(of, func(s Series) int { return len(s.Seeds) })
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
