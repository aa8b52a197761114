package oniguruma

import "unicode/utf8"

// machine runs a program on a text.
type machine struct {
	*program
	text     string
	look     func(steps int) error
	stack    []way
	steps    int
	reported int     // steps that look has got
	memory   *memory // nil as long as few steps were made

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

// run follows the program from an instruction to its opMatch, and returns where it is then; < 0 where all
// ways fail. Parts that match by themselves run within: how deep is bounded by the expression.
func (m *machine) run(at, pos int) (int, error) {
	base := len(m.stack)
	text := m.text
	empty := uint64(0) // bits of repetitions that began at pos
	for {
		if m.steps++; m.steps-m.reported >= looked {
			if err := m.count(); err != nil {
				return 0, err
			}
		}
		i := &m.code[at]
		if m.memory != nil && (i.op == opSplit || i.op == opRun) {
			switch end := m.memory.endOf(at, pos, empty); {
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
			return failed, err
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
