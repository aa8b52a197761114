// Package suggest finds the known name that a wrong one may stand for.
package suggest

import (
	"fmt"
	"strings"
)

// mostListed is how many names Unknown lists where one of them is near.
const mostListed = 20

// Unknown is the error for an unknown name; what it names is such as a "task" or a "key". It suggests
// the nearest known name, if one is near, and lists the names unless they are many.
func Unknown(what, name string, known []string) error {
	near := Nearest(name, known)
	switch {
	case len(known) == 0:
		return fmt.Errorf("unknown %s %q; there are none", what, name)
	case near == "":
		return fmt.Errorf("unknown %s %q; known: %s", what, name, strings.Join(known, ", "))
	case len(known) > mostListed:
		return fmt.Errorf("unknown %s %q; did you mean %q?", what, name, near)
	}
	return fmt.Errorf("unknown %s %q; did you mean %q? known: %s", what, name, near, strings.Join(known, ", "))
}

// Nearest returns the shortest known name that has a word more than name, such as train.steps for steps, or else the one
// with the least edits, or "" when none is close. Case does not count.
func Nearest(name string, known []string) string {
	full := ""
	for _, k := range known {
		if strings.EqualFold(name, k) {
			return k
		}
		if lacksWord(strings.ToLower(name), strings.ToLower(k)) && (full == "" || len(k) < len(full)) {
			full = k
		}
	}
	if full != "" {
		return full
	}
	best, least := "", len(name)/2+1
	for _, k := range known {
		if d := EditDistance([]rune(strings.ToLower(name)), []rune(strings.ToLower(k))); d < least {
			best, least = k, d
		}
	}
	return best
}

// lacksWord reports whether name is the full name without a word, which is not the last one.
func lacksWord(name, full string) bool {
	const separators = "._-"
	for i := range name {
		if i > 0 && !strings.ContainsRune(separators, rune(name[i-1])) {
			continue
		}
		rest, begins := strings.CutPrefix(full, name[:i])
		word, ends := strings.CutSuffix(rest, name[i:])
		if begins && ends && word != "" && strings.ContainsRune(separators, rune(word[len(word)-1])) {
			return true
		}
	}
	return false
}
