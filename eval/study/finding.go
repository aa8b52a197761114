package study

import (
	"cmp"
	"fmt"

	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
)

// Contender is one model or encoding on a task, for Finding.
type Contender struct {
	Name    string
	Trained [2]int // shortest and longest length seen in training
	Exact   map[int]Cell
	Tokens  map[int]Cell // by tokens right (Cell.ByTokens), at the same lengths
}

// Finding says in a sentence, without its full stop, what contenders are worth on a
// task: how far each goes on with exact match of eval.EffectiveAccuracy, the furthest first;
// from where on all are at 0 %, and whom tokens right tell apart there; whether they
// are at chance; and whether they are told apart at all. They are told apart at a
// length where their 95 % intervals do not overlap.
func Finding(of []Contender) string {
	return finding{of: of, by: "exact match", tells: "exact match tells"}.sentence()
}

// FindingByTokens says the same by tokens right, for which no chance is known.
func FindingByTokens(of []Contender) string {
	of = slices.Clone(of)
	for i := range of {
		of[i].Exact, of[i].Tokens = of[i].Tokens, nil
	}
	return finding{of: of, by: "tokens right", tells: "tokens right tell"}.sentence()
}

func (f finding) sentence() string {
	for _, c := range f.of {
		for length, at := range c.Exact {
			if at.N > 0 && !slices.Contains(f.lengths, length) {
				f.lengths = append(f.lengths, length)
			}
		}
	}
	if slices.Sort(f.lengths); len(f.lengths) == 0 {
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
	return strings.Join(parts, "; ")
}

type finding struct {
	of      []Contender
	by      string // what Exact is of
	tells   string // the same with a verb
	lengths []int  // at which any was measured, ascending
}

// mostNamed is how many contenders, or how far they go, are named one by one.
const mostNamed = 3

// reach says how far each goes on, and returns how far the furthest does.
func (f *finding) reach() (sentence string, furthest int) {
	type reached struct {
		length int
		names  []string
	}
	var groups []reached
	for _, c := range f.of {
		length, _ := eval.EffectiveLength(f.lengths, func(n int) (float64, bool) { return c.Exact[n].Accuracy, c.Exact[n].N > 0 })
		i := slices.IndexFunc(groups, func(g reached) bool { return g.length == length })
		if i < 0 {
			i, groups = len(groups), append(groups, reached{length: length})
		}
		groups[i].names = append(groups[i].names, c.Name)
	}
	slices.SortStableFunc(groups, func(a, b reached) int { return cmp.Compare(b.length, a.length) })
	percent := fmt.Sprintf("%.0f %% %s", 100*eval.EffectiveAccuracy, f.by)
	if groups[0].length == 0 {
		who := "none stays"
		if len(f.of) == 1 {
			who = f.of[0].Name + " stays nowhere"
		}
		return who + " at ≥ " + percent + f.same(f.of[0].Name, ""), 0
	}
	named := 0
	var parts []string
	for i, g := range groups {
		named += len(g.names)
		names := Join(g.names)
		if i > 0 && len(g.names) > mostNamed && named == len(f.of) {
			names = fmt.Sprintf("the other %d", len(g.names))
		}
		switch {
		case i == 0:
			parts = append(parts, fmt.Sprintf("%s to %d%s at ≥ %s", f.goOn(g.names), g.length, f.longest(g.length), percent))
		case g.length == 0:
			parts = append(parts, names+" nowhere")
		case i == mostNamed && i+1 < len(groups):
			rest := len(f.of) - named + len(g.names)
			return strings.Join(append(parts, fmt.Sprintf("the other %d to %d or less", rest, g.length)), ", ") + f.same(groups[0].names[0], groups[1].names[0]), groups[0].length
		default:
			parts = append(parts, fmt.Sprintf("%s to %d", names, g.length))
		}
	}
	second := ""
	if len(groups) > 1 {
		second = groups[1].names[0]
	}
	return strings.Join(parts, ", ") + f.same(groups[0].names[0], second), groups[0].length
}

// goOn is who goes on furthest.
func (f *finding) goOn(names []string) string {
	switch len(names) {
	case 1:
		return names[0] + " goes on"
	case len(f.of):
		return "all go on"
	}
	return Join(names) + " go on"
}

// longest says that a length is the last one measured.
func (f *finding) longest(length int) string {
	if length == f.lengths[len(f.lengths)-1] {
		return " (the longest measured)"
	}
	return ""
}

// same says when exact match does not tell contenders apart: none of them, or not
// the two that go furthest.
func (f *finding) same(best, second string) string {
	apart := func(a, b Contender) bool {
		return slices.ContainsFunc(f.lengths, func(n int) bool { return disjoint(a.Exact[n], b.Exact[n]) })
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
		return ": not told apart by " + f.by + " at n = " + f.n()
	case two:
		return fmt.Sprintf("; %s and %s are not told apart at n = %s", best, second, f.n())
	}
	return ""
}

// disjoint reports whether both were measured and their intervals do not overlap.
func disjoint(a, b Cell) bool { return a.N > 0 && b.N > 0 && (a.Low > b.High || b.Low > a.High) }

// n is how many prompts a length has.
func (f *finding) n() string {
	var all []int
	for _, c := range f.of {
		for _, at := range c.Exact {
			if at.N > 0 {
				all = append(all, at.N)
			}
		}
	}
	return Between(slices.Min(all), slices.Max(all))
}

// zeroFrom is the index of the length from which on all are at 0 %; that after the
// last for none.
func (f *finding) zeroFrom() int {
	from := len(f.lengths)
	for from > 0 && !slices.ContainsFunc(f.of, func(c Contender) bool { return c.Exact[f.lengths[from-1]].Accuracy > 0 }) {
		from--
	}
	return from
}

// zero says that all are at 0 %, and whom tokens right tell apart there.
func (f *finding) zero(from int) string {
	length, text := f.lengths[from], "all are at 0 %"
	if len(f.of) == 1 {
		text = f.of[0].Name + " is at 0 %"
	}
	switch {
	case from == len(f.lengths)-1:
		text = fmt.Sprintf("at %d %s", length, text)
	case from == 0:
		text += " at every length"
	default:
		text = fmt.Sprintf("from %d on %s", length, text)
	}
	if tell := f.tokens(length); tell != "" {
		text += ": " + tell
	}
	return text
}

// tokens names those whom tokens right tell apart at a length.
func (f *finding) tokens(length int) string {
	names, known := f.above(func(c Contender) Cell { return c.Tokens[length] })
	switch {
	case known < 2:
		return ""
	case names == "":
		return "tokens right do not tell them apart at n = " + f.n()
	}
	return "tokens right tell " + names + " apart"
}

// beyond names those whom exact match tells apart at the first length after the
// furthest that any of several goes on to.
func (f *finding) beyond(reach int) string {
	for _, length := range f.lengths {
		if length > reach {
			if names, _ := f.above(func(c Contender) Cell { return c.Exact[length] }); names != "" {
				return fmt.Sprintf("at %d %s %s apart", length, f.tells, names)
			}
		}
	}
	return ""
}

// above names the few whose cells lie above those of all others, best first, and
// counts the cells.
func (f *finding) above(cell func(Contender) Cell) (names string, known int) {
	var of []Contender
	for _, c := range f.of {
		if at := cell(c); at.N > 0 && !math.IsNaN(at.Accuracy) {
			of = append(of, c)
		}
	}
	slices.SortStableFunc(of, func(a, b Contender) int { return cmp.Compare(cell(b).Accuracy, cell(a).Accuracy) })
	var list []string
	least := 1.0
	for i, c := range of {
		if i > 0 {
			most := 0.0
			for _, other := range of[i:] {
				most = max(most, cell(other).High)
			}
			if least > most {
				return Join(list), len(of)
			}
		}
		if i == mostNamed {
			break
		}
		least = min(least, cell(c).Low)
		list = append(list, fmt.Sprintf("%s (%.0f %%)", c.Name, 100*cell(c).Accuracy))
	}
	return "", len(of)
}

// chance says that guessing would do as well beyond the trained lengths, where
// guessing is worth naming.
func (f *finding) chance() string {
	cells := map[string]map[int]Cell{}
	for _, c := range f.of {
		cells[c.Name] = map[int]Cell{}
		for length, at := range c.Exact {
			if length > c.Trained[1] {
				cells[c.Name][length] = at
			}
		}
	}
	r := NewRanking("", cells, ByLengths)
	if len(r.Standings) == 0 || !r.AtChance() || r.Chance < 0.01 {
		return ""
	}
	return fmt.Sprintf("at chance (%.0f %%) beyond the trained lengths, hence not ranked", 100*r.Chance)
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
