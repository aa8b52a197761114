package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// finding says what series of a task are worth, all by one measure.
type finding struct {
	task    *Task
	of      []Series
	by      string      // the measure
	tells   string      // the same with a verb
	lengths []task.Span // at which any was measured, ascending
	all     string      // what to call them together
}

// finding says in a sentence, without its full stop, what series are worth: how far each
// goes on with exact match (or tokens right, if that is their measure) of
// eval.EffectiveAccuracy, the furthest first; from where on all are at 0 %, and whom
// tokens right tell apart there; whether they are at chance; and whether they are told
// apart at all. They are told apart at a length where every run of one is above every run of
// the other; a single run counts with the 95 % interval of its prompts. Those that did not
// fit are named last, with how far they go nevertheless, and not compared.
func (t *Task) finding(all []Series) string {
	of, unfit := fitting(all)
	f := finding{task: t, of: of, by: of[0].measure.Label(), tells: "exact match tells", all: "all"}
	if len(of) < len(all) {
		f.all = "all others"
		if !slices.ContainsFunc(of, func(s Series) bool { return s.Fit.Fitted == 0 }) {
			f.all = "all that fitted"
		}
	}
	if of[0].measure == Tokens {
		f.tells = "tokens right tell"
	}
	for i, length := range t.Lengths {
		if slices.ContainsFunc(of, func(s Series) bool { return s.Points[i].N > 0 }) {
			f.lengths = append(f.lengths, length)
		}
	}
	switch {
	case len(f.lengths) > 0:
	case unfit != "": // and no others
		return unfit
	default:
		return "nothing could be measured"
	}
	from := f.zeroFrom()
	var parts []string
	if from > 0 {
		reach, furthest := f.reach()
		parts = append(parts, reach)
		if apart := f.beyond(furthest); apart != "" {
			parts = append(parts, apart)
		}
	}
	if from < len(f.lengths) {
		parts = append(parts, f.zero(from))
	}
	if chance := f.chance(); chance != "" {
		parts = append(parts, chance)
	}
	if unfit != "" {
		parts = append(parts, unfit)
	}
	return strings.Join(parts, "; ")
}

// fitting parts series of which a run may have fitted from others, and names these, with how
// far they go: one that a single mistake keeps from having fitted may go far. Where no series
// may have fitted, all are returned.
func fitting(all []Series) (of []Series, unfit string) {
	var rest []Series
	for _, s := range all {
		if !s.Fit.None() && len(s.Seeds) > 0 {
			of = append(of, s)
		} else {
			rest = append(rest, s)
		}
	}
	slices.SortStableFunc(rest, func(a, b Series) int { return b.Effective.Length.Compare(a.Effective.Length) })
	var names, unknown []string
	for _, s := range rest {
		if !s.Fit.None() {
			unknown = append(unknown, s.Name)
			continue
		}
		count, reach := "", ""
		if s.Fit.Runs > 1 {
			count = fmt.Sprintf("none of %d runs", s.Fit.Runs)
		}
		if len(of) > 0 && s.Effective.Length != (task.Span{}) {
			reach = "goes on to " + s.Effective.Length.Label()
			if runs := runsOf([]Series{s}); runs != "" {
				reach += ", " + runs
			}
		}
		names = append(names, s.Name+brackets(count, reach))
	}
	var parts []string
	if len(names) > 0 {
		parts = append(parts, "not fitted: "+strings.Join(names, ", "))
	}
	if len(unknown) > 0 {
		parts = append(parts, "not known to have fitted: "+strings.Join(unknown, ", "))
	}
	if len(of) == 0 {
		of = all
	}
	return of, strings.Join(parts, "; ")
}

// value is a series' measure at a length, unknown if it was not measured there.
func (f *finding) value(s Series, length task.Span) Spread {
	return s.Value(s.Points[slices.Index(f.task.Lengths, length)])
}

// mostNamed is how many contenders, or how far they go, are named one by one.
const mostNamed = 3

