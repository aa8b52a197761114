package summary

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// rank is a series' mean reciprocal rank over task and training seed, by the mean of the measure beyond the trained lengths.
type rank struct {
	Name      string   `json:"name"` // of the series
	Encoding  int      `json:"encoding"`
	MRR       Number   `json:"mrr"`  // ties share their ranks
	Tasks     []Number `json:"-"`    // the same over the runs of each of Study.Tasks; unknown where it has no rank
	PaperTies Number   `json:"-"`    // ties as in the paper: by a fixed order of encodings
	Published Number   `json:"-"`    // the paper's own; unknown for an encoding or a task that is not in it
	Runs      int      `json:"runs"` // that it took part with, each in a ranking of its own
	Mean      Number   `json:"-"`    // over tasks, of the median over these runs of the measure beyond
}

// rank ranks series within each task and training seed, over their common lengths. Validation prompts count only where there is
// nothing else.
func (s *Study) rank() {
	contests := s.contests()
	all := slices.Concat(contests...)
	published := contest{}
	if s.Measure == Exact && s.paperHas(contests) {
		published = s.published.ranks
	}
	byOrder := reciprocalRanks(all, s.namesOf(s.published.order))
	for name, ranks := range reciprocalRanks(all, nil) {
		r := rank{Name: name, Encoding: s.find(name).Encoding, MRR: mean(ranks), PaperTies: mean(byOrder[name]), Published: Unknown, Runs: len(ranks)}
		var beyond []float64
		for _, ofTask := range contests {
			mrr := mean(reciprocalRanks(ofTask, nil)[name])
			if r.Tasks = append(r.Tasks, mrr); mrr.Known() {
				runs := slices.DeleteFunc(slices.Clone(ofTask), func(c contest) bool { _, ok := c[name]; return !ok })
				beyond = append(beyond, float64(median(lists.Map(runs, func(c contest) float64 { return c[name] }))))
			}
		}
		r.Mean = mean(beyond)
		if mrr, ok := published[s.Encodings[r.Encoding]]; ok {
			r.Published = Number(mrr)
		}
		s.Ranks = append(s.Ranks, r)
	}
	slices.SortFunc(s.Ranks, func(a, b rank) int { return cmp.Or(cmp.Compare(b.MRR, a.MRR), cmp.Compare(a.Name, b.Name)) })
	s.AgreementTable = s.agreementTable(contests)
}

// contests lists the rankings of each task that say something, one for each training seed, and marks tasks that have none.
func (s *Study) contests() [][]contest {
	out := make([][]contest, len(s.Tasks))
	for _, t := range s.ranked() {
		i := slices.Index(s.Tasks, t)
		if s.exact != nil && s.exact.Tasks[i].AtChance {
			t.AtChance = true // whoever guesses completions gets tokens right, too
			continue
		}
		bySeed := t.beyond()
		some, all := false, true
		for _, seed := range slices.SortedFunc(maps.Keys(bySeed), card.Seeds.Compare) {
			means, atChance := contestOf(t.Task, bySeed[seed], s.Weighting)
			some, all = some || len(means) > 0, all && atChance
			if !atChance && len(means) > 1 {
				out[i] = append(out[i], means)
			}
		}
		t.AtChance = some && all
	}
	return out
}

// paperHas reports whether the paper has longer lengths of all tasks that are ranked, so that its ranks compare.
func (s *Study) paperHas(contests [][]contest) bool {
	for i, t := range s.Tasks {
		if len(contests[i]) > 0 && s.published.withBeyond(t.paperName(), "") == nil {
			return false
		}
	}
	return true
}

// ranked lists the tasks that rankings are about.
func (s *Study) ranked() []*Task {
	out := lists.Filter(s.Tasks, func(t *Task) bool { return t.Split == string(task.Test) })
	if len(out) == 0 {
		return slices.Clone(s.Scored)
	}
	return out
}

// beyond are the cells beyond the trained lengths by training seed and series.
func (t *Task) beyond() map[card.Seeds]map[string]map[task.Span]cell {
	out := map[card.Seeds]map[string]map[task.Span]cell{}
	for _, s := range t.Series {
		for _, run := range s.runs {
			cells := maps.Clone(run.cells)
			maps.DeleteFunc(cells, func(length task.Span, _ cell) bool { return !s.isBeyond(length) })
			if out[run.seeds] == nil {
				out[run.seeds] = map[string]map[task.Span]cell{}
			}
			out[run.seeds][s.Name] = cells
		}
	}
	return out
}

// find is the first series of a name.
func (s *Study) find(name string) *Series {
	for _, t := range s.Tasks {
		for i := range t.Series {
			if t.Series[i].Name == name {
				return &t.Series[i]
			}
		}
	}
	return nil
}
