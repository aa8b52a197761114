package oniguruma

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// span is the characters from lo to hi.
type span struct{ lo, hi rune }

// ranges is a set of characters: spans in their order, which neither meet nor touch.
type ranges []span

// normal returns the set of spans in any order.
func normal(spans []span) ranges {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	var out ranges
	for _, s := range spans {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}

func union(sets ...ranges) ranges { return normal(slices.Concat(sets...)) }

// complement returns the characters that are not in a set. It is never nil.
func (r ranges) complement() ranges {
	out := ranges{}
	next := rune(0)
	for _, s := range r {
		if s.lo > next {
			out = append(out, span{next, s.lo - 1})
		}
		next = s.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out
}

func intersection(a, b ranges) ranges { return union(a.complement(), b.complement()).complement() }

func (r ranges) has(c rune) bool {
	_, found := slices.BinarySearchFunc(r, c, func(s span, c rune) int {
		switch {
		case s.hi < c:
			return -1
		case s.lo > c:
			return 1
		}
		return 0
	})
	return found
}

// ofTable returns the characters of one of Go's tables.
func ofTable(t *unicode.RangeTable) ranges {
	var spans []span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			spans = append(spans, span{lo, hi})
			return
		}
		for c := lo; c <= hi; c += stride {
			spans = append(spans, span{c, c})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return normal(spans)
}

func one(c rune) ranges { return ranges{{c, c}} }

// set is ranges, for fast answers.
type set struct {
	ascii byteSet
	rest  ranges // all of it
}

func newSet(r ranges) *set {
	s := &set{rest: r}
	for c := range rune(utf8.RuneSelf) {
		if r.has(c) {
			s.ascii.add(byte(c))
		}
	}
	return s
}

func (s *set) has(c rune) bool {
	if c < utf8.RuneSelf {
		return s.ascii.has(byte(c))
	}
	return s.rest.has(c)
}

// byteSet is a set of bytes.
type byteSet [4]uint64

func (b *byteSet) add(c byte)      { b[c>>6] |= 1 << (c & 63) }
func (b *byteSet) has(c byte) bool { return b[c>>6]>>(c&63)&1 != 0 }

func (b *byteSet) or(c byteSet) {
	for i := range b {
		b[i] |= c[i]
	}
}

// firstBytes returns the bytes that characters of the set begin with; those beyond ASCII count as one.
func (s *set) firstBytes() byteSet {
	b := s.ascii
	if n := len(s.rest); n > 0 && s.rest[n-1].hi >= utf8.RuneSelf {
		b[2], b[3] = ^uint64(0), ^uint64(0)
	}
	return b
}
