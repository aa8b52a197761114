package hf

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nopezoo/zoo/tokenizer/hf/internal/oniguruma"
)

func expression(t testing.TB, text string) pattern {
	t.Helper()
	e, err := oniguruma.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	return pattern{expression: e}
}

func spansOf(t testing.TB, p pattern, text string) []span {
	t.Helper()
	spans, err := p.spans(newWalk(t.Context(), len(text)), text)
	if err != nil {
		t.Fatal(err)
	}
	return spans
}

// gpt2Words cuts all of a text.
func gpt2Words(text string) (words []string) {
	for text != "" {
		n := gpt2Word(text)
		words, text = append(words, text[:n]), text[n:]
	}
	return words
}

// What is written by hand cuts as the regular expression does: every character of Unicode, before and after others, and
// texts of what the alternatives are about.
func TestGPT2Word(t *testing.T) {
	p := expression(t, gpt2)
	check := func(text string) {
		t.Helper()
		var want []string
		for _, s := range spansOf(t, p, text) {
			if !s.match {
				t.Fatalf("%q: %q is no match", text, text[s.from:s.to])
			}
			want = append(want, text[s.from:s.to])
		}
		if got := gpt2Words(text); !slices.Equal(got, want) {
			t.Fatalf("%q: words %q, want %q", text, got, want)
		}
	}
	var all strings.Builder
	for r := range rune(utf8.MaxRune + 1) {
		if !utf8.ValidRune(r) || r > 0x32000 && r < 0xe0000 { // where nothing is assigned
			continue
		}
		all.WriteString("a " + string(r) + "1")
		if all.Len() > 1000 || r == utf8.MaxRune {
			check(all.String())
			all.Reset()
		}
	}
	rng := rand.New(rand.NewPCG(5, 5))
	parts := []string{"'", "s", "t", "re", "v", "e", "m", "l", "d", "D", " ", " ", "\n", "\u00a0", "\u2003", "9", "½", "é", "東", "!", "\u0301",
		"\xff", "\xe2\x80"}
	for range 5_000 {
		text := ""
		for range rng.IntN(12) {
			text += parts[rng.IntN(len(parts))]
		}
		check(text)
	}
}
