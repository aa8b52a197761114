package oniguruma

import (
	"context"
	"errors"
	"fmt"
	"sync"
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

// machine runs a program on a text.
type machine struct {
	*program
	ctx    context.Context
	text   string
	stack  []way
	steps  int
	look   int     // at how many steps the context is looked at next
	memory *memory // nil as long as few steps were made

	at, pos int // where back has gone
	empty   uint64
}

// way is one that is not tried yet, or, in memory, where one began that is being tried.
type way struct {
	kind  wayKind
	at    int // instruction
	pos   int
	least int // wayRun: where the run began
	empty uint64
}

type wayKind uint8

const (
	wayOther wayKind = iota // go on at other
	wayRun                  // one character less of a run
	wayNext                 // go on at next: the run of this length
	wayTried                // all of an instruction's ways failed
)

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

// run follows the program from an instruction to its opMatch, and returns where it is then; < 0 where all
// ways fail. Parts that match by themselves run within: how deep is bounded by the expression.
func (m *machine) run(at, pos int) (int, error) {
	base := len(m.stack)
	text := m.text
	empty := uint64(0) // bits of repetitions that began at pos
	for {
		if m.steps++; m.steps >= m.look {
			if err := m.count(); err != nil {
				return 0, err
			}
		}
		i := &m.code[at]
		if m.memory != nil && (i.op == opSplit || i.op == opRun) {
			switch end := m.memory.of(at, pos, empty); {
			case end >= 0:
				return m.matched(base, end)
			case end == failed:
				goto fail
			}
		}
		switch i.op {
		case opMatch:
			return m.matched(base, pos)
		case opSet:
			if pos == len(text) {
				goto fail
			}
			if c := text[pos]; c < utf8.RuneSelf {
				if !i.set.ascii.has(c) {
					goto fail
				}
				pos++
			} else {
				r, size := utf8.DecodeRuneInString(text[pos:])
				if !i.set.rest.has(r) {
					goto fail
				}
				pos += size
			}
			empty, at = 0, i.next
			continue
		case opSetBack:
			r, size := utf8.DecodeLastRuneInString(text[:pos])
			if size == 0 || !i.set.has(r) {
				goto fail
			}
			pos -= size
			empty, at = 0, i.next
			continue
		case opRun:
			if m.memory != nil && i.most < 0 { // one by one, so that each length is remembered
				m.stack = append(m.stack, way{kind: wayNext, at: at, pos: pos, empty: empty})
				end := i.set.span(text, pos, 1)
				if end == pos {
					goto fail
				}
				pos, empty = end, 0
				continue
			}
			if m.memory != nil {
				m.stack = append(m.stack, way{kind: wayTried, at: at, pos: pos, empty: empty})
			}
			if end := i.set.span(text, pos, i.most); end > pos {
				m.stack = append(m.stack, way{kind: wayRun, at: at, pos: end, least: pos, empty: empty})
				m.steps += end - pos
				pos, empty = end, 0
			}
			at = i.next
			continue
		case opRunAll:
			end, err := m.runAll(at, pos)
			if err != nil {
				return 0, err
			}
			if end > pos {
				pos, empty = end, 0
			}
			at = i.next
			continue
		case opSplit:
			if i.want != nil && (pos == len(text) || !i.want.has(text[pos])) {
				at = i.other
				continue
			}
			m.stack = append(m.stack, way{kind: wayOther, at: at, pos: pos, empty: empty})
			at = i.next
			continue
		case opAnchor:
			if !m.holds(i.anchor, pos) {
				goto fail
			}
			at = i.next
			continue
		case opLook:
			end, err := m.run(i.other, pos)
			if err != nil {
				return 0, err
			}
			if end >= 0 == i.negative {
				goto fail
			}
			at = i.next
			continue
		case opAtomic:
			end, err := m.run(i.other, pos)
			if err != nil {
				return 0, err
			}
			if end < 0 {
				goto fail
			}
			if end > pos {
				pos, empty = end, 0
			}
			at = i.next
			continue
		case opBegin:
			empty |= i.bit
			at = i.next
			continue
		case opEnd:
			if at = i.next; empty&i.bit != 0 {
				at = i.other
			}
			empty &^= i.bit
			continue
		}
	fail:
		found, err := m.back(base)
		if err != nil || !found {
			return -1, err
		}
		at, pos, empty = m.at, m.pos, m.empty
	}
}

// back goes to the last way that is not tried yet, above base.
func (m *machine) back(base int) (found bool, err error) {
	for len(m.stack) > base {
		m.steps++
		top := len(m.stack) - 1
		w := &m.stack[top]
		i := &m.code[w.at]
		m.at, m.pos, m.empty = i.next, w.pos, w.empty
		switch w.kind {
		case wayTried:
			if err := m.memory.keep(w.at, w.pos, w.empty, failed); err != nil {
				return false, err
			}
			m.stack = m.stack[:top]
			continue
		case wayRun:
			found := m.shorten(w, i.want)
			if m.pos = w.pos; m.pos > w.least {
				m.empty = 0
			}
			if !found || m.pos == w.least {
				m.stack = m.stack[:top]
			}
			if !found {
				continue
			}
			return true, nil
		case wayOther:
			m.at = i.other
		}
		if m.memory != nil {
			w.kind = wayTried
		} else {
			m.stack = m.stack[:top]
		}
		return true, nil
	}
	return false, nil
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

// matched returns end, where all ways above base are as far as they are tried: each leads there.
func (m *machine) matched(base, end int) (int, error) {
	if m.memory != nil {
		for _, w := range m.stack[base:] {
			if w.kind == wayRun {
				continue
			}
			if err := m.memory.keep(w.at, w.pos, w.empty, end); err != nil {
				return 0, err
			}
		}
	}
	m.stack = m.stack[:base]
	return end, nil
}

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
	end, begun := pos, pos
	for end < len(m.text) {
		if known := m.memory.of(at, end, 0); known >= 0 {
			end = known
			break
		}
		next := i.set.span(m.text, end, 1)
		if next == end {
			break
		}
		m.steps++
		end = next
	}
	for ; pos < end && m.memory.of(at, pos, 0) < 0; pos += width(m.text, pos) {
		if err := m.memory.keep(at, pos, 0, end); err != nil {
			return begun, err
		}
	}
	return end, nil
}

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
	different := (pos > 0 && words().has(before)) != (pos < last && words().has(after))
	return different == (a == boundary)
}

// words is the set of \w outside of classes.
var words = sync.OnceValue(func() *set { return newSet(union(posix["word"](), superscripts)) })
