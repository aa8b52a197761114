package hf

import (
	"cmp"
	"slices"
	"sort"
)

// lexicon is texts in order, so that those which begin alike stand together. It finds all with which a text begins, and takes
// a step for each byte that at least one of them shares.
type lexicon struct {
	entries []entry
	start   [257]int // where the entries of each first byte begin
}

type entry struct {
	text string
	id   int64
}

// newLexicon takes the first of entries with the same text, and none without one.
func newLexicon(entries []entry) *lexicon {
	l := &lexicon{entries: slices.DeleteFunc(entries, func(e entry) bool { return e.text == "" })}
	slices.SortStableFunc(l.entries, func(a, b entry) int { return cmp.Compare(a.text, b.text) })
	l.entries = slices.CompactFunc(l.entries, func(a, b entry) bool { return a.text == b.text })
	for _, e := range l.entries {
		l.start[int(e.text[0])+1]++
	}
	for b := range 256 {
		l.start[b+1] += l.start[b]
	}
	return l
}

func lexiconOf(vocab map[string]int64) *lexicon {
	entries := make([]entry, 0, len(vocab))
	for text, id := range vocab {
		entries = append(entries, entry{text, id})
	}
	return newLexicon(entries)
}

// alike is the entries whose first bytes, as many as depth, are the same.
type alike struct{ from, to, depth int }

func (l *lexicon) all() alike { return alike{0, len(l.entries), 0} }

func (a alike) none() bool { return a.from == a.to }

// next returns the words of a that go on with a byte.
func (l *lexicon) next(a alike, b byte) alike {
	if a.depth == 0 {
		return alike{l.start[b], l.start[int(b)+1], 1}
	}
	if _, ends := l.ends(a); ends {
		a.from++
	}
	in := l.entries[a.from:a.to]
	from := sort.Search(len(in), func(i int) bool { return in[i].text[a.depth] >= b })
	in = in[from:]
	n := sort.Search(len(in), func(i int) bool { return in[i].text[a.depth] > b })
	return alike{a.from + from, a.from + from + n, a.depth + 1}
}

// ends returns the id of the entry that has no further bytes.
func (l *lexicon) ends(a alike) (id int64, ok bool) {
	if a.none() || len(l.entries[a.from].text) > a.depth {
		return 0, false
	}
	return l.entries[a.from].id, true
}

// longest returns the length and the id of the longest text that s begins with behind the bytes that a has, 0 for none, and
// how many bytes it looked at.
func (l *lexicon) longest(a alike, s string) (n int, id int64, steps int) {
	for steps < len(s) && !a.none() {
		a = l.next(a, s[steps])
		steps++
		if found, ok := l.ends(a); ok {
			n, id = steps, found
		}
	}
	return n, id, steps
}
