package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
)

// answer puts the finding into a few sentences: over all tasks, and of each.
func (s *Study) answer() {
	if len(s.Ranks) > 1 && len(s.ranked()) > 1 {
		s.Answer = append(s.Answer, s.ranking())
	}
	if len(s.scored()) == 0 {
		s.Answer = []string{"Speed alone was measured, without a task: see what each length costs."}
	}
	for _, t := range s.scored() {
		t.Answer = t.answer()
	}
}

// ranking says who leads over several tasks.
func (s *Study) ranking() string {
	best, second := s.Ranks[0], s.Ranks[1]
	seeds := 0
	for _, t := range s.ranked() {
		seeds = max(seeds, len(t.Seeds))
	}
	over := fmt.Sprintf("Over %s and %s, by %s", count(len(s.ranked()), "task", "tasks"), count(seeds, "training seed", "training seeds"), s.Measure.Label())
	if best.MRR == second.MRR {
		return fmt.Sprintf("%s, %s and %s share the lead beyond the trained lengths (mean reciprocal rank %.2f).", over, best.Name, second.Name, float64(best.MRR))
	}
	return fmt.Sprintf("%s, %s ranks best beyond the trained lengths: mean reciprocal rank %.2f, ahead of %s with %.2f.",
		over, best.Name, float64(best.MRR), second.Name, float64(second.MRR))
}

// mostGroups is how many lengths an answer names before it sums up the rest.
const mostGroups = 3

// answer says how far each series of a task carries, the furthest first.
func (t *Task) answer() string {
	reached := slices.Clone(t.Series)
	slices.SortStableFunc(reached, func(a, b Series) int { return b.Effective.Length - a.Effective.Length })
	reached = slices.DeleteFunc(reached, func(s Series) bool { return s.Effective.Length == 0 })
	nowhere := len(t.Series) - len(reached)
	if len(reached) == 0 {
		return fmt.Sprintf("On %s nothing reaches %.0f %% %s at any length measured.", t.Name, 100*eval.EffectiveAccuracy, t.measure.share())
	}
	var parts []string
	for i := 0; i < len(reached); {
		if len(parts) == mostGroups {
			parts = append(parts, fmt.Sprintf("%s up to %d or less", rest(len(reached)-i), reached[i].Effective.Length))
			break
		}
		names := []string{}
		length := reached[i].Effective.Length
		for ; i < len(reached) && reached[i].Effective.Length == length; i++ {
			names = append(names, reached[i].Name)
		}
		part := fmt.Sprintf("%s up to %d", join(names), length)
		if len(parts) == 0 {
			verb := "keeps"
			if len(names) > 1 {
				verb = "keep"
			}
			part = fmt.Sprintf("%s %s at least %.0f %% %s up to length %d", join(names), verb, 100*eval.EffectiveAccuracy, t.measure.share(), length)
			if next := reached[0].Effective.Next; next > 0 {
				part += fmt.Sprintf(" (the next one measured is %d)", next)
			}
		}
		parts = append(parts, part)
	}
	if nowhere > 0 {
		parts = append(parts, t.unreached(nowhere)+" at no length")
	}
	sentence := fmt.Sprintf("On %s, ", t.Name) + strings.Join(parts, "; ")
	if t.Trained[1] > 0 {
		sentence += fmt.Sprintf("; trained on lengths %d to %d", t.Trained[0], t.Trained[1])
	}
	return sentence + "."
}

// unreached names the n series that are good at no length, or counts them.
func (t *Task) unreached(n int) string {
	if n > mostGroups {
		return rest(n)
	}
	var names []string
	for _, s := range t.Series {
		if s.Effective.Length == 0 {
			names = append(names, s.Name)
		}
	}
	return join(names)
}

func rest(n int) string {
	if n == 1 {
		return "the last"
	}
	return fmt.Sprintf("the other %d", n)
}

// join writes a list as prose does.
func join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// note adds what a reader must know about the data.
func (s *Study) note() {
	for _, t := range s.Tasks {
		if t.uneven() {
			s.Notes = append(s.Notes, fmt.Sprintf("On %s not all were measured at the same lengths beyond training: their means are of different things. Ranks are of the lengths in common.", t.Name))
		}
		if len(t.Whole) > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("On %s nothing is held out at length %s: training may have seen the same prompts.",
				t.Name, join(each(t.Whole, func(n int) string { return fmt.Sprint(n) }))))
		}
		for _, of := range t.Series {
			if of.BeyondNA > 0 {
				s.Notes = append(s.Notes, fmt.Sprintf("On %s, %s cannot take %s; means leave them out, ranks count them as wrong.",
					t.Name, of.Name, count(of.BeyondNA, "of the lengths measured", "of the lengths measured")))
			}
		}
	}
	most := 0
	for _, r := range s.Ranks {
		most = max(most, r.Contests)
	}
	for _, r := range s.Ranks {
		if r.Contests < most {
			s.Notes = append(s.Notes, fmt.Sprintf("%s takes part in %d of %d rankings: its mean reciprocal rank is of fewer tasks or seeds than others'.", r.Name, r.Contests, most))
		}
	}
}

// uneven reports whether series or seeds were measured at different lengths beyond
// training.
func (t *Task) uneven() bool {
	var first []int
	for i := range t.Series {
		for _, seed := range t.Series[i].Seeds {
			lengths := t.Series[i].lengthsBeyond(seed)
			if len(lengths) == 0 {
				continue
			}
			if first != nil && !slices.Equal(first, lengths) {
				return true
			}
			first = lengths
		}
	}
	return false
}

// each returns what f makes of each element.
func each[T, R any](list []T, f func(T) R) []R {
	var out []R
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}
