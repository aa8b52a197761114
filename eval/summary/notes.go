package summary

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
)

// note adds facts about the data that a reader needs.
func (s *Study) note() {
	note := func(format string, values ...any) { s.Notes = append(s.Notes, fmt.Sprintf(format, values...)) }
	for _, t := range s.Tasks {
		if t.AtChance {
			note("On %s no encoding is above chance beyond the trained lengths: the 95 %% intervals of every run’s "+
				"prompts reach down to that of a guesser. It is not ranked.", t.Name)
		}
		if t.uneven() {
			note("On %s not all were measured at the same lengths beyond training: their "+
				"means are of different things. "+
				"Ranks are of the lengths in common.", t.Name)
		}
		if len(t.Whole) > 0 {
			note("On %s nothing is held out at length %s: training may have seen the same prompts.",
				t.Name, join(each(t.Whole, wholeText)))
		}
		if unfit := t.unfit(); len(unfit) > 0 {
			note("On %s no run fitted of %s: none had an evaluation at the trained lengths without a mistake. Ranks count, "+
				"marked %s.", t.Name, join(unfit), unfitMark)
		}
		for _, of := range t.Series {
			if s.OnlyFitted && !of.Unfit && len(of.runs) < of.Fit.Runs {
				note("On %s, %s counts with %d of %s: those that fitted.", t.Name, of.Name, len(of.runs),
					human.Plural(of.Fit.Runs, "run", "runs"))
			}
			if of.BeyondNA > 0 {
				note("On %s, %s cannot take %d of the lengths measured; means leave them "+
					"out, ranks count them as wrong.",
					t.Name, of.Name, of.BeyondNA)
			}
		}
	}
	most := 0
	for _, r := range s.Ranks {
		most = max(most, r.Runs)
	}
	for _, r := range s.Ranks {
		if r.Runs < most {
			note("%s is ranked with %s, others with up to %d: its mean reciprocal rank is of "+
				"fewer tasks or seeds.",
				r.Name, human.Plural(r.Runs, "run", "runs"), most)
		}
	}
}

// uneven reports whether series or seeds were measured at different lengths beyond training.
func (t *Task) uneven() bool {
	var first []task.Span
	for i := range t.Series {
		for _, run := range t.Series[i].runs {
			lengths := t.Series[i].lengthsBeyond(run)
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
