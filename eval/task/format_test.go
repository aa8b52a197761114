package task

import (
	"slices"
	"strings"
	"testing"
)

// The strings of the paper's tables, one instance of each mathematical task.
func TestFormats(t *testing.T) {
	names := sortWords()
	single := func(words ...string) unsorted {
		var l unsorted
		for _, w := range words {
			l = append(l, element{slices.Index(names, w), w})
		}
		return l
	}
	for _, tc := range []struct {
		p              problem
		prompt, answer string
	}{
		{sum{[]byte{4, 8, 0}, []byte{6, 7}}, "Compute 4 8 0 + 6 7 ? ", "The answer is 5 4 7."},
		{sum{[]byte{0}, []byte{9, 9, 9}}, "Compute 0 + 9 9 9 ? ", "The answer is 9 9 9."},
		{sum{[]byte{1}, []byte{9, 9, 9}}, "Compute 1 + 9 9 9 ? ", "The answer is 1 0 0 0."},
		{evaluation{-2, []term{{3, 2}, {-1, 0}}}, "Evaluate at x = - 2 in 3 * x ** 2 + - 1 * x ** 0 ? ",
			"The answer is 1."},
		{evaluation{-2, []term{{3, 3}}}, "Evaluate at x = - 2 in 3 * x ** 3 ? ", "The answer is 6."},
		{evaluation{0, []term{{-3, 0}}}, "Evaluate at x = 0 in - 3 * x ** 0 ? ", "The answer is 7."},
		{single("F", "7", "tree"), "Sort the following list [ F, 7, tree ]. ", "The sorted list is [ 7, F, tree ]."},
		{unsorted{{412, number(412)}, {30, number(30)}}, "Sort the following list [ 4 1 2, 3 0 ]. ",
			"The sorted list is [ 3 0, 4 1 2 ]."},
		{addends{4, 5, 6}, "Compute: 4 + 5 + 6 .[SEP] ", "The answer is 5 ."},
		{bits{0, 1, 1, 1}, "Is the number of 1's even in the sequence [ 0, 1, 1, 1 ] ? ", "The answer is No."},
		{bits{0, 1, 1}, "Is the number of 1's even in the sequence [ 0, 1, 1 ] ? ", "The answer is Yes."},
		{chain{[]byte("tgp"), []int{-1, 1, 1}, 2}, "If t = -1, g = - t, p = + g. Then, what is the value of p? ",
			"The answer is +1."},
	} {
		if got := tc.p.prompt(); got != tc.prompt {
			t.Errorf("prompt %q, want %q", got, tc.prompt)
		}
		if got := tc.p.answer(); got != tc.answer {
			t.Errorf("%s: answer %q, want %q", tc.prompt, got, tc.answer)
		}
	}
}

