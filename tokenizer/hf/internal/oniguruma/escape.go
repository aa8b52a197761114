package oniguruma

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The characters that letters stand for behind a backslash.
var controls = map[rune]rune{'t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'a': '\a', 'e': 0x1b}

var anchors = map[rune]anchor{'A': textStart, 'z': textEnd, 'Z': lastEnd, 'b': boundary, 'B': notBoundary}

// escape reads what is behind a backslash, outside of classes.
func (p *parser) escape() (*node, error) {
	if !p.more() {
		return nil, fmt.Errorf(`a \ ends it`)
	}
	start := p.at
	c := p.next()
	if a, ok := anchors[c]; ok {
		return anchorNode(a), nil
	}
	switch c {
	case 'R': // the end of a line
		return atomic(alternation([]*node{
			sequence([]*node{setNode(one('\r')), setNode(newline)}),
			setNode(ranges{{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}}),
		})), nil
	case 'N':
		return setNode(newline.complement()), nil
	case 'O':
		return setNode(anyCharacter), nil
	}
	p.at = start
	r, letter, err := p.escaped()
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return letterNode(letter), nil
	case c == 'w':
		r = union(r, superscripts)
	case c == 'W':
		r = intersection(r, superscripts.complement())
	}
	return setNode(r), nil
}

// escaped reads what may be behind a backslash everywhere: a set, or nil and a character.
func (p *parser) escaped() (ranges, rune, error) {
	start := p.at - 1
	c := p.next()
	switch c {
	case 'd', 's', 'w', 'h':
		r, err := p.known(className[c], false)
		return r, 0, err
	case 'D', 'S', 'W', 'H':
		r, err := p.known(className[c-'A'+'a'], true)
		return r, 0, err
	case 'p', 'P':
		if p.take("{") {
			r, err := p.property(c == 'P')
			return r, 0, err
		}
	case 'x', 'u':
		letter, err := p.code(c, start)
		return nil, letter, err
	case '0':
		letter, _ := strconv.ParseUint("0"+p.digits(2, "01234567"), 8, 32)
		return nil, rune(letter), nil
	case '1', '2', '3', '4', '5', '6', '7', '8', '9', 'b', 'c', 'g', 'k', 'y', 'B', 'C', 'G', 'K', 'M', 'N', 'O', 'R', 'X', 'Y':
		return nil, 0, fmt.Errorf(`byte %d: \%c is not supported there`, start, c)
	}
	if letter, ok := controls[c]; ok {
		c = letter
	}
	return nil, c, nil
}

var className = map[rune]string{'d': "digit", 's': "space", 'w': "word", 'h': "xdigit"}

// known returns a set of posix, or its complement.
func (p *parser) known(name string, negative bool) (ranges, error) {
	return p.lookUp("[:"+name, negative, func() (ranges, error) { return posix[name](), nil })
}

// property reads the name of a property and its closing brace.
func (p *parser) property(negative bool) (ranges, error) {
	name, _, closed := strings.Cut(p.text[p.at:], "}")
	if !closed {
		return nil, fmt.Errorf(`byte %d: a \p{ is not closed`, p.at-len(`\p{`))
	}
	p.at += len(name) + 1
	bare, hat := strings.CutPrefix(name, "^")
	return p.lookUp(bare, negative != hat, func() (ranges, error) { return property(bare) })
}

// lookUp finds a set, or its complement, once.
func (p *parser) lookUp(name string, negative bool, find func() (ranges, error)) (ranges, error) {
	key := fmt.Sprint(negative, name)
	r, ok := p.named[key]
	if !ok {
		var err error
		if r, err = find(); err != nil {
			return nil, err
		}
		if negative {
			r = r.complement()
		}
		p.named[key] = r
	}
	return r, p.weigh(r)
}

// digits takes at most so many of some digits.
func (p *parser) digits(most int, allowed string) string {
	start := p.at
	for p.more() && p.at-start < most && strings.IndexByte(allowed, p.text[p.at]) >= 0 {
		p.at++
	}
	return p.text[start:p.at]
}

const hex = "0123456789abcdefABCDEF"

// code reads the number of a character: \x41, \x{1F600} or \u0041.
func (p *parser) code(letter rune, start int) (rune, error) {
	var digits string
	ok := true
	switch {
	case letter == 'u':
		digits = p.digits(4, hex)
		ok = len(digits) == 4
	case p.take("{"):
		digits = p.digits(8, hex)
		ok = digits != "" && p.take("}")
	default: // a byte; without digits it is the letter
		if digits = p.digits(2, hex); digits == "" {
			return letter, nil
		}
	}
	c, _ := strconv.ParseUint("0"+digits, 16, 64)
	if !ok || c > unicode.MaxRune || !utf8.ValidRune(rune(c)) {
		return 0, fmt.Errorf("byte %d: %s is no character", start, p.text[start:p.at])
	}
	if letter == 'x' && p.text[p.at-1] != '}' && c >= utf8.RuneSelf {
		return 0, fmt.Errorf(`byte %d: %s is a part of a character; write \x{...}`, start, p.text[start:p.at])
	}
	return rune(c), nil
}