// reach says how far each goes on, and returns how far the furthest does.
func (f *finding) reach() (sentence string, furthest task.Span) {
	type reached struct {
		length task.Span
		names  []string
		of     []Series
	}
	var groups []reached
	for _, s := range f.of {
		length := s.Effective.Length
		i := slices.IndexFunc(groups, func(g reached) bool { return g.length == length })
		if i < 0 {
			i, groups = len(groups), append(groups, reached{length: length})
		}
		groups[i].names, groups[i].of = append(groups[i].names, s.Name), append(groups[i].of, s)
	}
	slices.SortStableFunc(groups, func(a, b reached) int { return b.length.Compare(a.length) })
	percent := fmt.Sprintf("%.0f %% %s", 100*eval.EffectiveAccuracy, f.by)
	if groups[0].length == (task.Span{}) {
		who := "none stays"
		if len(f.of) == 1 {
			who = f.of[0].Name + " stays nowhere"
		}
		return who + brackets(runsOf(f.of)) + " at ≥ " + percent + f.same(f.of[0].Name, ""), task.Span{}
	}
	named, second := 0, ""
	if len(groups) > 1 {
		second = groups[1].names[0]
	}
	var parts []string
	for i, g := range groups[:min(len(groups), mostNamed+1)] {
		named += len(g.names)
		names := Join(g.names)
		if i > 0 && len(g.names) > mostNamed && named == len(f.of) {
			names = fmt.Sprintf("the other %d", len(g.names))
		}
		switch {
		case i == 0:
			goOn := fmt.Sprintf("%s to %s%s at ≥ %s", f.goOn(g.names), g.length.Label(),
				brackets(f.longest(g.length), runsOf(g.of)), percent)
			parts = append(parts, goOn)
		case g.length == (task.Span{}):
			parts = append(parts, names+" nowhere"+brackets(listOf(g.of)))
		case i == mostNamed && i+1 < len(groups):
			parts = append(parts, fmt.Sprintf("the other %d to %s or less", len(f.of)-named+len(g.names), g.length.Label()))
		default:
			parts = append(parts, fmt.Sprintf("%s to %s%s", names, g.length.Label(), brackets(listOf(g.of))))
		}
	}
	return strings.Join(parts, ", ") + f.same(groups[0].names[0], second), groups[0].length
}

// goOn is who goes on furthest.
func (f *finding) goOn(names []string) string {
	switch len(names) {
	case 1:
		return names[0] + " goes on"
	case len(f.of):
		return f.all + " go on"
	}
	return Join(names) + " go on"
}

// longest says that a length is the last one measured.
func (f *finding) longest(length task.Span) string {
	if length == f.lengths[len(f.lengths)-1] {
		return "the longest measured"
	}
	return ""
}

// runsOf says over what runs a length is a median, or that every one carries as far; "" for
// one run of each.
func runsOf(of []Series) string {
	several := slices.ContainsFunc(of, func(s Series) bool { return len(s.Effective.Runs) > 1 })
	differ := slices.ContainsFunc(of, func(s Series) bool { return s.Effective.differ() })
	switch {
	case !several:
		return ""
	case len(of) == 1 && differ:
		return fmt.Sprintf("median of %d runs: %s", len(of[0].Effective.Runs), of[0].Effective.List())
	case differ:
		return "medians over runs"
	case len(of) == 1:
		return fmt.Sprintf("each of %d runs", len(of[0].Effective.Runs))
	}
	return "every run"
}

// listOf lists the runs of one series, where they differ.
func listOf(of []Series) string {
	if len(of) > 1 || !of[0].Effective.differ() {
		return ""
	}
	return of[0].Effective.List()
}

// brackets puts what is not empty between brackets.
func brackets(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, "; ") + ")"
}

// same says when exact match does not tell contenders apart: none of them, or not
// the two that go furthest.
func (f *finding) same(best, second string) string {
	apart := func(a, b Series) bool {
		return slices.ContainsFunc(f.lengths, func(n task.Span) bool { return f.value(a, n).apart(f.value(b, n)) })
	}
	none, two := len(f.of) > 1, second != ""
	for i, a := range f.of {
		for _, b := range f.of[:i] {
			if apart(a, b) {
				none = false
				two = two && !(a.Name == best && b.Name == second || a.Name == second && b.Name == best)
			}
		}
	}
	switch {
	case none:
		return ": not told apart by " + f.by + " " + f.size()
	case two:
		return fmt.Sprintf("; %s and %s are not told apart %s", best, second, f.size())
	}
	return ""
}

