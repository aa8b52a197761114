package task

import (
	"math"
	"math/rand/v2"
)

// majority asks for the most frequent of letters that are drawn uniformly and with
// replacement; a prompt has one that is more frequent than every other.
//
//	[BOS] c a c b [SEP] ⏵ c
func majority() Task {
	return withAlphabet(symbolSet{size: 26, min: 3, max: maxAlphabet, with: func(size int) Task {
		list := symbols(size)
		return symbolTask(Task{
			Name:        "majority",
			Description: "name the most frequent letter; the length is the number of letters",
			Space:       func(n int) float64 { return uniqueModes(size, n) },
			Chance:      func(int) float64 { return 1 / float64(size) },
		}, list, func(rng *rand.Rand, length int) (prompt, answer []string) {
			for {
				drawn := letters(rng, list, length)
				if most := mode(drawn); most != "" {
					return drawn, []string{most}
				}
			}
		})
	}})
}

// mode returns the most frequent element, "" where several share that.
func mode(list []string) string {
	counts := map[string]int{}
	for _, x := range list {
		counts[x]++
	}
	best, most := "", 0
	for x, n := range counts {
		switch {
		case n > most:
			best, most = x, n
		case n == most:
			best = ""
		}
	}
	return best
}

// uniqueModes counts the strings of n letters, of an alphabet of k, of which one letter is
// the most frequent. For more than 4 letters it is a lower bound: the share of ties, all but
// 1/k of strings of 2 letters, falls.
func uniqueModes(k, n int) float64 {
	words := float64(k)
	switch n {
	case 1:
		return words
	case 3: // all equal, or two
		return words + 3*words*(words-1)
	case 4: // all equal, three, or two and two that differ
		return words + 4*words*(words-1) + 6*words*(words-1)*(words-2)
	}
	return math.Pow(words, float64(n-1))
}

// majorityBinary asks which of two digits is the more frequent. The number of zeros is
// uniform, except ties.
//
//	[BOS] 0 1 1 [SEP] ⏵ 1
func majorityBinary() Task {
	return symbolTask(Task{
		Name:        "majority-binary",
		Description: "name the more frequent of two digits; the length is the number of digits",
		Space:       untied,
		Chance:      func(int) float64 { return 0.5 },
	}, symbols(2), func(rng *rand.Rand, length int) (prompt, answer []string) {
		drawn, most := drawUntied(rng, length)
		return drawn, []string{most}
	})
}

// interleaved is how many strings majority-interleaved has.
const interleaved = 3

// majorityInterleaved asks the same of three strings of equal length whose digits take turns.
//
//	[BOS] 0 1 1 0 0 1 1 0 1 [SEP] ⏵ 0 0 1
func majorityInterleaved() Task {
	return symbolTask(Task{
		Name: "majority-interleaved",
		Description: "name the more frequent digit of each of three strings whose digits take turns; " +
			"the length is the number of digits",
		Train:   Range{interleaved, symbolTrain.Max / interleaved * interleaved},
		Lengths: Range{interleaved, MaxLength / interleaved * interleaved},
		Has:     func(n int) bool { return n%interleaved == 0 },
		Space:   func(n int) float64 { return math.Pow(untied(n/interleaved), interleaved) },
		Chance:  func(int) float64 { return math.Pow(0.5, interleaved) },
	}, symbols(2), func(rng *rand.Rand, length int) (prompt, answer []string) {
		prompt = make([]string, length)
		for i := range interleaved {
			drawn, most := drawUntied(rng, length/interleaved)
			for k, digit := range drawn {
				prompt[k*interleaved+i] = digit
			}
			answer = append(answer, most)
		}
		return prompt, answer
	})
}

// drawUntied draws n digits with a uniform number of zeros that is not half of them, and
// returns the more frequent digit.
func drawUntied(rng *rand.Rand, n int) (drawn []string, most string) {
	ones := rng.IntN(n + 1)
	for 2*ones == n {
		ones = rng.IntN(n + 1)
	}
	most = "0"
	if 2*ones > n {
		most = "1"
	}
	return drawOnes(rng, n, ones), most
}

// untied counts the strings of n digits without a tie.
func untied(n int) float64 {
	all := math.Pow(2, float64(n))
	if n%2 == 1 || n > 50 { // where ties are less than an eighth
		return all
	}
	return all - math.Round(math.Exp(lnFactorial(n)-2*lnFactorial(n/2)))
}
