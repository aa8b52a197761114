package hf

import (
	"slices"
	"strings"
	"testing"
)

// TestCutSegments: the parts of a text between added tokens, of which none is empty, and which of them it begins with.
func TestCutSegments(t *testing.T) {
	tok := open(t, `{`+unknownModel+`,"added_tokens":[{"id":1,"content":"<s>"},{"id":2,"content":"<l>","lstrip":true},{"id":3,"content":"<r>","rstrip":true}]}`)
	begins := func(text string) segment { return segment{text: text, first: true} }
	inside := func(text string) segment { return segment{text: text} }
	id := func(id int64) segment { return segment{token: true, id: id} }
	for text, want := range map[string][]segment{
		"":               nil,
		"a":              {begins("a")},
		"<s>":            {id(1)},
		"<s><s>":         {id(1), id(1)},
		"a<s>b<s>c":      {begins("a"), id(1), inside("b"), id(1), inside("c")},
		"<s>a":           {id(1), inside("a")},
		"  <l>a <l>  ":   {id(2), inside("a"), id(2), inside("  ")},
		" <r>  a<r>  ":   {begins(" "), id(3), inside("a"), id(3)},
		"<r>  <l><s><sa": {id(3), id(2), id(1), inside("<sa")},
	} {
		for _, first := range []bool{true, false} {
			got, err := tok.added.plain.cut(newWalk(t.Context(), len(text)), text, first)
			wanted := slices.Clone(want)
			for i := range wanted {
				wanted[i].first = wanted[i].first && first
			}
			if err != nil || !slices.Equal(got, wanted) {
				t.Errorf("%q: %v, %v, want %v", text, got, err, wanted)
			}
		}
	}
	// Without added tokens all of a text is one part.
	if got, err := (finder{}).cut(newWalk(t.Context(), 1), "", true); err != nil || !slices.Equal(got, []segment{begins("")}) {
		t.Errorf("no tokens: %v, %v", got, err)
	}
}

// TestStepsOfLongTexts: steps are counted once, however many times they are told of.
func TestStepsOfLongTexts(t *testing.T) {
	added := open(t, `{`+unknownModel+`,"added_tokens":[{"id":1,"content":"a"}]}`).added.plain
	unigram := open(t, `{"model":{"type":"Unigram","vocab":[["a",-1]]}}`).model
	bpe := open(t, `{"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}`).model
	for n := 4 * looked; n < 4*looked+3; n++ {
		text := strings.Repeat("a", n)
		for name, tc := range map[string]struct {
			do   func(w *walk) error
			want int
		}{
			// Of each character, and of the one behind it, which no text goes on with.
			"added":   {func(w *walk) error { _, err := added.cut(w, text, true); return err }, 2*n - 1},
			"unigram": {func(w *walk) error { _, err := unigram.encode(w, nil, text); return err }, 2*n - 1},
			"bpe":     {func(w *walk) error { _, err := bpe.encode(w, nil, text); return err }, n},
		} {
			if got := stepsOf(t, n, tc.do); got != tc.want {
				t.Errorf("%s: %d steps for %d bytes, want %d", name, got, n, tc.want)
			}
		}
	}
}
