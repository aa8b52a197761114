package hf

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestLooks: what may take long looks at its context after each 4,096 steps, and ends with it.
func TestLooks(t *testing.T) {
	bpe := open(t, `{"model":{"type":"BPE","vocab":{"a":0,"aa":1},"merges":[["a","a"]]}}`).model.(*bpe)
	unmerged := open(t, `{"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}`).model
	unigram := open(t, `{"model":{"type":"Unigram","vocab":[["a",-1]]}}`).model
	added := open(t, `{`+unknownModel+`,"added_tokens":[{"id":1,"content":"a"}]}`).added.plain
	words := open(t, `{`+unknownModel+`}`)
	words.split = func(_ *walk, p []piece) ([]piece, error) {
		return slices.Repeat([]piece{{"a", true}}, len(p[0].text)), nil
	}
	forms, err := readPrecompiled(tableOf(charsmap('b', "c")))
	if err != nil {
		t.Fatal(err)
	}
	digits, err := preTokenizer([]byte(`{"type":"Digits"}`))
	if err != nil {
		t.Fatal(err)
	}
	a := func(n int) string { return strings.Repeat("a", n) }
	encode := func(m model) func(w *walk, n int) error {
		return func(w *walk, n int) error { _, err := m.encode(w, nil, a(n)); return err }
	}
	for name, tc := range map[string]struct {
		do    func(w *walk, n int) error
		looks map[int]int // by steps
	}{
		// A text of n characters takes 2n−1 steps: each is looked for, and what would go on.
		"unigram":    {encode(unigram), map[int]int{1: 1, 2048: 1, 2049: 2, 4096: 2, 4097: 3}},
		"added":      {func(w *walk, n int) error { _, err := added.cut(w, a(n), true); return err }, map[int]int{1: 1, 2048: 1, 2049: 2, 4097: 3}},
		"characters": {encode(unmerged), map[int]int{1: 1, 4095: 1, 4096: 2, 4097: 2, 8192: 3}},
		"merges": {func(w *walk, n int) error { // of n characters n−1 candidates
			symbols := make([]symbol, n)
			for i := range symbols {
				symbols[i] = symbol{prev: i - 1, next: i + 1}
			}
			symbols[n-1].next = 0
			return bpe.merge(w, symbols)
		}, map[int]int{1: 0, 4096: 0, 4097: 1, 8192: 1, 8193: 2}},
		"forms":   {func(w *walk, n int) error { _, err := forms.normalize(w, a(n)); return err }, map[int]int{1: 0, 4095: 0, 4096: 1, 8191: 1, 8192: 2}},
		"cuts":    {func(w *walk, n int) error { _, err := digits(w, slices.Repeat([]piece{{"a", true}}, n)); return err }, map[int]int{1: 1, 4096: 1, 4097: 2, 8193: 3}},
		"matches": {func(w *walk, n int) error { _, err := pattern{text: "a"}.spans(w, a(n)); return err }, map[int]int{1: 0, 4095: 0, 4096: 1, 8191: 1, 8192: 2}},
		"pieces":  {func(w *walk, n int) error { _, err := words.encodePart(w, nil, segment{text: a(n)}); return err }, map[int]int{4096: 1, 4097: 2, 8192: 2, 8193: 3}},
	} {
		for n, want := range tc.looks {
			_ = tc.do(newWalk(t.Context(), n), n) // words that are known take no look
			c := &countdown{Context: t.Context(), left: 1 << 30}
			if err := tc.do(newWalk(c, n), n); err != nil || c.looks != want {
				t.Errorf("%s of %d: %d looks, %v, want %d", name, n, c.looks, err, want)
			}
			ctx, end := context.WithCancelCause(t.Context())
			end(errEnough)
			for left := range want {
				if err := tc.do(newWalk(&countdown{Context: ctx, left: left}, n), n); !errors.Is(err, errEnough) {
					t.Errorf("%s of %d: %v at look %d", name, n, err, left)
				}
			}
		}
	}
}

// TestSteps: how many steps things take, each a byte that is looked at.
func TestSteps(t *testing.T) {
	tok := open(t, `{`+unknownModel+`,"added_tokens":[{"id":1,"content":"aaaa"},{"id":2,"content":"ab"}]}`)
	unigram := open(t, `{"model":{"type":"Unigram","unk_id":0,"vocab":[["u",0],["aaaa",-1],["ab",-1],["b",-1]]}}`).model
	wordpiece := open(t, `{"model":{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"#","max_input_chars_per_word":9,"vocab":{"u":0,"ab":1,"#ab":2,"#aaaa":3}}}`).model
	bpe := open(t, `{"model":{"type":"BPE","vocab":{"a":0,"##b":1,"ab":2},"merges":[["a","##b"]],"continuing_subword_prefix":"##","end_of_word_suffix":""}}`).model
	for name, tc := range map[string]struct {
		do   func(w *walk) error
		want int
	}{
		"added":     {func(w *walk) error { _, err := tok.added.plain.cut(w, "abxaaab", true); return err }, 3 + 1 + 4 + 3 + 2},
		"unigram":   {func(w *walk) error { _, err := unigram.encode(w, nil, "abxaab"); return err }, 3 + 2 + 1 + 3 + 2 + 1},
		"wordpiece": {func(w *walk) error { _, err := wordpiece.encode(w, nil, "abab"); return err }, 3 + 2},
		"bpe":       {func(w *walk) error { _, err := bpe.encode(w, nil, "ab"); return err }, 1 + 3},
	} {
		if n := stepsOf(t, 10, tc.do); n != tc.want {
			t.Errorf("%s: %d steps, want %d", name, n, tc.want)
		}
	}
}

// TestSpacesOfAddedTokens: a token that takes the spaces before it, and is one, takes each of them once.
func TestSpacesOfAddedTokens(t *testing.T) {
	tok := open(t, `{`+unknownModel+`,"added_tokens":[{"id":1,"content":"<l>","lstrip":true},{"id":2,"content":"<r>","rstrip":true},
		{"id":3,"content":"ab","single_word":true},{"id":4,"content":"<l><r>"}]}`)
	for text, want := range map[string][]int64{
		"x  <l>": {0, 1}, "  <l>": {1}, "<r>  <l>": {2, 1}, "<r>  x": {2, 0}, "<r>  ": {2}, "<r> <r> <l>": {2, 2, 1}, " ": {0},
		"ab": {3}, "xab": {0}, "abx": {0}, "x ab x": {0, 3, 0}, "ab ab": {3, 0, 3}, "<l><r>": {4}, "<l><r": {1, 0},
	} {
		if ids, err := tok.Encode(t.Context(), text); err != nil || !slices.Equal(ids, want) {
			t.Errorf("%q: %v, %v, want %v", text, ids, err, want)
		}
	}
}
