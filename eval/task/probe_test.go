package task_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

var probes = map[string]bool{"induction": true, "passkey": true, "needle": true, "needles": true, "chain": true}

// passkeyOracle counts the sentences that are left when all that is about the key is taken away.
func passkeyOracle() oracle {
	form := regexp.MustCompile(`^There is a pass key in this text\.(.*?) The pass key is (\d{5})\. Remember it\. (\d{5}) is the pass key\.` +
		`(.*) What is the pass key\? The pass key is $`)
	return oracle{form, func(g []string) (string, int) {
		filler := g[1] + g[4]
		if g[2] != g[3] || g[2][0] == '0' || !strings.HasPrefix(strings.Repeat(
			" The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.", 100), filler) {
			return "another key or other filler", 0
		}
		return g[2] + ".", strings.Count(filler, ".")
	}}
}

// The key stands at every depth, as often at each.
func TestPasskeyDepths(t *testing.T) {
	k, rng, at := lookup(t, "passkey"), seeded(3), map[int]int{}
	const draws, length = 4000, 3
	for range draws {
		s, err := k.Sample(rng, length, task.Whole)
		if err != nil {
			t.Fatal(err)
		}
		before, _, _ := strings.Cut(s.Prompt, " The pass key is")
		at[strings.Count(before, ".")-1]++
	}
	for depth := range length + 1 {
		if n := at[depth]; n < 850 || n > 1150 { // five standard deviations
			t.Errorf("%d of %d keys behind %d sentences", n, draws, depth)
		}
	}
	if len(at) != length+1 {
		t.Errorf("depths %v", at)
	}
}

// A sign of induction is one token under every rule, also where another task's words are known; the
// second half has the ids of the first. What follows an answer does not count, and what stands before it
// does.
func TestProbes(t *testing.T) {
	k := lookup(t, "induction")
	for _, rule := range []string{tokenizer.Words, tokenizer.Characters, tokenizer.Bytes} {
		pieces, err := task.Vocabulary(rule, append([]task.Task{k}, task.All()...)...)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := tokenizer.New(pieces)
		if err != nil {
			t.Fatal(err)
		}
		rng := seeded(5)
		for range 50 {
			s, err := k.Sample(rng, 40, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			ids, start, err := tok.EncodePair(s.Prompt, s.Target)
			if err != nil || start != 41 || len(ids) != 81 {
				t.Fatalf("%s: %q has %d tokens, the answer begins at %d (%v)", rule, s.Prompt, len(ids), start, err)
			}
			for i := range 40 {
				if ids[1+i] != ids[start+i] {
					t.Fatalf("%s: token %d of %q is another in the answer", rule, i, s.Prompt)
				}
			}
		}
	}
	for generated, want := range map[string]bool{"4%}": true, "4%}4%": true, " 4%}": true, "4%": false, "}4%}": false, "": false} {
		if got := k.Correct("4%}", generated); got != want {
			t.Errorf("%q for 4%%}: %v, want %v", generated, got, want)
		}
	}
	p := lookup(t, "passkey")
	for generated, want := range map[string]bool{"71432. Remember it.": true, "714321.": false, "71432": false, "1432.": false} {
		if got := p.Correct("71432.", generated); got != want {
			t.Errorf("%q for 71432.: %v, want %v", generated, got, want)
		}
	}
}
