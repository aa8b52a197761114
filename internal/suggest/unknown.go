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

// Nearest returns the known name with the least edits from name, or "" when none is close.
// Case does not count.
func Nearest(name string, known []string) string {
	best, least := "", len(name)/2+1
	for _, k := range known {
		if d := EditDistance([]rune(strings.ToLower(name)), []rune(strings.ToLower(k))); d < least {
			best, least = k, d
		}
	}
	return best
}
