package summary

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
)

// rank is a series' mean reciprocal rank over task and training seed, by the mean of the measure beyond the trained lengths.
type rank struct {
	Name      string   `json:"name"` // of the series
	Encoding  int      `json:"encoding"`
	Variant   int      `json:"variant"`
	MRR       Number   `json:"mrr"`   // ties share their ranks
	Tasks     []Number `json:"tasks"` // the same over the runs of each of Study.Tasks; unknown where it has no rank
	PaperTies Number   `json:"paper"` // ties as in the paper: by a fixed order of encodings
	Published Number   `json:"-"`     // the paper's own; unknown for an encoding that is not in it
	Runs      int      `json:"runs"`  // that it took part with, each in a ranking of its own
	Mean      Number   `json:"mean"`  // over tasks, of the median over these runs of the measure beyond
}

// contests are the rankings of a task that say something, one for each training seed.
type contests struct {
	task *Task
	of   []contest
}

// rank ranks series within each task and training seed, over their common lengths. Validation prompts count only where there is
// nothing else.
func (s *Study) rank() {
	all := s.contests()
	var each []contest
	for _, c := range all {
		each = append(each, c.of...)
	}
	order := s.published.order()
	byOrder := reciprocalRanks(each, s.namesOf(order))
	for name, ranks := range reciprocalRanks(each, nil) {
		r := rank{Name: name, MRR: mean(ranks), PaperTies: mean(byOrder[name]), Published: Unknown, Runs: len(ranks)}
		r.Encoding, r.Variant = s.find(name)
		var beyond []float64
		for _, t := range s.Tasks {
			mrr := Unknown
			for _, c := range all {
				if ranks := reciprocalRanks(c.of, nil)[name]; c.task == t && len(ranks) > 0 {
					mrr = mean(ranks)
					beyond = append(beyond, c.medians()[name])
				}
			}
			r.Tasks = append(r.Tasks, mrr)
		}
		r.Mean = mean(beyond)
		if i := slices.Index(order, s.Encodings[r.Encoding]); i >= 0 && s.Measure == Exact {
			r.Published = s.published.ranks[i].all
		}
		s.Ranks = append(s.Ranks, r)
	}
	slices.SortFunc(s.Ranks, func(a, b rank) int {
		return cmp.Or(cmp.Compare(b.MRR, a.MRR),
			cmp.Compare(a.Name, b.Name))
	})
	s.agree(all)
}

// medians are the contestants' medians over runs.
func (c contests) medians() contest {
	values := map[string][]float64{}
	for _, one := range c.of {
		for name, v := range one {
			values[name] = append(values[name], v)
		}
	}
	out := contest{}
	for name, of := range values {
		out[name] = float64(median(of))
	}
	return out
}

// contests lists the rankings that say something, and marks the tasks that have none.
func (s *Study) contests() []contests {
	var out []contests
	for _, t := range s.ranked() {
		if s.exact != nil && s.exact.Tasks[slices.Index(s.Tasks, t)].AtChance {
			t.AtChance = true // whoever guesses answers gets tokens right, too
			continue
		}
		of := contests{task: t}
		rankings := t.rankings(t.Series, s.Weighting)
		for _, r := range rankings {
			if len(r.means) > 1 && !r.atChance() {
				of.of = append(of.of, r.means)
			}
		}
		if len(of.of) > 0 {
			out = append(out, of)
		}
		t.AtChance = atChance(rankings)
	}
	return out
}

// atChance reports whether there are rankings, and all are at chance.
func atChance(all []ranking) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(r ranking) bool { return !r.atChance() })
}

// ranked lists the tasks that rankings are about.
func (s *Study) ranked() []*Task {
	var out []*Task
	for _, t := range s.Tasks {
		if t.Split == string(task.Test) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return slices.Clone(s.Scored)
	}
	return out
}

// rankings holds one for each training seed, among some series of the task.
func (t *Task) rankings(among []Series, by string) []ranking {
	var out []ranking
	for _, seed := range t.Seeds {
		cells := map[string]map[task.Span]cell{}
		for _, s := range among {
			if !slices.Contains(s.Seeds, seed) {
				continue
			}
			cells[s.Name] = maps.Clone(s.seeds[seed])
			maps.DeleteFunc(cells[s.Name], func(length task.Span, _ cell) bool { return !s.isBeyond(length) })
		}
		if r := newRanking(t.Task, cells, by); len(r.means) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// find returns the encoding of a series, and which of its series it is.
func (s *Study) find(name string) (encoding, variant int) {
	for _, t := range s.Tasks {
		for _, of := range t.Series {
			if of.Name == name {
				return of.Encoding, of.Variant
			}
		}
	}
	return 0, 0
}
