package oniguruma

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of an expression. Tokenizers' have some hundred bytes and less than ten levels.
const (
	mostBytes  = 1 << 15
	mostLevels = 60 // groups and classes within one another; nullable loops have a bit each
	mostTimes  = 100_000
	mostSpans  = 1 << 19 // of all classes; \p{L} has 650
	foldSpans  = 1 << 12 // what a class counts for where it is folded
)

// parser reads an expression.
type parser struct {
	text   string
	at     int
	levels int
	fold   bool // without regard to case
	dotAll bool
	named  map[string]ranges // properties that were looked up
	spans  int               // of classes
}

func parse(text string) (*node, error) {
	if len(text) > mostBytes {
		return nil, fmt.Errorf("it has %d bytes, and the most are %d", len(text), mostBytes)
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("it is not valid UTF-8")
	}
	p := &parser{text: text, named: map[string]ranges{}}
	n, err := p.choice()
	if err == nil && p.at < len(text) {
		err = errors.New("a ) closes no group")
	}
	return n, err
}

// deeper counts a level, which the caller leaves by p.levels--.
func (p *parser) deeper() error {
	if p.levels++; p.levels > mostLevels {
		return fmt.Errorf("its brackets are more than %d deep", mostLevels)
	}
	return nil
}

// weigh counts the spans of a class.
func (p *parser) weigh(r ranges) error {
	if p.spans += len(r); p.fold {
		p.spans += foldSpans
	}
	if p.spans > mostSpans {
		return fmt.Errorf("its classes have more than %d ranges", mostSpans)
	}
	return nil
}

func (p *parser) more() bool { return p.at < len(p.text) }

// next takes a character; there must be one.
func (p *parser) next() rune {
	c, size := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += size
	return c
}

// take takes a text if it comes next.
func (p *parser) take(text string) bool {
	if !strings.HasPrefix(p.text[p.at:], text) {
		return false
	}
	p.at += len(text)
	return true
}

// choice reads alternatives, up to the end of the group.
func (p *parser) choice() (*node, error) {
	var parts []*node
	for {
		n, err := p.sequence()
		if err != nil {
			return nil, err
		}
		if parts = append(parts, n); !p.take("|") {
			return alternation(parts), nil
		}
	}
}

// sequence reads an alternative.
func (p *parser) sequence() (*node, error) {
	var parts []*node
	var letters []rune // without regard to case, which must be seen together
	flush := func() {
		if len(letters) > 0 {
			parts, letters = append(parts, foldedText(letters)), nil
		}
	}
	for p.more() && p.text[p.at] != '|' && p.text[p.at] != ')' {
		n, err := p.atom()
		if err != nil {
			return nil, err
		}
		q, quantified, err := p.quantifier()
		if err != nil {
			return nil, err
		}
		if n.kind == kindLetter && p.fold && !quantified {
			letters = append(letters, n.letter)
			continue
		}
		flush()
		switch {
		case n.kind == kindLetter && p.fold:
			n = foldedText([]rune{n.letter})
		case n.kind == kindLetter:
			n = setNode(one(n.letter))
		}
		for quantified {
			if n.kind == kindLook || n.kind == kindAnchor {
				return nil, fmt.Errorf("byte %d: a quantifier is behind what matches a place", p.at)
			}
			n = repeated(n, q)
			if q, quantified, err = p.quantifier(); err != nil {
				return nil, err
			}
		}
		parts = append(parts, n)
	}
	flush()
	return sequence(parts), nil
}

// quantifier is how often something is repeated.
type quantifier struct {
	least, most      int // most < 0: no bound
	lazy, possessive bool
}

// quantifier reads one, if there is one.
func (p *parser) quantifier() (q quantifier, ok bool, err error) {
	interval := false
	switch {
	case p.take("?"):
		q = quantifier{most: 1}
	case p.take("*"):
		q = quantifier{most: -1}
	case p.take("+"):
		q = quantifier{least: 1, most: -1}
	default:
		if q, interval, err = p.interval(); !interval || err != nil {
			return q, false, err
		}
	}
	switch {
	case interval && q.least == q.most: // {n}? is an optional {n}, {n}+ is repeated
	case p.take("?"):
		q.lazy = true
	case !interval && p.take("+"): // {n,m}+ is {n,m}, repeated
		q.possessive = true
	}
	return q, true, nil
}

