package hf

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// zipfText is n bytes of text, in which some words are frequent and most are rare, as in running text.
func zipfText(n int) string {
	rng := rand.New(rand.NewPCG(3, 3))
	var words []string
	for range 40_000 {
		words = append(words, fmt.Sprintf(" %x", rng.Uint32()>>rng.IntN(28)))
	}
	var text strings.Builder
	for text.Len() < n {
		text.WriteString(words[int(float64(len(words))*rng.Float64()*rng.Float64()*rng.Float64())])
	}
	return text.String()
}

// learn returns the pieces that are learnt from texts.
func learn(size int, texts ...string) ([]string, error) {
	return trainBPE(context.Background(), size, texts, func(string, int, int) {})
}

// trained is the tokenizer of a vocabulary that is learnt from a text.
func trained(t testing.TB, size int, text string) *coder {
	t.Helper()
	pieces, err := learn(size, text)
	if err != nil {
		t.Fatal(err)
	}
	file, err := bpeFile(pieces, false)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// plain is Encode without the words that are known, for a tokenizer of trained.
func (t *coder) plain(text string) (ids []int64, err error) {
	w := newWalk(context.Background(), len(text))
	pieces, err := t.split(w, []piece{{text, true}})
	if err != nil {
		return nil, err
	}
	for _, p := range pieces {
		if ids, err = t.model.encode(w, ids, p.text); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Words that are known have the ids that the model gives them, whoever asks at once, also where there are more of them
// than are kept, and where they are longer.
func TestKnownWords(t *testing.T) {
	tok := trained(t, 600, zipfText(100_000))
	var asked sync.WaitGroup
	for g := range 3 {
		asked.Go(func() {
			for part := range 3 {
				var b strings.Builder
				for i := range 900 {
					fmt.Fprintf(&b, " %d%s", i, strings.Repeat("ab", (i+part*g)%60)) // half of them alike
				}
				want, err := tok.plain(b.String())
				if err != nil {
					t.Error(err)
				}
				if got, err := tok.Encode(t.Context(), b.String()); err != nil || !slices.Equal(got, want) {
					t.Errorf("text %d of goroutine %d: other ids, %v", part, g, err)
				}
				// what is returned is the caller's
				if got, err := tok.Encode(t.Context(), " abab"); err == nil {
					got[0] = -1
				}
			}
		})
	}
	asked.Wait()
	if again, err := tok.Encode(t.Context(), " abab"); err != nil || slices.Contains(again, -1) {
		t.Errorf("the ids of a word were changed: %v, %v", again, err)
	}
}

// What is kept is bounded, and what is too much or too long is encoded as ever.
func TestKnownWordsBound(t *testing.T) {
	var k knownWords
	m := wordLevel{unk: 7, open: true}
	most, w := 0, newWalk(t.Context(), 1000)
	for i := range 2 * mostKnown / (knownWord + 8) {
		word := fmt.Sprint(i)
		if ids, err := k.encode(w, m, []int64{1}, word); err != nil || !slices.Equal(ids, []int64{1, 7}) {
			t.Fatal(ids, err)
		}
		if k.size > mostKnown || len(k.ids) > mostKnown/knownWord {
			t.Fatalf("%d words of %d bytes are kept", len(k.ids), k.size)
		}
		most = max(most, k.size)
	}
	if most > 8<<20 || most < 8<<20-1000 {
		t.Errorf("at most %d bytes are kept", most)
	}
	var one knownWords
	for i, want := range []int{0, 64 + 64 + 8, 64 + 64 + 8, 64 + 64 + 8 + 1 + 64 + 8} { // a word, its id and 64 bytes more
		word := strings.Repeat("a", []int{65, 64, 64, 1}[i])
		if ids, err := one.encode(w, m, nil, word); err != nil || len(ids) != 1 || one.size != want {
			t.Errorf("word %d: %v, %v, %d bytes are kept, want %d", i, ids, err, one.size, want)
		}
	}
	one.keep("a", []int64{1}) // as if two had asked at once
	if one.size != 64+64+8+1+64+8 {
		t.Errorf("twice: %d bytes are kept", one.size)
	}
	full := knownWords{ids: map[string][]int64{"b": {1}}, size: mostKnown - 1 - 8 - knownWord}
	if full.keep("a", []int64{1}); len(full.ids) != 2 || full.size != mostKnown {
		t.Errorf("%d words of %d bytes are kept where there is just room", len(full.ids), full.size)
	}
	if full.keep("c", nil); len(full.ids) != 1 || full.size != 1+knownWord {
		t.Errorf("%d words of %d bytes are kept after there was none", len(full.ids), full.size)
	}
	before := len(k.ids)
	if _, err := k.encode(w, m, nil, strings.Repeat("a", longestKnown+1)); err != nil || len(k.ids) != before {
		t.Errorf("%d words, were %d, %v", len(k.ids), before, err)
	}
	if _, err := k.encode(w, wordLevel{}, nil, "unknown"); err == nil || k.ids["unknown"] != nil {
		t.Errorf("a word that cannot be expressed is kept: %v", err)
	}
}

// BenchmarkEncodeText has text with the frequencies of running text: "known" as Encode has it, "anew" without words that
// are known, "regexp" also cut by the regular expression.
func BenchmarkEncodeText(b *testing.B) {
	text := zipfText(1_000_000)
	tok := trained(b, 2048, text)
	cut := expression(b, gpt2)
	for _, way := range []struct {
		name   string
		encode func() error
	}{
		{"known", func() error { _, err := tok.Encode(b.Context(), text); return err }},
		{"anew", func() error { _, err := tok.plain(text); return err }},
		{"regexp", func() error {
			var ids []int64
			w := newWalk(b.Context(), len(text))
			for _, s := range spansOf(b, cut, text) {
				var err error
				if ids, err = tok.model.encode(w, ids, spelled(text[s.from:s.to])); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if err := way.encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
