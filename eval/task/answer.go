package task

import (
	"slices"
	"strings"
)

// answerOpening is how the answers of the mathematical tasks begin.
const answerOpening = "The answer is"

// sentence returns what stands between opening ("The answer is") and the full
// stop that ends the text. Spaces count as in sameWords.
func sentence(text, opening string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), opening)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutSuffix(rest, ".")
	return strings.TrimSpace(rest), ok
}

// integer returns the canonical form of a whole number of any size whose digits
// may stand apart: "- 0 1 2" is "-12" and "+1" is "1".
func integer(text string) (string, bool) {
	digits := strings.ReplaceAll(text, " ", "")
	sign := ""
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		sign, digits = "-", rest
	} else {
		digits = strings.TrimPrefix(digits, "+")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return "0", true
	}
	return sign + digits, true
}

// sameInteger compares answers such as "The answer is 5 4 7." as numbers.
func sameInteger(target, generated string) bool {
	return sameSentence(target, generated, answerOpening, integer)
}

// sameYesNo compares answers such as "The answer is No."; letter case does not
// count.
func sameYesNo(target, generated string) bool {
	return sameSentence(target, generated, answerOpening, func(s string) (string, bool) {
		s = strings.ToLower(s)
		return s, s == "yes" || s == "no"
	})
}

// sameSentence compares the parsed contents of two answer sentences.
func sameSentence(target, generated, opening string, parse func(string) (string, bool)) bool {
	want, ok := sentence(target, opening)
	if !ok {
		return false
	}
	got, ok := sentence(generated, opening)
	if !ok {
		return false
	}
	a, okA := parse(want)
	b, okB := parse(got)
	return okA && okB && a == b
}

// sameList compares answers such as "The sorted list is [ 7, F, tree ]." element
// by element, each in the form that parse gives it.
func sameList(target, generated string, parse func(string) (string, bool)) bool {
	want, ok := list(target, parse)
	if !ok {
		return false
	}
	got, ok := list(generated, parse)
	return ok && slices.Equal(want, got)
}

func list(text string, parse func(string) (string, bool)) ([]string, bool) {
	text, ok := sentence(text, "The sorted list is")
	if !ok || !strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "]") || len(text) < 2 {
		return nil, false
	}
	elements := strings.Split(text[1:len(text)-1], ",")
	for i, e := range elements {
		if elements[i], ok = parse(strings.TrimSpace(e)); !ok {
			return nil, false
		}
	}
	return elements, true
}
