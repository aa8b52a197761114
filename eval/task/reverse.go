package task

import (
	"slices"
	"strings"
)

// reverseWords is the paper's reverse "mc" (variant 1), with the words of copy.
//
//	Reverse: 7 tree B [SEP] ⏵ B tree 7
func reverseWords() Task {
	t := wordTask("Reverse:", backwards)
	t.Name, t.Aliases = "reverse", []string{"reverse-mc"}
	t.Description = "give a list of words backwards; the length is the number of words"
	return t
}

// reverseTwice is the paper's reverse "mc2x".
//
//	Reverse: 7 B [SEP] ⏵ B 7 [NEXT] B 7
func reverseTwice() Task {
	t := wordTask("Reverse:", func(drawn []string) string { return backwards(drawn) + " [NEXT] " + backwards(drawn) }, "[NEXT]")
	t.Name = "reverse-mc2x"
	t.Description = "give a list of words backwards, twice; the length is the number of words given"
	return t
}

// reverseBack is the paper's reverse "mcrv" (variant 2).
//
//	Reverse: 7 B [SEP] ⏵ B 7 [NEXT] 7 B
func reverseBack() Task {
	t := wordTask("Reverse:", func(drawn []string) string { return backwards(drawn) + " [NEXT] " + strings.Join(drawn, " ") }, "[NEXT]")
	t.Name = "reverse-mcrv"
	t.Description = "give a list of words backwards, then as it was; the length is the number of words given"
	return t
}

func backwards(drawn []string) string {
	turned := slices.Clone(drawn)
	slices.Reverse(turned)
	return strings.Join(turned, " ")
}
