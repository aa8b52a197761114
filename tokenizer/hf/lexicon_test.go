package hf

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLexicon: what a lexicon finds is what looking at each of its texts finds, for bytes at the ends too.
func TestLexicon(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	random := func(most int) string {
		b := make([]byte, rng.IntN(most))
		for i := range b {
			b[i] = "\x00\x01ab\xfe\xff"[rng.IntN(6)]
		}
		return string(b)
	}
	for range 300 {
		var entries []entry
		first := map[string]int64{}
		for id := range int64(rng.IntN(30)) {
			e := entry{random(5), id}
			entries = append(entries, e)
			if _, twice := first[e.text]; !twice {
				first[e.text] = id
			}
		}
		delete(first, "")
		l := newLexicon(entries)
		for range 30 {
			before, s := random(3), random(8)
			in := l.all()
			for i := range len(before) {
				in = l.next(in, before[i])
			}
			if id, ok := l.ends(in); ok != has(first, before) || id != first[before] {
				t.Fatalf("%q in %v: ends %d, %v", before, first, id, ok)
			}
			n, id, steps := l.longest(in, s)
			most, shared := 0, 0
			for text := range first {
				rest, ok := strings.CutPrefix(text, before)
				if ok && rest != "" && strings.HasPrefix(s, rest) {
					most = max(most, len(rest))
				}
				for i := 0; ok && i <= len(rest) && i < len(s) && strings.HasPrefix(s, rest[:i]); i++ {
					shared = max(shared, i+1) // and the byte that tells that there are no more
				}
			}
			if n != most || n > 0 && id != first[before+s[:n]] || steps != shared {
				t.Fatalf("%q behind %q in %v: %d bytes, id %d, %d steps, want %d bytes and %d steps", s, before, first, n, id, steps, most, shared)
			}
		}
	}
}

func has(m map[string]int64, text string) bool {
	_, ok := m[text]
	return ok
}
