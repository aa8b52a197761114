package main

import (
	"strings"
	"testing"
)

// TestFlagWords holds the table against the flags that there are.
func TestFlagWords(t *testing.T) {
	for key, words := range flagWords() {
		verb, flag, own := strings.Cut(key, " ")
		if !own {
			verb, flag = "", key
		}
		found := false
		for _, make := range verbs() {
			c := make(&app{})
			found = found || (!own || c.Name() == verb) && c.Flags().Lookup(flag) != nil
		}
		if !found || len(words) == 0 {
			t.Errorf("%q: %v, for a flag that is not there, or no words", key, words)
		}
	}
}
