package hf

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// naiveMerges merges the pair of the lowest rank, of those the first, until there is none.
func naiveMerges(merges map[pair]merge, ids []int64) []int64 {
	ids = slices.Clone(ids)
	for {
		best, found := -1, merge{}
		for at := range len(ids) - 1 {
			if m, ok := merges[pair{ids[at], ids[at+1]}]; ok && (best < 0 || m.rank < found.rank) {
				best, found = at, m
			}
		}
		if best < 0 {
			return ids
		}
		ids = slices.Replace(ids, best, best+2, found.id)
	}
}

// TestMerges: random merges of random texts are what looking at all pairs after each merge gives.
func TestMerges(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 300 {
		vocab := map[string]int64{"a": 0, "b": 1, "c": 2}
		texts := []string{"a", "b", "c"}
		m := &bpe{vocab: vocab, merges: map[pair]merge{}}
		for rank := range 2 + rng.IntN(20) {
			left, right := texts[rng.IntN(len(texts))], texts[rng.IntN(len(texts))]
			p := pair{vocab[left], vocab[right]}
			if _, twice := m.merges[p]; twice {
				continue
			}
			if _, known := vocab[left+right]; !known {
				vocab[left+right] = int64(len(texts))
				texts = append(texts, left+right)
			}
			m.merges[p] = merge{rank, vocab[left+right]}
		}
		var text strings.Builder
		var letters []int64
		for range rng.IntN(40) {
			letter := rng.IntN(3)
			text.WriteString(texts[letter])
			letters = append(letters, int64(letter))
		}
		got, err := m.encode(newWalk(t.Context(), text.Len()), nil, text.String())
		if want := naiveMerges(m.merges, letters); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s with %v: %v, %v, want %v", text.String(), m.merges, got, err, want)
		}
	}
}

// TestMergesOfAlikeIDs: a merge is done once, also where files have several texts for an id, so that a merge makes what it was of.
func TestMergesOfAlikeIDs(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []int64
	}{{"babc", []int64{1, 0}}, {"abc", []int64{0}}, {"bc", []int64{1}}, {"bbcab", []int64{1, 1, 0}}, {"ababcabcb", []int64{0, 0, 0}}} {
		tok := open(t, `{"model":{"type":"BPE","vocab":{"a":0,"b":1,"c":2,"bc":1,"ab":0},"merges":["b c","a b"]}}`)
		if got, err := tok.Encode(t.Context(), tc.text); err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, %v, want %v", tc.text, got, err, tc.want)
		}
	}
}
