package oniguruma

import (
	"errors"
	"unicode/utf8"
)

// What is done at how many steps.
const (
	fewSteps  = 16      // a byte: above, what is found out is kept, see memory
	someSteps = 1 << 14 // more than few, for any text
	looked    = 1 << 12 // steps between two calls of look
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
			return out, m.look(m.steps - m.reported)
		case from == end && end == last:
			pos = end + width(m.text, end)
			continue
		}
		out = append(out, Match{from, end})
		pos, last = end, end
	}
	return out, m.look(m.steps - m.reported)
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

// count tells of the steps since it was last called, and begins a memory where there are many.
func (m *machine) count() error {
	steps := m.steps - m.reported
	m.reported = m.steps
	if err := m.look(steps); err != nil {
		return err
	}
	if m.memory == nil && m.steps > fewSteps*len(m.text)+someSteps {
		m.memory = newMemory(len(m.code), len(m.text))
		return errAgain
	}
	return nil
}