// size says on how much contenders are compared: on runs where any has several, else on the
// prompts of the single ones.
func (f *finding) size() string {
	if runs := runsEach(f.of); runs != "1 run each" {
		return "over " + runs
	}
	var all []int
	for _, s := range f.of {
		for _, p := range s.Points {
			if p.N > 0 {
				all = append(all, p.N)
			}
		}
	}
	return "at n = " + Between(slices.Min(all), slices.Max(all))
}

// runsEach says how many runs series have: "3 runs each", "1 to 3 runs each".
func runsEach(of []Series) string {
	runs := Each(of, func(s Series) int { return len(s.Seeds) })
	text := Between(slices.Min(runs), slices.Max(runs))
	if text == "1" {
		return "1 run each"
	}
	return text + " runs each"
}

// zeroFrom is the index of the length from which on all are at 0 %; that after the
// last for none.
func (f *finding) zeroFrom() int {
	from := len(f.lengths)
	for from > 0 && !slices.ContainsFunc(f.of, func(s Series) bool { return f.value(s, f.lengths[from-1]).most() > 0 }) {
		from--
	}
	return from
}

// zero says that all are at 0 %, and whom tokens right tell apart there.
func (f *finding) zero(from int) string {
	length, text := f.lengths[from], f.all+" are at 0 %"
	if len(f.of) == 1 {
		text = f.of[0].Name + " is at 0 %"
	}
	switch {
	case from == len(f.lengths)-1:
		text = fmt.Sprintf("at %s %s", length.Label(), text)
	case from == 0:
		text += " at every length"
	default:
		text = fmt.Sprintf("from %s on %s", length.Label(), text)
	}
	if tell := f.tokens(length); tell != "" {
		text += ": " + tell
	}
	return text
}

// tokens names those whom tokens right tell apart at a length; nobody where they are the
// measure already.
func (f *finding) tokens(length task.Span) string {
	if f.of[0].measure == Tokens {
		return ""
	}
	at := slices.Index(f.task.Lengths, length)
	names, known := f.above(func(s Series) Spread { return s.Points[at].Token })
	switch {
	case known < 2:
		return ""
	case names == "":
		return "tokens right do not tell them apart " + f.size()
	}
	return "tokens right tell " + names + " apart"
}

// beyond names those whom exact match tells apart at the first length after the
// furthest that any of several goes on to.
func (f *finding) beyond(reach task.Span) string {
	for _, length := range f.lengths {
		if length.Compare(reach) > 0 {
			if names, _ := f.above(func(s Series) Spread { return f.value(s, length) }); names != "" {
				return fmt.Sprintf("at %s %s %s apart", length.Label(), f.tells, names)
			}
		}
	}
	return ""
}

// above names the few whose values lie above those of all others, best first, and
// counts the values.
func (f *finding) above(value func(Series) Spread) (names string, known int) {
	of := slices.DeleteFunc(slices.Clone(f.of), func(s Series) bool { return !value(s).Median.Known() })
	slices.SortStableFunc(of, func(a, b Series) int { return cmp.Compare(value(b).Median, value(a).Median) })
	var list []string
	least := Number(1)
	for i, s := range of {
		if i > 0 {
			most := Number(0)
			for _, other := range of[i:] {
				_, high := value(other).ends()
				most = max(most, high)
			}
			if least > most {
				return Join(list), len(of)
			}
		}
		if i == mostNamed {
			break
		}
		low, _ := value(s).ends()
		least = min(least, low)
		of := ""
		if value(s).Over == OverRuns {
			of = "median "
		}
		list = append(list, fmt.Sprintf("%s (%s%.0f %%)", s.Name, of, 100*value(s).Median))
	}
	return "", len(of)
}

// chance says that guessing would do as well beyond the trained lengths, where
// guessing is worth naming.
func (f *finding) chance() string {
	rankings := f.task.rankings(f.of, ByLengths)
	if f.of[0].measure == Tokens || !atChance(rankings) {
		return "" // no chance is known of tokens
	}
	chance := 0.0
	for _, r := range rankings {
		chance = max(chance, r.chance)
	}
	if chance < 0.01 {
		return ""
	}
	return fmt.Sprintf("at chance (%.0f %%) beyond the trained lengths, hence not ranked", 100*chance)
}

// Between writes a range of numbers: "7 to 100", or one that is no range.
func Between(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// Join writes a list as prose does.
func Join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
