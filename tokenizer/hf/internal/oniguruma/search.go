package oniguruma

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Bounds of a search.
const (
	fewSteps  = 32      // a byte: above, what is found out is kept, see memory
	manySteps = 1000    // a byte: above, the search is given up
	someSteps = 1 << 14 // more than few, whatever the text
	moreSteps = 1 << 20 // more than many
	looked    = 1 << 12 // steps between two looks at the context
)

// errAgain ends a match that is begun again with a memory.
var errAgain = errors.New("again")

// all returns the matches from left to right. One that is empty is not right behind another.
func (m *machine) all() (out []Match, err error) {
	last := -1 // where the one before ends
	for pos := 0; pos <= len(m.text); {
		from, end, err := m.search(pos)
		switch {
		case err != nil:
			return nil, err
		case end < 0:
			return out, nil
		case from == end && end == last:
			pos = end + width(m.text, end)
			continue
		}
		out = append(out, Match{from, end})
		pos, last = end, end
	}
	return out, nil
}

// search returns the first match that begins at pos or behind; end < 0 is none.
func (m *machine) search(pos int) (from, end int, err error) {
	for ; pos <= len(m.text); pos += width(m.text, pos) {
		if m.want != nil {
			for pos < len(m.text) && !m.want.has(m.text[pos]) {
				pos++
			}
			if pos == len(m.text) {
				break
			}
		}
		end, err = m.match(pos)
		if err != nil || end >= 0 {
			return pos, end, err
		}
	}
	return 0, -1, nil
}

// width is the size of the character at pos; 1 at the end.
func width(text string, pos int) int {
	if pos == len(text) || text[pos] < utf8.RuneSelf {
		return 1
	}
	_, size := utf8.DecodeRuneInString(text[pos:])
	return size
}

// match returns the end of the match that begins at pos, < 0 for none.
func (m *machine) match(pos int) (int, error) {
	end, err := m.run(m.start, pos)
	if err == errAgain {
		m.stack = m.stack[:0]
		end, err = m.run(m.start, pos)
	}
	return end, err
}

// count looks at bounds and at the context.
func (m *machine) count() error {
	m.look = m.steps + looked
	if m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	switch most := manySteps*len(m.text) + moreSteps; {
	case m.steps > most:
		return fmt.Errorf("it takes more than %d steps on a text of %d bytes", most, len(m.text))
	case m.memory == nil && m.steps > fewSteps*len(m.text)+someSteps:
		m.memory = newMemory(len(m.code), len(m.text))
		return errAgain
	}
	return nil
}
