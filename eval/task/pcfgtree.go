package task

import (
	"math"
	"math/rand/v2"
	"slices"
)

// How PCFG SET's expressions are made (Hupkes et al. 2020, arXiv 1908.08351,
// and their generator): each is grown from the root with probabilities of its own, drawn
// uniformly, for a function to be unary and for an argument to be a function. Of the
// expressions as many are kept of each depth and number of words as make both be
// distributed as in the sentences of an English corpus. Strings have 2 to 5 items,
// uniformly, but no string occurs twice, so that strings of 2 run out.
//
// Here an expression has a given number of functions. Drawing the first probability
// uniformly makes about every number of binary ones among them as probable as every
// other, and any order of them; what is kept follows from a weight, which is fitted to
// the published files (pcfgset/test and dev up to 8 functions, productivity/test from
// 9 to 22). From 2 functions to 20 it gives their share of binary functions to ±0.04,
// the items of a string to ±0.25, depth and words to 6 %; with one function .03 are
// binary, there .14. Of more they have few, and none past 35; there the weight goes on.

// pcfgCandidates is from how many shapes one is kept, by their weights.
const pcfgCandidates = 64

// pcfgShape is an expression without names: how many arguments each function has, in
// prefix order with 0 for a string, and how many items each string has.
type pcfgShape struct {
	arity, items []int
}

// drawPCFGShape draws a shape with n functions.
func drawPCFGShape(rng *rand.Rand, n int) pcfgShape {
	var best pcfgShape
	most := math.Inf(-1)
	for range pcfgCandidates {
		s := anyPCFGShape(rng, n)
		// The greatest sum of a logarithm of a weight and Gumbel noise is a draw by the weights.
		if v := s.weight() - math.Log(rng.ExpFloat64()); v > most {
			best, most = s, v
		}
	}
	return best
}

// anyPCFGShape draws the number of binary functions uniformly, and among the shapes
// with that many uniformly.
func anyPCFGShape(rng *rand.Rand, n int) pcfgShape {
	binary := rng.IntN(n + 1)
	arity := make([]int, n+binary+1)
	for i := range n {
		arity[i] = 1
		if i < binary {
			arity[i] = 2
		}
	}
	rng.Shuffle(len(arity), func(i, j int) { arity[i], arity[j] = arity[j], arity[i] })
	// Of the rotations of an order exactly one is an expression in prefix order: the
	// one that begins behind the first place where the fewest arguments are open.
	open, fewest, start := 0, 0, 0
	for i, a := range arity {
		if open += a - 1; open < fewest {
			fewest, start = open, i+1
		}
	}
	s := pcfgShape{arity: slices.Concat(arity[start:], arity[:start]), items: make([]int, binary+1)}
	for i := range s.items {
		s.items[i] = 5 - rng.IntN(100)/29 // 3, 4 and 5 items .29 each, 2 items .13
	}
	return s
}

// weight is the logarithm of how probable it is that a shape is kept, without a
// constant: a log-normal distribution of depth and words over the distribution of the
// shapes that are drawn.
func (s pcfgShape) weight() float64 {
	depth, words := s.size()
	x, y := math.Log(words/30), math.Log(depth/10)
	return 7.37*x - 2.47*x*x - 4.70*y - 6.04*y*y + 8.29*x*y - 6.29*words/30
}

// size returns how many functions stand inside each other, and the words: functions,
// commas and items.
func (s pcfgShape) size() (depth, words float64) {
	var open []int // arguments still to come, by depth
	for _, a := range s.arity {
		if a > 0 {
			open = append(open, a)
			depth = max(depth, float64(len(open)))
			words += float64(a) // the function, and a comma where it has two
			continue
		}
		for len(open) > 0 {
			last := len(open) - 1
			if open[last]--; open[last] > 0 {
				break
			}
			open = open[:last]
		}
	}
	for _, n := range s.items {
		words += float64(n)
	}
	return depth, words
}
