package task

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Options that change how addition writes its numbers.
const (
	// optionReversed puts the lowest digit first, in the order in which digits of a sum
	// can be known (Lee et al., Teaching Arithmetic to Small Transformers, 2023, arXiv
	// 2307.03381, for the answer; Shen et al., Positional Description Matters for
	// Transformers Arithmetic, 2023, arXiv 2311.14737, for all numbers).
	optionReversed = "reversed"
	// optionPadded fills both summands with zeros to the length, and the answer to one
	// digit more (Lee et al. 2023; Cho et al., Position Coupling, 2024, arXiv 2405.20671).
	optionPadded = "padded"
	// optionHints puts a word before each digit that is the same for digits of the same
	// weight (Zhou et al., What Algorithms can Transformers Learn?, 2023, arXiv
	// 2310.16028). The words are consecutive ones of a list, from a random one on, so that
	// words for long numbers are met in short ones (Zhou et al., Transformers Can Achieve
	// Length Generalization But Not Robustly, 2024, arXiv 2402.09371).
	optionHints = "hints"
)

// layoutOptions are these options, in the order in which a name has them.
var layoutOptions = []string{optionReversed, optionPadded, optionHints}

// layout says how numbers are written.
type layout struct{ reversed, padded, hints bool }

// laidOut returns the task with its numbers written as the options say.
func (t Task) laidOut(given options) (Task, error) {
	list := slices.DeleteFunc(slices.Clone(layoutOptions), func(o string) bool { return given[o] == "" })
	switch {
	case len(list) == 0:
		return t, nil
	case given[optionScratchpad] != "":
		return t, fmt.Errorf("a scratchpad (%s) takes digits in its own order and form: leave it or %s out",
			given[optionScratchpad], strings.Join(list, ", "))
	case t.layouts == nil:
		return t, fmt.Errorf("%s: its numbers have one form; tasks with others: %s", list[0],
			tasksWith(func(t Task) bool { return t.layouts != nil }))
	}
	name := strings.Join(append([]string{t.Name}, list...), "+")
	t = t.layouts(layout{given[optionReversed] != "", given[optionPadded] != "", given[optionHints] != ""})
	t.Name = name
	return t, nil
}

// hintWords is the number of words that hints are taken from: words of two letters from
// aa to hz, among which no word of a sentence is.
const hintWords = 8 * 26

// additionIn is addition with its numbers written in another way.
//
//	reversed  Compute 0 8 4 + 7 6 ? ⏵ The answer is 7 4 5.
//	padded    Compute 4 8 0 + 0 6 7 ? ⏵ The answer is 0 5 4 7.
//	hints     Compute cb 4 ca 8 bz 0 + ca 6 bz 7 ? ⏵ The answer is cb 5 ca 4 bz 7.
func additionIn(l layout) Task {
	t := addition()
	t.scratch, t.layouts = nil, nil
	words := symbols(maxAlphabet)[:hintWords]
	starts := func(int) int { return 1 }
	t.Correct = func(target, generated string) bool {
		return sameSentence(target, generated, answerOpening, func(s string) (string, bool) {
			if l.reversed {
				digits := strings.Fields(s)
				slices.Reverse(digits)
				s = strings.Join(digits, " ")
			}
			return integer(s)
		})
	}
	if l.hints {
		t.Lengths.Max = hintWords - 1 // a sum has one digit more
		t.Texts = append(t.Texts, " "+strings.Join(words, " "))
		starts = func(n int) int { return hintWords - n }
		t.Correct = sameWords
		space, chance := t.Space, t.Chance
		t.Space = func(n int) float64 { return space(n) * float64(starts(n)) }
		t.Chance = func(n int) float64 { return chance(n) / float64(starts(n)) }
	}
	t.plain = l.plain
	t.Generate = func(rng *rand.Rand, length int) Sample {
		s := drawAddition(rng, length).(sum)
		hints := words[rng.IntN(starts(length)):]
		return Sample{
			Prompt: "Compute " + l.write(s.a, length, hints) + " + " + l.write(s.b, length, hints) + " ? ",
			Target: answerOpening + " " + l.write(s.total(), length+1, hints) + ".",
			Length: length,
		}
	}
	return t
}

// write returns the digits of a number, which come with the highest first, as the layout
// has them: filled to a number of digits, each after the hint of its weight.
func (l layout) write(digits []byte, width int, hints []string) string {
	if l.padded {
		digits = append(make([]byte, width-len(digits)), digits...)
	}
	out := make([]string, len(digits))
	for i, d := range digits {
		out[i] = string('0' + rune(d))
		if l.hints {
			out[i] = hints[len(digits)-1-i] + " " + out[i]
		}
	}
	if l.reversed {
		slices.Reverse(out)
	}
	return strings.Join(out, " ")
}

// plain returns the prompt of the same sum without a layout.
func (l layout) plain(prompt string) string {
	text := strings.TrimSuffix(strings.TrimPrefix(prompt, "Compute "), " ? ")
	numbers := strings.Split(text, " + ")
	for i, n := range numbers {
		digits := strings.Fields(n)
		if l.hints {
			digits = slices.DeleteFunc(digits, func(word string) bool { return word < "0" || word > "9" })
		}
		if l.reversed {
			slices.Reverse(digits)
		}
		for l.padded && len(digits) > 1 && digits[0] == "0" {
			digits = digits[1:]
		}
		numbers[i] = strings.Join(digits, " ")
	}
	return "Compute " + strings.Join(numbers, " + ") + " ? "
}
