package task

import (
	"math"
	"math/rand/v2"
)

// repeatCopy repeats letters drawn with replacement, of two by default: what follows a
// letter is not told by the letters before it.
//
//	[BOS] a b b [SEP] ⏵ a b b
func repeatCopy() Task {
	return withAlphabet(symbolSet{size: 2, min: 2, max: maxAlphabet, with: func(size int) Task {
		list := symbols(max(size, 3))[:size] // a and b, not 0 and 1
		return symbolTask(Task{
			Name:        "repeat-copy",
			Description: "repeat letters of a small alphabet; the length is the number of letters",
			Space:       func(n int) float64 { return math.Pow(float64(size), float64(n)) },
			Chance:      func(n int) float64 { return math.Pow(float64(size), -float64(n)) },
		}, list, func(rng *rand.Rand, length int) (prompt, answer []string) {
			drawn := letters(rng, list, length)
			return drawn, drawn
		})
	}})
}
