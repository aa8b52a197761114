package task

import (
	"math"
	"math/big"
	"math/rand/v2"
)

// additionBinary adds two binary numbers, the highest digit first. The length counts the
// digits of both and the two signs; how many of the digits the first number has is uniform.
//
//	[BOS] 1 0 + 1 1 = ⏵ 1 0 1
func additionBinary() Task {
	return Task{
		Name:        "addition-binary",
		Version:     1,
		Description: "add two binary numbers; the length is the number of their digits and the two signs",
		Train:       Range{4, symbolTrain.Max},
		Beyond:      Range{symbolTrain.Max + 1, symbolBeyond},
		Lengths:     Range{4, MaxLength},
		Special:     []string{"[BOS]"},
		Prefix:      "[BOS]",
		Texts:       []string{"[BOS] 0 + 1 = 0 1"},
		Space: func(n int) float64 {
			sum := 0.0
			for a := 1; a <= min(n-3, 64); a++ { // beyond that a lower bound, past counting
				sum += binaries(a) * binaries(n-2-a)
			}
			return sum
		},
		Generate: func(rng *rand.Rand, length int) Sample {
			n := 1 + rng.IntN(length-3)
			a, b := drawBinary(rng, n), drawBinary(rng, length-2-n)
			return Sample{
				Prompt: "[BOS] " + spaced(a.Text(2)) + " + " + spaced(b.Text(2)) + " = ",
				Target: spaced(new(big.Int).Add(a, b).Text(2)),
				Length: length,
			}
		},
		Correct: sameWords,
		// One of the numbers from the least sum, of operands of equal length, to the greatest.
		Chance: func(n int) float64 {
			digits := n - 2
			greatest := math.Pow(2, float64(digits-1))
			if math.IsInf(greatest, 1) { // and so may the least be, which leaves no difference
				return 0
			}
			least := leastBinary(digits/2) + leastBinary(digits-digits/2)
			return 1 / (greatest - least + 1)
		},
	}
}

// binaries counts the numbers of exactly n digits; one digit may be 0.
func binaries(n int) float64 {
	if n == 1 {
		return 2
	}
	return math.Pow(2, float64(n-1))
}

// leastBinary is the least number of so many digits.
func leastBinary(n int) float64 {
	if n == 1 {
		return 0
	}
	return math.Pow(2, float64(n-1))
}

func drawBinary(rng *rand.Rand, digits int) *big.Int {
	v := big.NewInt(int64(rng.IntN(2)))
	if digits == 1 {
		return v
	}
	v.SetBit(v, digits-1, 1)
	for i := 1; i < digits-1; i++ {
		v.SetBit(v, i, uint(rng.IntN(2)))
	}
	return v
}
