package task

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A chain has chainNames names, each of two consonants around a vowel; a value has five digits, of which the first is no 0.
const (
	chainNames      = 5
	chainConsonants = "BDFGKLMPRT"
	chainVowels     = "AEIO"
)

const (
	chainValue = "Let %s be %d."
	chainLink  = "Let %s be %s."
)

// chainOfNames hides assignments in running text, each of the name before it, and asks for all names that have the value of the first: the
// variable tracking of RULER (see needle), with one chain of four links. The words and the filler are ours.
//
//	Follow the names in this text. Let BAK be 48213. The library has more maps than novels. Let TIR be BAK. … Which names have
//	the value 48213? The names with the value 48213 are ⏵ BAK, TIR, MOL, DEG, GAP.
func chainOfNames() Task {
	const opening = "Follow the names in this text."
	question := func(value int) (string, string) {
		return fmt.Sprintf("Which names have the value %d?", value), fmt.Sprintf("The names with the value %d are", value)
	}
	h := hidden{Opening: opening, Filler: needleFiller, Spread: true, Right: sameNames,
		Draw: func(rng *rand.Rand) secret {
			value := passkeyFirst + rng.IntN(passkeyKeys)
			s := secret{}
			var names []string
			for len(names) < chainNames {
				name := string([]byte{chainConsonants[rng.IntN(len(chainConsonants))], chainVowels[rng.IntN(len(chainVowels))],
					chainConsonants[rng.IntN(len(chainConsonants))]})
				if slices.Contains(names, name) {
					continue
				}
				fact := fmt.Sprintf(chainValue, name, value)
				if n := len(names); n > 0 {
					fact = fmt.Sprintf(chainLink, name, names[n-1])
				}
				names, s.Facts = append(names, name), append(s.Facts, fact)
			}
			s.Question, s.Lead = question(value)
			s.Answer = strings.Join(names, ", ")
			return s
		}}
	all := float64(len(chainConsonants) * len(chainConsonants) * len(chainVowels))
	asked, lead := question(11234567890)
	var b strings.Builder
	b.WriteString(strings.Join(slices.Concat([]string{opening, asked, lead}, needleFiller), " ") + " 1 2 3 4 5 6 7 8 9,")
	for _, first := range chainConsonants {
		for _, vowel := range chainVowels {
			for _, last := range chainConsonants {
				fmt.Fprintf(&b, " Let %[1]s be %[1]s.", string([]rune{first, vowel, last}))
			}
		}
	}
	return hide(Task{
		Name:        "chain",
		Description: "find all names to which a value is handed on, one after the other, in running text; the length is the number of sentences of filler",
		Texts:       []string{b.String()},
		Space:       func(int) float64 { return passkeyKeys * math.Pow(all/2, chainNames) },
		Chance:      func(int) float64 { return 0 },
	}, h)
}

var chainName = regexp.MustCompile(`\b[` + chainConsonants + `][` + chainVowels + `][` + chainConsonants + `]\b`)

// sameNames compares the names up to the end of the sentence, in any order.
func sameNames(answer, generated string) bool {
	if at := strings.IndexAny(strings.TrimSpace(generated), ".\n"); at >= 0 {
		generated = strings.TrimSpace(generated)[:at]
	}
	sorted := func(text string) []string {
		names := chainName.FindAllString(text, -1)
		slices.Sort(names)
		return slices.Compact(names)
	}
	return slices.Equal(sorted(answer), sorted(generated))
}
