package study

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// Weighting says how a mean over lengths weighs them.
type Weighting string

const (
	ByLengths  Weighting = "lengths"  // every length alike; the zero value is the same
	ByExamples Weighting = "examples" // by the share of the paper's test examples that have it, as the paper does
)

// String says it in words.
func (w Weighting) String() string {
	if w == ByExamples {
		return "lengths weigh by their test examples, as in the paper"
	}
	return "every length weighs alike"
}

// of returns the weight of a length of a task. Tasks that are not known have no
// shares, and neither have most others: all their lengths weigh alike.
func (w Weighting) of(name string) func(length int) float64 {
	if w == ByExamples {
		if t, err := task.Lookup(name); err == nil && t.Weight != nil {
			return t.Weight
		}
	}
	return func(int) float64 { return 1 }
}

// Ranking is how contestants do on a task beyond the trained lengths. The study this
// project rebuilds has one for each task and training seed, among encodings.
type Ranking struct {
	Standings map[string]Standing
	Chance    float64 // mean accuracy of a guesser
	N         [2]int  // least and most prompts of a length
}

// Standing is a contestant's mean exact match, with its 95 % interval.
type Standing struct{ Mean, Low, High float64 }

// NewRanking takes means over the lengths that all contestants were measured at, from
// cells by name and length. What one could not take counts as wrong: otherwise
// refusing would win. One without any cells takes no part; there are no standings
// where the others have no lengths in common.
func NewRanking(name string, cells map[string]map[int]Cell, by Weighting) Ranking {
	var common []int
	of := map[string]map[int]Cell{}
	for name, at := range cells {
		if len(at) == 0 {
			continue
		}
		if len(of) == 0 {
			common = slices.Sorted(maps.Keys(at))
		}
		common = slices.DeleteFunc(common, func(length int) bool { _, ok := at[length]; return !ok })
		of[name] = at
	}
	weight := by.of(name)
	total := 0.0
	for _, length := range common {
		total += weight(length)
	}
	r := Ranking{Standings: map[string]Standing{}}
	if total == 0 {
		return r
	}
	for name, at := range of {
		r.Standings[name] = r.stand(at, common, func(length int) float64 { return weight(length) / total })
	}
	return r
}

// stand is one contestant's mean. Its interval is Wilson's for as many prompts as
// would give a plain proportion the variance of the weighted mean: 1/Σ(w²/n).
func (r *Ranking) stand(at map[int]Cell, lengths []int, share func(int) float64) Standing {
	var mean, chance, spread float64
	for _, length := range lengths {
		c, w := at[length], share(length)
		mean += w * c.Accuracy
		chance += w * c.Chance
		if c.N > 0 {
			spread += w * w / float64(c.N)
			if r.N[0] == 0 || c.N < r.N[0] {
				r.N[0] = c.N
			}
			r.N[1] = max(r.N[1], c.N)
		}
	}
	r.Chance = max(r.Chance, chance) // a cell without samples tells no chance
	if spread == 0 {
		return Standing{}
	}
	low, high := eval.WilsonOf(mean, 1/spread)
	return Standing{mean, low, high}
}

// AtChance reports whether no contestant is above chance: none has an interval that
// lies above the accuracy of a guesser. Such a ranking says nothing.
func (r Ranking) AtChance() bool {
	for _, s := range r.Standings {
		if s.Low > r.Chance {
			return false
		}
	}
	return true
}

// Above reports whether a is better than b for sure: their intervals do not overlap.
func (r Ranking) Above(a, b string) bool { return r.Standings[a].Low > r.Standings[b].High }

// Contest is what the ranking brings into mean ranks: nothing at chance.
func (r Ranking) Contest() Contest {
	if r.AtChance() {
		return nil
	}
	c := Contest{}
	for name, s := range r.Standings {
		c[name] = s.Mean
	}
	return c
}

// Contest is how well each contestant did, by name.
type Contest map[string]float64

// MRR is a contestant's mean reciprocal rank: 1 for always best.
type MRR struct {
	Name     string
	Value    float64
	Contests int // that it took part in
}

// MeanReciprocalRanks averages 1/rank of every contestant over the contests that
// it took part in, the best first. NaN takes no part, and a contest of fewer than
// two says nothing and is passed over.
//
// Equal contestants share the mean of the ranks that they hold together; the two
// best get 1.5 each. A tie order instead gives the better rank to the name that
// stands first in it (and then to names outside it, in their own order), as in
// Kazemnejad et al. 2023.
func MeanReciprocalRanks(contests []Contest, tieOrder ...string) []MRR {
	sums := map[string]*MRR{}
	for _, c := range contests {
		ranks := c.ranks(tieOrder)
		if len(ranks) < 2 {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(ranks)) {
			if sums[name] == nil {
				sums[name] = &MRR{Name: name}
			}
			sums[name].Contests++
			sums[name].Value += 1 / ranks[name]
		}
	}
	var out []MRR
	for _, m := range sums {
		m.Value /= float64(m.Contests)
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b MRR) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// ranks gives each contestant its rank, from 1.
func (c Contest) ranks(tieOrder []string) map[string]float64 {
	ranks := map[string]float64{}
	for name, value := range c {
		if math.IsNaN(value) {
			continue
		}
		better, equal := 0, 1
		for other, v := range c {
			switch {
			case other == name:
			case v > value, v == value && len(tieOrder) > 0 && winsTie(other, name, tieOrder):
				better++
			case v == value && len(tieOrder) == 0:
				equal++
			}
		}
		ranks[name] = float64(better) + float64(equal+1)/2
	}
	return ranks
}

// winsTie reports whether a comes before b in the tie order.
func winsTie(a, b string, order []string) bool {
	place := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) < 0
}
