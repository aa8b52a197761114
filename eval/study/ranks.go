package study

import (
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
	var order []string
	for _, p := range published {
		order = append(order, p.Encoding)
	}
	paper := map[string]float64{}
	for _, m := range MeanReciprocalRanks(contests, s.tieOrder(order)...) {
		paper[m.Name] = m.Value
	}
	for _, m := range MeanReciprocalRanks(contests) {
		r := Rank{Name: m.Name, MRR: Number(m.Value), PaperTies: Number(paper[m.Name]), Published: Unknown, Contests: m.Contests}
		r.Encoding, r.Variant = s.find(m.Name)
		var beyond []float64
		for _, c := range contests {
			if v, ok := c[m.Name]; ok && len(c) > 1 {
				beyond = append(beyond, v)
			}
		}
		r.Mean = spreadOf(beyond).Mean
		if i := slices.Index(order, s.Encodings[r.Encoding]); i >= 0 && s.Measure == Exact {
			r.Published = published[i].All
		}
		s.Ranks = append(s.Ranks, r)
	}
	return nil
}

// contests lists the rankings that say something, and marks the tasks that have none.
func (s *Study) contests() []Contest {
	var out []Contest
	for _, t := range s.ranked() {
		if s.exact != nil && s.exact.Tasks[slices.Index(s.Tasks, t)].AtChance {
			t.AtChance = true // whoever guesses answers gets tokens right, too
			continue
		}
		rankings := t.rankings(s.Weighting)
		for _, r := range rankings {
			if c := r.Contest(); len(c) > 1 {
				out = append(out, c)
			}
		}
		t.AtChance = len(rankings) > 0 && !slices.ContainsFunc(rankings, func(r Ranking) bool { return !r.AtChance() })
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
func (t *Task) rankings(by Weighting) []Ranking {
	var out []Ranking
	for _, seed := range t.Seeds {
		cells := map[string]map[int]Cell{}
		for i := range t.Series {
			s := &t.Series[i]
			of := map[int]Cell{}
			for _, length := range s.lengthsBeyond(seed) {
				of[length] = s.seeds[seed][length]
			}
			cells[s.Name] = of
		}
		if r := NewRanking(t.Task, cells, by); len(r.Standings) > 0 {
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

// tieOrder lists the series of each encoding of the paper's order in turn.
func (s *Study) tieOrder(encodings []string) []string {
	var out []string
	for _, name := range encodings {
		out = append(out, s.namesOf(name, out)...)
	}
	return out
}
