package oniguruma

import (
	"fmt"
	"strings"
)

// class reads a class of characters behind its bracket. Negative tells that it is the complement of the set.
func (p *parser) class() (r ranges, negative bool, err error) {
	start := p.at - 1
	if err := p.deeper(); err != nil {
		return nil, false, err
	}
	defer func() { p.levels-- }()
	negative = p.take("^")
	within := anyCharacter // what is on the left of &&
	var spans []span
	if strings.HasPrefix(p.text[p.at:], "]") && strings.Contains(p.text[p.at+1:], "]") { // a first one is itself
		p.at++
		if spans, err = p.span(spans, ']'); err != nil {
			return nil, false, err
		}
	}
	for first := p.at; ; {
		switch {
		case !p.more():
			return nil, false, fmt.Errorf("byte %d: a class is not closed", start)
		case p.at == first && spans == nil && p.text[first] == ']':
			return nil, false, fmt.Errorf("byte %d: a class is empty", start)
		case p.take("]"):
			r = intersection(within, normal(spans))
			return r, negative, p.weigh(r)
		case p.take("&&"):
			within, spans = intersection(within, normal(spans)), nil
			if err := p.weigh(within); err != nil {
				return nil, false, err
			}
		default:
			if spans, err = p.member(spans); err != nil {
				return nil, false, err
			}
		}
	}
}

// member reads a part of a class: a set, a character or a range.
func (p *parser) member(spans []span) ([]span, error) {
	start := p.at
	if p.take("[:") {
		if r, ok, err := p.bracket(); ok || err != nil {
			return append(spans, r...), err
		}
		p.at = start
	}
	if p.take("[") {
		r, negative, err := p.class()
		if negative {
			r = r.complement()
		}
		return append(spans, r...), err
	}
	r, c, err := p.classCharacter()
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return p.span(spans, c)
	}
	if next := p.text[p.at:]; strings.HasPrefix(next, "-") && !strings.HasPrefix(next, "-]") {
		return nil, fmt.Errorf("byte %d: a range begins with a class", start)
	}
	return append(spans, r...), nil
}

// span reads the rest of a range that begins with c, if it is one.
func (p *parser) span(spans []span, c rune) ([]span, error) {
	rest := p.text[p.at:]
	if !strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "-]") || strings.HasPrefix(rest, "-&&") {
		return append(spans, span{c, c}), nil
	}
	start := p.at
	p.at++
	switch {
	case !p.more():
		return nil, fmt.Errorf("byte %d: a range has no end", start)
	case p.text[p.at] == '[':
		return nil, fmt.Errorf("byte %d: a range ends with a class", start)
	}
	r, last, err := p.classCharacter()
	switch {
	case err != nil:
		return nil, err
	case r != nil:
		return nil, fmt.Errorf("byte %d: a range ends with a class", start)
	case last < c:
		return nil, fmt.Errorf("byte %d: the range %c-%c is empty", start, c, last)
	}
	if rest := p.text[p.at:]; strings.HasPrefix(rest, "-") && !strings.HasPrefix(rest, "-]") {
		p.at++ // a-c-e is a-c, - and e
		spans = append(spans, span{'-', '-'})
	}
	return append(spans, span{c, last}), nil
}

// classCharacter reads a character of a class, or an escape that is a set.
func (p *parser) classCharacter() (ranges, rune, error) {
	if c := p.next(); c != '\\' {
		return nil, c, nil
	}
	switch {
	case !p.more():
		return nil, 0, fmt.Errorf(`a \ ends it`)
	case p.take("b"):
		return nil, '\b', nil
	}
	return p.escaped()
}

// bracket reads a bracket of POSIX behind its [:.
func (p *parser) bracket() (r ranges, ok bool, err error) {
	name, _, closed := strings.Cut(p.text[p.at:], ":]")
	if !closed || strings.ContainsAny(name, `[]\`) {
		return nil, false, nil
	}
	bare, negative := strings.CutPrefix(name, "^")
	if posix[bare] == nil {
		return nil, false, fmt.Errorf("byte %d: the class [:%s:] is not known", p.at, name)
	}
	p.at += len(name) + len(":]")
	r, err = p.known(bare, negative)
	return r, true, err
}
