package task

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// copyWords is the paper's copy "cmc" (variant 3): repeat the given words, which
// are drawn uniformly and with replacement from the 100 words.
//
//	Copy: 7 tree B [SEP] ⏵ 7 tree B
func copyWords() Task {
	list := words()
	return Task{
		Name:        "copy",
		Aliases:     []string{"copy-cmc"},
		Version:     1,
		Description: "repeat a list of words; the length is the number of words",
		Train:       Range{2, 20},
		Lengths:     Range{1, MaxLength},
		Special:     []string{"[SEP]"},
		Texts:       []string{copySample(list).Prompt},
		Generate: func(rng *rand.Rand, length int) Sample {
			drawn := make([]string, length)
			for i := range drawn {
				drawn[i] = list[rng.IntN(len(list))]
			}
			return copySample(drawn)
		},
		Correct: sameWords,
		Chance:  func(length int) float64 { return math.Pow(float64(len(list)), -float64(length)) },
	}
}

func copySample(drawn []string) Sample {
	target := strings.Join(drawn, " ")
	return Sample{Prompt: "Copy: " + target + " [SEP] ", Target: target, Length: len(drawn)}
}

// sameWords compares word by word. Runs of spaces count as one and those at
// either end as none, as they do for the paper's tokenizer.
func sameWords(target, generated string) bool {
	return slices.Equal(strings.Fields(target), strings.Fields(generated))
}
