package task

import (
	"math"
	"math/rand/v2"
)

// parityUniform asks whether the ones among digits are even in number. That number is
// uniform, so that it is often small, unlike the task parity's.
//
//	[BOS] 0 1 1 [SEP] ⏵ even
func parityUniform() Task {
	answers := []string{"even", "odd"}
	return symbolTask(Task{
		Name:        "parity-uniform",
		Description: "say whether the number of ones, which is uniform, is even; the length is the number of digits",
		Space:       func(n int) float64 { return math.Pow(2, float64(n)) },
		Chance:      func(int) float64 { return 0.5 },
	}, append(symbols(2), answers...), func(rng *rand.Rand, length int) (prompt, answer []string) {
		ones := rng.IntN(length + 1)
		return drawOnes(rng, length, ones), answers[ones%2 : ones%2+1]
	})
}
