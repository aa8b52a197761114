package hf

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestSpans: what finds matches cuts all of a text, into parts that are not empty.
func TestSpans(t *testing.T) {
	in := func(from, to int) span { return span{from, to, true} }
	out := func(from, to int) span { return span{from, to, false} }
	for name, tc := range map[string]struct {
		find finding
		want map[string][]span
	}{
		"digits": {runes(unicode.IsNumber), map[string][]span{
			"": nil, "1": {in(0, 1)}, "a": {out(0, 1)}, "a1": {out(0, 1), in(1, 2)}, "1a": {in(0, 1), out(1, 2)}, "11": {in(0, 1), in(1, 2)},
			"é½½éa1": {out(0, 2), in(2, 4), in(4, 6), out(6, 9), in(9, 10)},
		}},
		"words": {words, map[string][]span{
			"": nil, "a": {in(0, 1)}, " ": {out(0, 1)}, "aé!? \n1": {in(0, 3), in(3, 5), out(5, 7), in(7, 8)}, " a": {out(0, 1), in(1, 2)}, "! ": {in(0, 1), out(1, 2)},
		}},
		"scripts": {scripts, map[string][]span{
			"": nil, "a": {out(0, 1)}, " ": {in(0, 1)}, " a": {in(0, 1), out(1, 2)}, "a é東a ": {out(0, 4), out(4, 7), out(7, 9)},
		}},
		"text": {pattern{text: "ab"}.spans, map[string][]span{
			"": nil, "ab": {in(0, 2)}, "a": {out(0, 1)}, "abab": {in(0, 2), in(2, 4)}, "xabyabz": {out(0, 1), in(1, 3), out(3, 4), in(4, 6), out(6, 7)},
		}},
		"expression": {expression(t, "ab|(?=y)").spans, map[string][]span{
			"": nil, "ab": {in(0, 2)}, "a": {out(0, 1)}, "abab": {in(0, 2), in(2, 4)}, "xyab": {out(0, 1), in(1, 1), out(1, 2), in(2, 4)}, "y": {in(0, 0), out(0, 1)},
		}},
	} {
		for text, want := range tc.want {
			if got, err := tc.find(newWalk(t.Context(), len(text)), text); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %q: %v, %v, want %v", name, text, got, err, want)
			}
		}
	}
}

// TestPunctuation: of ASCII all that is printed except letters and digits, of the rest Unicode's.
func TestPunctuation(t *testing.T) {
	for r := range rune(0x3100) {
		want := strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", r)
		if r >= 0x80 {
			want = unicode.IsPunct(r)
		}
		if isPunctuation(r) != want {
			t.Errorf("%U: %v", r, !want)
		}
	}
}
