package task

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// sortingSingle sorts words drawn uniformly and with replacement from 50, whose
// order is the one of sortWords: digits, letters, words, each ascending.
//
//	Sort the following list [ F, 7, tree ]. ⏵ The sorted list is [ 7, F, tree ].
func sortingSingle() Task {
	names := sortWords()
	t := sorting(func(rng *rand.Rand) element {
		i := rng.IntN(len(names))
		return element{i, names[i]}
	}, names, func(s string) (string, bool) { return s, slices.Contains(names, s) })
	t.Name, t.Aliases = "sorting", []string{"sorting-single"}
	t.Description = "sort words in a fixed order; the length is the number of words"
	return t
}

// sortingMulti sorts numbers drawn uniformly from 10..9999.
//
//	Sort the following list [ 4 1 2, 3 0 ]. ⏵ The sorted list is [ 3 0, 4 1 2 ].
func sortingMulti() Task {
	t := sorting(func(rng *rand.Rand) element {
		n := 10 + rng.IntN(9990)
		return element{n, number(n)}
	}, []string{"0 1 2 3 4 5 6 7 8 9", "9"}, integer)
	t.Name = "sorting-multi"
	t.Description = "sort numbers of two to four digits; the length is the number of numbers"
	t.Space = func(n int) float64 { return math.Pow(9990, float64(n)) }
	t.Chance = func(n int) float64 { return 1 / multisets(9990, n) }
	return t
}

// element is a member of a list: its rank and how it is written.
type element struct {
	rank int
	text string
}

func sorting(draw func(*rand.Rand) element, texts []string, parse func(string) (string, bool)) Task {
	all := "[ " + strings.Join(texts, ", ") + " ]"
	return mathematical(Task{
		Train:   Range{2, 8},
		Prefix:  "Sort the following list [",
		Texts:   []string{"Sort the following list " + all + ". The sorted list is [ ]."},
		Space:   func(n int) float64 { return math.Pow(float64(len(texts)), float64(n)) },
		Correct: func(target, generated string) bool { return sameList(target, generated, parse) },
		Chance:  func(n int) float64 { return 1 / multisets(len(texts), n) },
	}, scratch{
		draw: func(rng *rand.Rand, length int) problem {
			l := make(unsorted, length)
			for i := range l {
				l[i] = draw(rng)
			}
			return l
		},
		pieces: step{Input: texts[0], Computation: sortComputation, Output: texts[0], Remaining: "[ ]"},
		ends:   []string{"[ ]"},
	})
}

// multisets returns the number of multisets of n out of k elements: how many
// sorted lists there are.
func multisets(k, n int) float64 {
	lgamma := func(v int) float64 { l, _ := math.Lgamma(float64(v)); return l }
	return math.Exp(lgamma(n+k) - lgamma(n+1) - lgamma(k))
}

type unsorted []element

func (l unsorted) String() string {
	return "[ " + join(l, ", ", func(e element) string { return e.text }) + " ]"
}

func (l unsorted) prompt() string { return "Sort the following list " + l.String() + ". " }

func (l unsorted) answer() string {
	return "The sorted list is " + unsorted(slices.SortedFunc(slices.Values(l), byRank)).String() + "."
}

func byRank(a, b element) int { return cmp.Compare(a.rank, b.rank) }

const sortComputation = "The minimum of the unsorted portion"

// steps is selection sort: the least of the rest is swapped to its front.
func (l unsorted) steps() []step {
	rest := slices.Clone(l)
	out := make([]step, len(l))
	for i := range out {
		least := 0
		for k, e := range rest {
			if e.rank < rest[least].rank {
				least = k
			}
		}
		front := rest[0]
		rest[0], rest[least] = rest[least], rest[0]
		out[i] = step{Input: front.text, Computation: sortComputation, Output: rest[0].text,
			Remaining: rest[1:].String()}
		rest = rest[1:]
	}
	return out
}
