package oniguruma

import "unicode/utf8"

// span returns where characters of the set end that begin at pos, of which there are at most so many.
func (s *set) span(text string, pos, most int) int {
	for ; most != 0 && pos < len(text); most-- {
		if c := text[pos]; c < utf8.RuneSelf {
			if !s.ascii.has(c) {
				break
			}
			pos++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[pos:])
		if !s.rest.has(r) {
			break
		}
		pos += size
	}
	return pos
}

// runAll returns where a run ends that gives nothing back.
func (m *machine) runAll(at, pos int) (int, error) {
	i := &m.code[at]
	if m.memory == nil || i.most > 0 {
		end := i.set.span(m.text, pos, i.most)
		m.steps += end - pos
		return end, nil
	}
	reached := pos
	end := m.memory.endOf(at, pos, 0)
	for end < 0 {
		if next := i.set.span(m.text, reached, 1); next > reached {
			m.steps++
			reached, end = next, m.memory.endOf(at, next, 0)
		} else {
			end = reached
		}
	}
	for ; pos < reached; pos += width(m.text, pos) {
		if err := m.memory.keep(at, pos, 0, end); err != nil {
			return pos, err
		}
	}
	return end, nil
}

// shorten takes characters off a run until what is behind may go on there.
func (m *machine) shorten(w *way, want *byteSet) bool {
	for w.pos > w.least {
		size := 1
		if m.text[w.pos-1] >= utf8.RuneSelf {
			_, size = utf8.DecodeLastRuneInString(m.text[:w.pos])
		}
		w.pos -= size
		m.steps++
		if want == nil || want.has(m.text[w.pos]) {
			return true
		}
	}
	return false
}
