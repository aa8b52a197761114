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
	t := wordTask("Copy:", func(drawn []string) string { return strings.Join(drawn, " ") })
	t.Name, t.Aliases = "copy", []string{"copy-cmc"}
	t.Description = "repeat a list of words; the length is the number of words"
	return t
}

// copyTwice is the paper's copy "cmc2x".
//
//	Copy: 7 B [SEP] ⏵ 7 B [NEXT] 7 B
func copyTwice() Task {
	t := wordTask("Copy:", func(drawn []string) string {
		once := strings.Join(drawn, " ")
		return once + " [NEXT] " + once
	}, "[NEXT]")
	t.Name = "copy-cmc2x"
	t.Description = "repeat a list of words twice; the length is the number of words given"
	return t
}

// copySame is the paper's copy "rsc" (variant 1), and with times 2 its "rsc2x":
// one word, repeated.
//
//	Copy: K K K [SEP] ⏵ K K K
//	Copy: K K [SEP] ⏵ K K K K
func copySame(times int) Task {
	list := words()
	t := wordTask("Copy:", nil)
	t.Name = "copy-rsc"
	t.Description = "repeat one word as often as it is given; the length is that number"
	if times > 1 {
		t.Name = "copy-rsc2x"
		t.Description = "repeat one word twice as often as it is given; the length is how often it is given"
	}
	t.Generate = func(rng *rand.Rand, length int) Sample {
		w := list[rng.IntN(len(list))]
		return Sample{Prompt: "Copy: " + repeatWord(w, length) + " [SEP] ", Target: repeatWord(w, length*times), Length: length}
	}
	t.Space = func(int) float64 { return float64(len(list)) }
	t.Chance = func(int) float64 { return 1 / float64(len(list)) }
	return t
}

// replaceWord is the paper's copy "rdc" (variant 2): one word, repeated, to be
// replaced by another. Both are of the first 78 words and differ.
//
//	Replace 4 with = in 4 4 4 [SEP] ⏵ = = =
func replaceWord() Task {
	list := words()[:78]
	t := wordTask("Replace", nil)
	t.Name = "copy-rdc"
	t.Description = "replace a repeated word by another; the length is the number of repetitions"
	t.Texts = []string{"Replace " + strings.Join(list, " ") + " with in [SEP] "}
	t.Generate = func(rng *rand.Rand, length int) Sample {
		i, k := rng.IntN(len(list)), rng.IntN(len(list)-1)
		if k >= i {
			k++
		}
		return Sample{
			Prompt: "Replace " + list[i] + " with " + list[k] + " in " + repeatWord(list[i], length) + " [SEP] ",
			Target: repeatWord(list[k], length),
			Length: length,
		}
	}
	t.Space = func(int) float64 { return float64(len(list) * (len(list) - 1)) }
	t.Chance = func(int) float64 { return 1 / float64(len(list)) }
	return t
}

// wordTask is what the copy-like tasks share: words drawn uniformly and with
// replacement follow the prefix, and answer turns them into the target. The
// caller gives name and description.
func wordTask(prefix string, answer func(drawn []string) string, special ...string) Task {
	list := words()
	prompt := func(drawn []string) string { return prefix + " " + strings.Join(drawn, " ") + " [SEP] " }
	return Task{
		Version: 1,
		Train:   Range{2, 20},
		Beyond:  Range{21, 40},
		Lengths: Range{1, MaxLength},
		Special: append([]string{"[SEP]"}, special...),
		Texts:   []string{prompt(list) + strings.Join(special, " ")},
		Prefix:  prefix,
		Generate: func(rng *rand.Rand, length int) Sample {
			drawn := make([]string, length)
			for i := range drawn {
				drawn[i] = list[rng.IntN(len(list))]
			}
			return Sample{Prompt: prompt(drawn), Target: answer(drawn), Length: length}
		},
		Correct: sameWords,
		Space:   func(length int) float64 { return math.Pow(float64(len(list)), float64(length)) },
		Chance:  func(length int) float64 { return math.Pow(float64(len(list)), -float64(length)) },
	}
}

func repeatWord(w string, n int) string { return strings.TrimSuffix(strings.Repeat(w+" ", n), " ") }

// sameWords compares word by word. Runs of spaces count as one and those at
// either end as none, as they do for the paper's tokenizer.
func sameWords(target, generated string) bool {
	return slices.Equal(strings.Fields(target), strings.Fields(generated))
}
