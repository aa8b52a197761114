package task

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// The tasks of Huang et al., A Formal Framework for Understanding Length Generalization
// in Transformers (2025), arXiv 2410.02140, are strings of symbols between three marks:
// the beginning, what separates answer from question, and the end of the sequence. Each
// symbol and each mark is one token:
//
//	[BOS] ad cx ab [SEP] ⏵ ad cx ab
//
// A length counts the symbols of the prompt.

// symbolTrain are the lengths that the authors train on. They test up to 150.
var symbolTrain = Range{1, 50}

const symbolBeyond = 150

// symbolSet says how many symbols a task has, and how many it can have: the option
// "alphabetN" changes it.
type symbolSet struct {
	size, min, max int
	with           func(size int) Task // the task with so many
}

// maxAlphabet is the number of words of two letters.
const maxAlphabet = 26 * 26

// symbols returns the first n symbols, in their order, which is the alphabetical one:
// "0" and "1", letters for up to 26, else words of two letters, or of as many as it takes.
func symbols(n int) []string {
	if n == 2 {
		return []string{"0", "1"}
	}
	list := make([]string, n)
	for i := range list {
		for most, rest := 1, i; most < n; most, rest = 26*most, rest/26 {
			list[i] = string(rune('a'+rest%26)) + list[i]
		}
	}
	return list
}

// symbolTask completes a task of that form, whose draw gives the symbols of a prompt of a
// length and of its answer. all are the symbols that occur.
func symbolTask(t Task, all []string, draw func(rng *rand.Rand, length int) (prompt, answer []string)) Task {
	t.Version, t.Prefix, t.Special = 1, "[BOS]", []string{"[BOS]", "[SEP]"}
	if t.Train == (Range{}) {
		t.Train = symbolTrain
	}
	t.Beyond = Range{t.Train.Max + 1, symbolBeyond}
	if t.Lengths == (Range{}) {
		t.Lengths = Range{1, MaxLength}
	}
	t.Texts = []string{symbolPrompt(all)}
	t.Correct = sameWords
	t.Generate = func(rng *rand.Rand, length int) Sample {
		prompt, answer := draw(rng, length)
		return Sample{Prompt: symbolPrompt(prompt), Target: once(answer), Length: length}
	}
	return t
}

func symbolPrompt(list []string) string { return "[BOS] " + once(list) + " [SEP] " }

// withAlphabet returns the task of a name with its alphabet in place.
func withAlphabet(a symbolSet) Task {
	t := a.with(a.size)
	t.alphabet = &a
	return t
}

// resized returns the task with the number of symbols that an option asks for: "alphabet256".
func (t Task) resized(given options) (Task, error) {
	option := given[optionAlphabet]
	if option == "" {
		return t, nil
	}
	if t.alphabet == nil {
		can := tasksWith(func(t Task) bool { return t.alphabet != nil })
		return t, fmt.Errorf("%s: its symbols are fixed; tasks with an alphabet: %s", shorten(option), can)
	}
	a := *t.alphabet
	size, err := parseNumber(strings.TrimPrefix(option, optionAlphabet))
	if err != nil || size < a.min || size > a.max {
		return t, fmt.Errorf("%s: want %s%d to %s%d symbols", shorten(option), optionAlphabet, a.min, optionAlphabet,
			a.max)
	}
	name := t.Name
	t = a.with(size)
	t.alphabet, t.Name = &a, name
	if size != a.size { // one way to write a task
		t.Name = fmt.Sprintf("%s+%s%d", name, optionAlphabet, size)
	}
	return t, nil
}

// shuffled returns n different symbols of a list in random order.
func shuffled(rng *rand.Rand, list []string, n int) []string {
	rest := slices.Clone(list)
	for i := range n {
		k := i + rng.IntN(len(rest)-i)
		rest[i], rest[k] = rest[k], rest[i]
	}
	return rest[:n]
}

// letters draws n symbols of a list with replacement.
func letters(rng *rand.Rand, list []string, n int) []string {
	return lists.Make(n, func(int) string { return list[rng.IntN(len(list))] })
}

// drawOnes draws an order of n digits, of which so many are ones.
func drawOnes(rng *rand.Rand, n, ones int) []string {
	drawn := make([]string, n)
	for i := range drawn {
		drawn[i] = "0"
		if i < ones {
			drawn[i] = "1"
		}
	}
	return shuffled(rng, drawn, n)
}
