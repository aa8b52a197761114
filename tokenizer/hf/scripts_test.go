package hf

import (
	"testing"
	"unicode"
)

// TestScriptOf: at the ends of the ranges of Unicode's scripts, and next to them, characters are of the script whose table has them.
func TestScriptOf(t *testing.T) {
	at := map[rune]bool{0: true, unicode.MaxRune: true}
	for _, table := range unicode.Scripts {
		add := func(lo, hi, stride rune) {
			for _, r := range []rune{lo - 1, lo, lo + 1, lo + stride, hi - 1, hi, hi + 1} {
				at[max(0, r)] = true
			}
		}
		for _, r := range table.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range table.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	for r := range at {
		want := ""
		for script, table := range unicode.Scripts {
			if unicode.Is(table, r) {
				want = script
			}
		}
		switch {
		case r == ' ':
			want = ""
		case r == 'ー', want == "Hiragana", want == "Katakana":
			want = "Han"
		}
		if got := scriptOf(r); got != want {
			t.Errorf("%U: %q, want %q", r, got, want)
		}
	}
}
