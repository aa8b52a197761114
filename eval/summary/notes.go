package summary

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
)

// note adds facts about the data that no table or sentence tells.
func (s *Study) note() {
	note := func(format string, values ...any) { s.Notes = append(s.Notes, fmt.Sprintf(format, values...)) }
	for _, t := range s.Tasks {
		if t.uneven() {
			note("On %s not all were measured at the same lengths beyond training: their means are of different things. "+
				"Ranks are of the lengths in common.", t.Name)
		}
		for _, series := range t.Series {
			if s.OnlyFitted && !series.Unfit && len(series.runs) < series.Fit.Runs {
				note("On %s, %s counts with %d of %s: those that fitted.", t.Name, series.Name, len(series.runs),
					human.Plural(series.Fit.Runs, "run", "runs"))
			}
		}
	}
	most := 0
	for _, r := range s.Ranks {
		most = max(most, r.Runs)
	}
	for _, r := range s.Ranks {
		if r.Runs < most {
			note("%s is ranked with %s, others with up to %d: its mean reciprocal rank is of fewer tasks or seeds.",
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
