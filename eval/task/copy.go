package task

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// copyWords is the paper's copy "cmc" (variant 3): repeat the given words, which
// are drawn uniformly and with replacement from the 100 words.
//
//	Copy: 7 tree B [SEP] ⏵ 7 tree B
func copyWords() Task {
	return wordTask(Task{
		Name: "copy", Aliases: []string{"copy-cmc"}, Prefix: "Copy:",
		Description: "repeat a list of words; the length is the number of words",
	}, once)
}

// copyTwice is the paper's copy "cmc2x".
//
//	Copy: 7 B [SEP] ⏵ 7 B [NEXT] 7 B
func copyTwice() Task {
	return wordTask(Task{
		Name: "copy-cmc2x", Prefix: "Copy:", Special: []string{"[NEXT]"},
		Description: "repeat a list of words twice; the length is the number of words given",
	}, func(drawn []string) string { return once(drawn) + " [NEXT] " + once(drawn) })
}

func once(drawn []string) string { return strings.Join(drawn, " ") }

// copySame is the paper's copy "rsc" (variant 1), and with times 2 its "rsc2x":
// one word, repeated.
//
//	Copy: K K K [SEP] ⏵ K K K
//	Copy: K K [SEP] ⏵ K K K K
func copySame(times int) Task {
	list := words()
	t := Task{
		Name: "copy-rsc", Prefix: "Copy:",
		Description: "repeat one word as often as it is given; the length is that number",
		Generate: func(rng *rand.Rand, length int) Sample {
			w := list[rng.IntN(len(list))]
			prompt := "Copy: " + repeatWord(w, length) + " [SEP] "
			return Sample{Prompt: prompt, Target: repeatWord(w, length*times), Length: length}
		},
		Space:  func(int) float64 { return float64(len(list)) },
		Chance: func(int) float64 { return 1 / float64(len(list)) },
	}
	if times > 1 {
		t.Name = "copy-rsc2x"
		t.Description = "repeat one word twice as often as it is given; the length is how often it is given"
	}
	return wordTask(t, nil)
}

// replaceWord is the paper's copy "rdc" (variant 2): one word, repeated, to be
// replaced by another. Both are of the first 78 words and differ.
//
//	Replace 4 with = in 4 4 4 [SEP] ⏵ = = =
func replaceWord() Task {
	list := words()[:78]
	return wordTask(Task{
		Name: "copy-rdc", Prefix: "Replace",
		Description: "replace a repeated word by another; the length is the number of repetitions",
		Texts:       []string{"Replace " + strings.Join(list, " ") + " with in [SEP] "},
		Generate: func(rng *rand.Rand, length int) Sample {
			i, k := rng.IntN(len(list)), rng.IntN(len(list)-1)
			if k >= i {
				k++
			}
			return Sample{
				Prompt: "Replace " + list[i] + " with " + list[k] + " in " + repeatWord(list[i], length) + " [SEP] ",
				Target: repeatWord(list[k], length),
				Length: length,
			}
		},
		Space:  func(int) float64 { return float64(len(list) * (len(list) - 1)) },
		Chance: func(int) float64 { return 1 / float64(len(list)) },
	}, nil)
}

// wordTask completes a copy-like task. One that does not draw samples of its own has words
// drawn uniformly and with replacement after the prefix, which answer turns into the target.
func wordTask(t Task, answer func(drawn []string) string) Task {
	list := words()
	prompt := func(drawn []string) string { return t.Prefix + " " + once(drawn) + " [SEP] " }
	if t.Texts == nil {
		t.Texts = []string{prompt(list) + strings.Join(t.Special, " ")}
	}
	t.Version, t.Train, t.Beyond, t.Lengths = 1, Range{2, 20}, Range{21, 40}, Range{1, MaxLength}
	t.Special = append([]string{"[SEP]"}, t.Special...)
	t.Correct = sameWords
	if t.Generate != nil {
		return t
	}
	t.Generate = func(rng *rand.Rand, length int) Sample {
		drawn := lists.Make(length, func(int) string { return list[rng.IntN(len(list))] })
		return Sample{Prompt: prompt(drawn), Target: answer(drawn), Length: length}
	}
	t.Space = func(length int) float64 { return math.Pow(float64(len(list)), float64(length)) }
	t.Chance = func(length int) float64 { return math.Pow(float64(len(list)), -float64(length)) }
	return t
}

func repeatWord(w string, n int) string { return strings.TrimSuffix(strings.Repeat(w+" ", n), " ") }

// sameWords compares word by word. Runs of spaces count as one and those at
// either end as none, as they do for the paper's tokenizer.
func sameWords(target, generated string) bool {
	return slices.Equal(strings.Fields(target), strings.Fields(generated))
}