// The complete example of the paper's format, and a step of every task.
func TestScratchpadFormats(t *testing.T) {
	full := allParts
	noVariables := parts("icor")
	for _, tc := range []struct {
		reason string
		p      problem
		f      parts
		want   string
	}{
		{"the complete example", addends{4, 5, 6}, full,
			"Thinking step by step: in 4 comp 4 + sum = 4 + 0 = out 4 [ sum: 4 = 4 ] re 5 + 6 # " +
				"in 5 comp 5 + sum = 5 + 4 = out 9 [ sum: 9 = 9 ] re 6 # " +
				"in 6 comp 6 + sum = 6 + 9 = out 1 5 [ sum: 1 5 = 5 ] re . Thus, The answer is 5 ."},
		{"two digits out", addends{5, 9, 5}, minimalParts,
			"Thinking step by step: comp 5 + sum = 5 + 0 = out 5 # comp 9 + sum = 9 + 5 = out 1 4 # comp 5 + sum = 5 " +
				"+ 4 = out 9. Thus, The answer is 9 ."},
		{"addition", sum{[]byte{5, 3, 7, 2, 6}, []byte{1, 9, 1, 7, 7}}, full,
			"Thinking step by step: in 6, 7 comp 6 + 7 + carry = 13 + 0 = 13 out 3 [ " +
				"carry: 1 ] re 5 3 7 2 + 1 9 1 7 # " +
				"in 2, 7 comp 2 + 7 + carry = 9 + 1 = 10 out 0 [ carry: 1 ] re 5 3 7 + 1 9 1 # " +
				"in 7, 1 comp 7 + 1 + carry = 8 + 1 = 9 out 9 [ carry: 0 ] re 5 3 + 1 9 # " +
				"in 3, 9 comp 3 + 9 + carry = 12 + 0 = 12 out 2 [ carry: 1 ] re 5 + 1 # " +
				"in 5, 1 comp 5 + 1 + carry = 6 + 1 = 7 out 7 [ carry: 0 ] re + . Thus, The answer is 7 2 9 0 3."},
		{"a carry that is left, and a padded operand", sum{[]byte{9, 8}, []byte{5}}, full,
			"Thinking step by step: in 8, 5 comp 8 + 5 + carry = 13 + 0 = 13 out 3 [ carry: 1 ] re 9 + 0 # " +
				"in 9, 0 comp 9 + 0 + carry = 9 + 1 = 10 out 0 [ carry: 1 ] re + # " +
				"in 0, 0 comp 0 + 0 + carry = 0 + 1 = 1 out 1 [ carry: 0 ] re + . Thus, The answer is 1 0 3."},
		{"polynomial", evaluation{4, []term{{-2, 3}, {1, 0}}}, full,
			"Thinking step by step: in - 2 * x ** 3 comp - 2 * 4 ** 3 = - 2 * 6 4 out - 1 2 8 [ sum: 0 + " +
				"- 1 2 8 = 2 ] re 1 * x ** 0 # " +
				"in 1 * x ** 0 comp 1 * 4 ** 0 = 1 * 1 out 1 [ sum: 2 + 1 = 3 ] re . Thus, The answer is 3."},
		{"sorting", unsorted{{30, number(30)}, {25, number(25)}, {12, number(12)}}, noVariables,
			"Thinking step by step: in 3 0 comp The minimum of the unsorted portion out 1 2 re [ 2 5, 3 0 ] # " +
				"in 2 5 comp The minimum of the unsorted portion out 2 5 re [ 3 0 ] # " +
				"in 3 0 comp The minimum of the unsorted portion out 3 0 re [ ]. Thus, The " +
				"sorted list is [ 1 2, 2 5, 3 0 ]."},
		{"parity", bits{0, 1, 0}, full,
			"Thinking step by step: in 0 comp 0 ** par = 0 ** 0 out 0 [ par: 0 ] re [ 1, 0 ] # " +
				"in 1 comp 1 ** par = 1 ** 0 out 1 [ par: 1 ] re [ 0 ] # in 0 comp 0 ** par = 0 ** 1 out 1 [ par: 1 " +
				"] re [ ]. Thus, The answer is No."},
		{"lego stops at the variable asked for", chain{[]byte("tgpa"), []int{-1, 1, 1, -1}, 2}, noVariables,
			"Thinking step by step: in t comp out -1 re g = - t, p = + g, a = - p # in g comp - t = - " +
				"-1 out +1 re p = + g, a = - p # " +
				"in p comp + g = + +1 out +1 re a = - p. Thus, The answer is +1."},
		{"variables alone", addends{4, 5}, parts("v"),
			"Thinking step by step: [ sum: 4 = 4 ] # [ sum: 9 = 9 ]. Thus, The answer is 9 ."},
	} {
		got := tc.f.format(tc.p.steps()) + " " + tc.p.answer()
		if got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.reason, got, tc.want)
		}
		steps, rest, err := tc.f.Parse(got)
		if err != nil || rest != tc.p.answer() || len(steps) != len(tc.p.steps()) {
			t.Errorf("%s: read back as %d steps and %q, %v", tc.reason, len(steps), rest, err)
		}
	}
}

// No word may be one of the strings that a scorer looks for, nor a special piece.
func TestWordsAreOrdinary(t *testing.T) {
	for _, list := range [][]string{words(), sortWords()} {
		for _, w := range list {
			for _, bad := range []string{"<pad>", "</s>", "[SEP]", "[NEXT]", "in", "comp", "out", "re", "#", "[", "]",
				",", "."} {
				if w == bad || strings.Contains(w, "<") {
					t.Errorf("%q is among the words", w)
				}
			}
		}
	}
	if n := len(sortWords()); n != 50 {
		t.Errorf("%d words to sort, want 50", n)
	}
}

// Every pair of phrases is a command: 102 + 2·102².
func TestScanPhrases(t *testing.T) {
	phrases := scanPhrases()
	seen := map[string]bool{}
	for _, p := range phrases {
		seen[p.text] = true
	}
	if len(phrases) != 102 || len(seen) != 102 {
		t.Errorf("%d phrases, %d different; want 102", len(phrases), len(seen))
	}
}
