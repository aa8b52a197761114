package task

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The two tasks on different symbols have 256 of them, so that prompts of 200 exist. Huang et
// al. have 150 ("alphabet150"), as many as their longest prompt.
var uniqueAlphabet = symbolSet{size: 256, min: 60, max: maxAlphabet}

// uniqueCopy repeats symbols that all differ: what follows a symbol is told by the one
// place where it stands.
//
//	[BOS] ad cx ab [SEP] ⏵ ad cx ab
func uniqueCopy() Task {
	a := uniqueAlphabet
	a.with = func(size int) Task {
		return uniqueTask(Task{
			Name:        "unique-copy",
			Description: "repeat symbols that all differ; the length is their number",
			Chance:      func(n int) float64 { return math.Exp(-lnArrangements(size, n)) },
		}, size, func(drawn []string) []string { return drawn })
	}
	return withAlphabet(a)
}

// uniqueSort sorts symbols that all differ.
//
//	[BOS] ad cx ab [SEP] ⏵ ab ad cx
func uniqueSort() Task {
	a := uniqueAlphabet
	a.with = func(size int) Task {
		return uniqueTask(Task{
			Name:        "unique-sort",
			Description: "sort symbols that all differ; the length is their number",
			Chance: func(n int) float64 { // one of the sets of n
				return math.Exp(lnFactorial(n) - lnArrangements(size, n))
			},
		}, size, func(drawn []string) []string { return slices.Sorted(slices.Values(drawn)) })
	}
	return withAlphabet(a)
}

func uniqueTask(t Task, size int, answer func(drawn []string) []string) Task {
	list := symbols(size)
	t.Lengths = Range{1, size}
	t.Space = func(n int) float64 { return math.Round(math.Exp(lnArrangements(size, n))) }
	t = symbolTask(t, list, func(rng *rand.Rand, length int) (prompt, target []string) {
		drawn := shuffled(rng, list, length)
		return drawn, answer(drawn)
	})
	t.Beyond.Max = min(t.Beyond.Max, size)
	return t
}

// lnArrangements is the logarithm of size!/(size−n)!, the number of lists of n different ones.
func lnArrangements(size, n int) float64 { return lnFactorial(size) - lnFactorial(size-n) }

func lnFactorial(n int) float64 {
	l, _ := math.Lgamma(float64(n) + 1)
	return l
}
