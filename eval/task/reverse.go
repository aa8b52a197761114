package task

import "slices"

// reverseWords is the paper's reverse "mc" (variant 1), with the words of copy.
//
//	Reverse: 7 tree B [SEP] ⏵ B tree 7
func reverseWords() Task {
	return wordTask(Task{
		Name: "reverse", Aliases: []string{"reverse-mc"}, Prefix: "Reverse:",
		Description: "give a list of words backwards; the length is the number of words",
	}, backwards)
}

// reverseTwice is the paper's reverse "mc2x".
//
//	Reverse: 7 B [SEP] ⏵ B 7 [NEXT] B 7
func reverseTwice() Task {
	return wordTask(Task{
		Name: "reverse-mc2x", Prefix: "Reverse:", Special: []string{"[NEXT]"},
		Description: "give a list of words backwards, twice; the length is the number of words given",
	}, func(drawn []string) string { return backwards(drawn) + " [NEXT] " + backwards(drawn) })
}

// reverseBack is the paper's reverse "mcrv" (variant 2).
//
//	Reverse: 7 B [SEP] ⏵ B 7 [NEXT] 7 B
func reverseBack() Task {
	return wordTask(Task{
		Name: "reverse-mcrv", Prefix: "Reverse:", Special: []string{"[NEXT]"},
		Description: "give a list of words backwards, then as it was; the length is the number of words given",
	}, func(drawn []string) string { return backwards(drawn) + " [NEXT] " + once(drawn) })
}

func backwards(drawn []string) string {
	turned := slices.Clone(drawn)
	slices.Reverse(turned)
	return once(turned)
}