// interval reads {n}, {n,}, {,m} or {n,m}; anything else with a brace is itself.
func (p *parser) interval() (q quantifier, ok bool, err error) {
	start := p.at
	if !p.take("{") {
		return q, false, nil
	}
	least, low := p.number()
	most, high := least, low
	if p.take(",") {
		if most, high = p.number(); !high {
			most = -1
		}
	}
	if !low && !high || !p.take("}") {
		p.at = start
		return q, false, nil
	}
	if least > mostTimes || most > mostTimes {
		return q, false, fmt.Errorf("byte %d: more than %d repetitions", start, mostTimes)
	}
	q = quantifier{least: least, most: most}
	if most >= 0 && least > most { // Oniguruma's way to write a possessive one
		q = quantifier{least: most, most: least, possessive: true}
	}
	return q, true, nil
}

// number reads decimal digits. One above mostTimes is mostTimes+1.
func (p *parser) number() (n int, ok bool) {
	for p.more() && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		n, ok = min(10*n+int(p.text[p.at]-'0'), mostTimes+1), true
		p.at++
	}
	return n, ok
}

// atom reads what a quantifier may follow.
func (p *parser) atom() (*node, error) {
	start := p.at
	switch c := p.next(); c {
	case '.':
		if p.dotAll {
			return setNode(anyCharacter), nil
		}
		return setNode(newline.complement()), nil
	case '^':
		return anchorNode(lineStart), nil
	case '$':
		return anchorNode(lineEnd), nil
	case '?', '*', '+':
		return nil, fmt.Errorf("byte %d: %c repeats nothing", start, c)
	case '(':
		return p.group()
	case '[':
		r, negative, err := p.class()
		if err != nil {
			return nil, err
		}
		switch {
		case p.fold && negative: // what is excluded is excluded in either case
			return setNode(r.folded().complement()), nil
		case p.fold:
			return foldedClass(r), nil
		case negative:
			r = r.complement()
		}
		return setNode(r), nil
	case '\\':
		return p.escape()
	default:
		return letterNode(c), nil
	}
}

// group reads a group behind its bracket.
func (p *parser) group() (*node, error) {
	start := p.at - 1
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func(fold, dotAll bool) { p.levels, p.fold, p.dotAll = p.levels-1, fold, dotAll }(p.fold, p.dotAll)
	wrap := grouped
	switch {
	case !p.take("?"), p.take(":"):
	case p.take(">"):
		wrap = atomic
	case p.take("="):
		wrap = func(n *node) *node { return look(n, false, false) }
	case p.take("!"):
		wrap = func(n *node) *node { return look(n, false, true) }
	case p.take("<="):
		wrap = func(n *node) *node { return look(n, true, false) }
	case p.take("<!"):
		wrap = func(n *node) *node { return look(n, true, true) }
	case p.take("#"):
		_, rest, closed := strings.Cut(p.text[p.at:], ")")
		if !closed {
			return nil, fmt.Errorf("byte %d: a comment is not closed", start)
		}
		p.at = len(p.text) - len(rest)
		return sequence(nil), nil
	case p.take("<"):
		if !p.groupName() {
			return nil, fmt.Errorf("byte %d: a group's name has no end", start)
		}
	default:
		rest, err := p.options()
		if err != nil {
			return nil, err
		}
		if rest { // (?i) is for all that follows in the group around it
			return p.choice()
		}
	}
	n, err := p.choice()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, fmt.Errorf("byte %d: a group is not closed", start)
	}
	return wrap(n), nil
}

// groupName passes over a group's name, which nothing here refers to.
func (p *parser) groupName() bool {
	name, _, closed := strings.Cut(p.text[p.at:], ">")
	p.at += len(name) + 1
	return closed && name != "" && strings.IndexFunc(name, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) < 0
}

// options reads the options of (?i:...), or of (?i), which are for the rest.
func (p *parser) options() (rest bool, err error) {
	start := p.at
	for on := true; p.more(); {
		switch c := p.next(); c {
		case '-':
			on = false
		case 'i':
			p.fold = on
		case 'm':
			p.dotAll = on
		case ':':
			return false, nil
		case ')':
			return true, nil
		default:
			return false, fmt.Errorf("byte %d: the group (?%s is not supported", start-2, p.text[start:p.at])
		}
	}
	return false, fmt.Errorf("byte %d: a group is not closed", start-2)
}
