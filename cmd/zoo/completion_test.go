package main

import (
	"strings"
	"testing"
)

// TestFlagValues holds the tables against the verbs and flags that there are.
func TestFlagValues(t *testing.T) {
	a := &app{}
	commands := a.root().Commands()
	for key := range a.flagValues() {
		verb, flag, own := strings.Cut(key, " ")
		if !own {
			verb, flag = "", key
		}
		found := false
		for _, c := range commands {
			found = found || (!own || c.Name() == verb) && c.Flags().Lookup(flag) != nil
		}
		if !found {
			t.Errorf("%q: there is no such flag", key)
		}
	}
	for verb := range a.verbArguments() {
		if c, _, err := a.root().Find([]string{verb}); err != nil || c.Name() != verb {
			t.Errorf("%q: there is no such verb", verb)
		}
	}
}
