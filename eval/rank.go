package eval

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Contest is one ranking: how well each contestant did, by name. The study this
// project rebuilds holds one for each task and training seed, among encodings,
// by mean accuracy beyond the trained lengths.
type Contest map[string]float64

// NewContest ranks contestants by their mean over the lengths that all of them were
// measured at, from scores by name and length. One without any takes no part; nil
// means that there are no lengths in common.
func NewContest(scores map[string]map[int]float64) Contest {
	var common []int
	c := Contest{}
	for name, of := range scores {
		if len(of) == 0 {
			continue
		}
		if len(c) == 0 {
			common = slices.Sorted(maps.Keys(of))
		}
		common = slices.DeleteFunc(common, func(length int) bool { _, ok := of[length]; return !ok })
		c[name] = 0
	}
	if len(common) == 0 {
		return nil
	}
	for name := range c {
		for _, length := range common {
			c[name] += scores[name][length]
		}
		c[name] /= float64(len(common))
	}
	return c
}

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
