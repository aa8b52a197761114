package summary

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
)

// answer puts the finding into sentences: over all tasks but those at chance, of
// each task, and of each corpus.
func (s *Study) answer() {
	texts := slices.DeleteFunc(Each(s.Texts, func(t *Text) string { return t.Answer }), func(answer string) bool { return answer == "" })
	if len(s.Scored()) == 0 {
		if s.Answer = texts; len(s.Texts) == 0 {
			s.Answer = []string{"Speed alone was measured, without a task: see what each length costs."}
		}
		return
	}
	told := slices.DeleteFunc(s.ranked(), func(t *Task) bool { return t.AtChance })
	if len(s.Ranks) > 1 && len(told) > 1 && !s.severalKinds() {
		s.Answer = append(s.Answer, s.ranking(told))
	}
	if n := len(s.Agreements); n > 0 {
		s.Answer = append(s.Answer, s.Agreements[n-1].Sentence())
	}
	for _, t := range s.Scored() {
		t.Answer = t.answer()
	}
	s.Answer = append(s.Answer, texts...)
	shown := append(told, s.ranked()...) // whatever says something first
	s.First = slices.Index(s.Tasks, shown[0])
}

// severalKinds reports whether an encoding has models of several kinds on one task, such as sizes, beside
// what was done to them after training: an order over all tasks would not be one of encodings.
func (s *Study) severalKinds() bool {
	type model struct {
		encoding         int
		changed, storage string
	}
	for _, t := range s.Tasks {
		seen := map[model]bool{}
		for _, of := range t.Series {
			m := model{of.Encoding, of.Rows[0].Intervention, of.Rows[0].DType}
			if seen[m] {
				return true
			}
			seen[m] = true
		}
	}
	return false
}

// ranking says who leads over several tasks, and in how many of the rankings of single runs
// the best is ahead of the second.
func (s *Study) ranking(tasks []*Task) string {
	best, second := s.Ranks[0], s.Ranks[1]
	var all []Series
	ahead, both := 0, 0
	for _, t := range tasks {
		all = append(all, t.Series...)
		for _, r := range t.rankings(t.Series, s.Weighting) {
			c := r.contest()
			if v, ok := c[best.Name]; ok {
				if w, ok := c[second.Name]; ok {
					if both++; v > w {
						ahead++
					}
				}
			}
		}
	}
	over := fmt.Sprintf("Over %s, %s, by %s", human.Plural(len(tasks), "task", "tasks"), runsEach(all), s.Measure.Label())
	if best.MRR == second.MRR {
		return fmt.Sprintf("%s, %s and %s share the lead beyond the trained lengths (mean reciprocal rank %.2f).",
			over, best.Name, second.Name, best.MRR)
	}
	return fmt.Sprintf("%s, %s ranks best beyond the trained lengths: mean reciprocal rank %.2f, "+
		"ahead of %s with %.2f; it is ahead in %d of the %s that both are in.", over, best.Name, best.MRR, second.Name,
		second.MRR, ahead, human.Plural(both, "ranking", "rankings"))
}

// ColumnsAnswer says how far each model of a task carries, as it was run. names are
// those of the columns.
func (t *Task) ColumnsAnswer(names []string) string {
	columns := slices.Clone(t.Columns)
	for i := range columns {
		columns[i].Name = names[i]
	}
	return fmt.Sprintf("%s: %s.", t.Task, t.finding(columns))
}

// answer says how far each series of a task carries.
func (t *Task) answer() string {
	how := runsEach(t.Series)
	if how == "1 run each" {
		how += ": other seeds may differ"
	}
	if t.Trained[1] > 0 {
		how = fmt.Sprintf("trained on lengths %d to %d, %s", t.Trained[0], t.Trained[1], how)
	}
	return fmt.Sprintf("On %s, %s; %s.", t.Name, t.finding(t.Series), how)
}

// note adds what a reader must know about the data.
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
				t.Name, Join(Each(t.Whole, WholeText)))
		}
		for _, of := range t.Series {
			switch {
			case of.Fit.None():
				note("On %s, %s %s: in no run was an evaluation at the trained lengths without a mistake. It is not "+
					"ranked there.", t.Name, of.Name, of.Fit)
			case s.OnlyFitted && len(of.Seeds) < of.Fit.Runs:
				note("On %s, %s counts with %d of %s: those that fitted.", t.Name, of.Name, len(of.Seeds),
					human.Plural(of.Fit.Runs, "run", "runs"))
			}
			if of.BeyondNA > 0 {
				note("On %s, %s cannot take %d of the lengths measured; means leave them "+
					"out, ranks count them as wrong.",
					t.Name, of.Name, of.BeyondNA)
			}
		}
	}
	if s.severalKinds() && len(s.Ranks) > 0 {
		note("Some encodings have models of several kinds on one task (sizes, trained lengths, steps or settings): mean " +
			"reciprocal ranks over all tasks are of these, not of encodings alone.")
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

// WholeText names one of Task.Whole.
func WholeText(length task.Span) string {
	if length.IsBin() {
		return "some of " + length.Label()
	}
	return length.Label()
}

// uneven reports whether series or seeds were measured at different lengths beyond
// training.
func (t *Task) uneven() bool {
	var first []task.Span
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
