package study

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
)

// Rank is a series' mean reciprocal rank over (task, training seed), by the mean of
// the study's measure beyond the trained lengths.
type Rank struct {
	Name      string `json:"name"` // of the series
	Encoding  int    `json:"encoding"`
	Variant   int    `json:"variant"`
	MRR       Number `json:"mrr"`      // ties share their ranks
	PaperTies Number `json:"paper"`    // ties as in the paper: by a fixed order of encodings
	Published Number `json:"-"`        // the paper's own; NaN for an encoding that is not in it
	Contests  int    `json:"contests"` // rankings that it took part in
	Mean      Number `json:"mean"`     // of the measure beyond, over the same rankings
}

// rank ranks series within each task and training seed, over the lengths that all
// of them were measured at there. A length that a model cannot take counts as
// wrong: otherwise refusing would win. Validation prompts take part only where
// there is nothing else.
func (s *Study) rank() error {
	published, err := PublishedRanks()
	if err != nil {
		return err
	}
	contests := s.contests()
	order := Each(published, func(p PublishedRank) string { return p.Encoding })
	byOrder := reciprocalRanks(contests, s.namesOf(order))
	for name, ranks := range reciprocalRanks(contests, nil) {
		r := Rank{Name: name, MRR: spreadOf(ranks).Mean, PaperTies: spreadOf(byOrder[name]).Mean,
			Published: Unknown, Contests: len(ranks)}
		r.Encoding, r.Variant = s.find(name)
		var beyond []float64
		for _, c := range contests {
			if v, ok := c[name]; ok {
				beyond = append(beyond, v)
			}
		}
		r.Mean = spreadOf(beyond).Mean
		if i := slices.Index(order, s.Encodings[r.Encoding]); i >= 0 && s.Measure == Exact {
			r.Published = published[i].All
		}
		s.Ranks = append(s.Ranks, r)
	}
	slices.SortFunc(s.Ranks, func(a, b Rank) int {
		return cmp.Or(cmp.Compare(b.MRR, a.MRR),
			cmp.Compare(a.Name, b.Name))
	})
	return nil
}

// contests lists the rankings that say something, and marks the tasks that have none.
func (s *Study) contests() []contest {
	var out []contest
	for _, t := range s.ranked() {
		if s.exact != nil && s.exact.Tasks[slices.Index(s.Tasks, t)].AtChance {
			t.AtChance = true // whoever guesses answers gets tokens right, too
			continue
		}
		rankings := t.rankings(s.Weighting)
		for _, r := range rankings {
			if c := r.contest(); len(c) > 1 {
				out = append(out, c)
			}
		}
		t.AtChance = len(rankings) > 0 && !slices.ContainsFunc(rankings, func(r ranking) bool { return !r.atChance() })
	}
	return out
}

// ranked lists the tasks that rankings are about.
func (s *Study) ranked() []*Task {
	var out []*Task
	for _, t := range s.Tasks {
		if t.Split == task.Test.String() {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return s.Scored()
	}
	return out
}

// rankings holds one for each training seed, among its series.
func (t *Task) rankings(by Weighting) []ranking {
	var out []ranking
	for _, seed := range t.Seeds {
		cells := map[string]map[task.Span]cell{}
		for _, s := range t.Series {
			cells[s.Name] = maps.Clone(s.seeds[seed])
			maps.DeleteFunc(cells[s.Name], func(length task.Span, _ cell) bool { return !s.isBeyond(length) })
		}
		if r := newRanking(t.Task, cells, by); len(r.standings) > 0 {
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
