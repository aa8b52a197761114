package oniguruma

import (
	"sync"
	"unicode/utf8"
)

// holds tells whether pos is a place of a kind.
func (m *machine) holds(a anchor, pos int) bool {
	last := len(m.text)
	switch a {
	case textStart:
		return pos == 0
	case textEnd:
		return pos == last
	case lastEnd:
		return pos == last || pos == last-1 && m.text[pos] == '\n'
	case lineStart: // there is none behind the last end of a line
		return pos == 0 || pos < last && m.text[pos-1] == '\n'
	case lineEnd:
		return pos == last || m.text[pos] == '\n'
	}
	before, _ := utf8.DecodeLastRuneInString(m.text[:pos])
	after, _ := utf8.DecodeRuneInString(m.text[pos:])
	different := words().has(before) != words().has(after) // beyond the text is U+FFFD, of which there are no words
	return different == (a == boundary)
}

// words is the set of \w outside of classes.
var words = sync.OnceValue(func() *set { return newSet(union(posix["word"](), superscripts)) })
