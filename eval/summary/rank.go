package summary

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// Weights of lengths in a mean over them.
const (
	ByLengths  = "lengths"  // every length alike; "" is the same
	ByExamples = "examples" // by the share of the paper's test examples that have it, as the paper does
)

// weightsText names weights in words.
func weightsText(by string) string {
	if by == ByExamples {
		return "lengths weigh by their test examples, as in the paper"
	}
	return "every length weighs alike"
}

// weights returns the weight of a task's length or bin: its share of the paper's examples, or 1 where there are none.
func weights(by, name string) func(length task.Span) float64 {
	if by == ByExamples {
		if t, err := task.Lookup(name); err == nil && t.Weight != nil {
			return func(length task.Span) float64 {
				sum := 0.0
				for _, n := range t.LengthsIn(task.Range(length)) {
					sum += t.Weight(n)
				}
				return sum
			}
		}
	}
	return func(task.Span) float64 { return 1 }
}

// contestOf takes means over the lengths beyond training that all contestants were measured at, of one task and seed. A length that
// one cannot take counts as wrong: else refusing would win. A mean's interval is Wilson's for 1/Σ(w²/n) prompts, which give a
// proportion the mean's variance. atChance: none lies above the accuracy of a guesser.
func contestOf(name string, cells map[string]map[task.Span]cell, by string) (means contest, atChance bool) {
	means = contest{}
	var common []task.Span
	for _, own := range cells {
		if lacks := func(length task.Span) bool { _, ok := own[length]; return !ok }; common == nil {
			common = slices.SortedFunc(maps.Keys(own), task.Span.Compare)
		} else if len(own) > 0 {
			common = slices.DeleteFunc(common, lacks)
		}
	}
	weight, total := weights(by, name), 0.0
	for _, length := range common {
		total += weight(length)
	}
	var highest, guesser float64 // lower end of the means' intervals, and accuracy
	for contestant, own := range cells {
		if len(own) == 0 || total == 0 {
			continue
		}
		var mean, chance, spread float64
		for _, length := range common {
			c, w := own[length], weight(length)/total
			mean += w * c.accuracy
			chance += w * c.chance
			if c.n > 0 {
				spread += w * w / float64(c.n)
			}
		}
		means[contestant], guesser = mean, max(guesser, chance) // a cell without samples tells no chance
		if spread > 0 {
			low, _ := eval.Wilson(mean, 1/spread)
			highest = max(highest, low)
		}
	}
	return means, highest <= guesser
}

// contest is how well each contestant did, by name. NaN takes no part.
type contest map[string]float64

// reciprocalRanks lists 1/rank of every contestant in its contests of two and more. Equal contestants share the mean of their
// ranks. A tie order instead gives the better rank to the name that stands first in it, as in Kazemnejad et al. 2023; names
// outside it follow.
func reciprocalRanks(contests []contest, tieOrder []string) map[string][]float64 {
	out := map[string][]float64{}
	for _, c := range contests {
		ranks := c.ranks(tieOrder)
		for name, rank := range ranks {
			if len(ranks) > 1 {
				out[name] = append(out[name], 1/rank)
			}
		}
	}
	return out
}

// ranks gives each contestant its rank, from 1.
func (c contest) ranks(tieOrder []string) map[string]float64 {
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
	return cmp.Or(cmp.Compare(placeIn(order, a), placeIn(order, b)), cmp.Compare(a, b)) < 0
}
