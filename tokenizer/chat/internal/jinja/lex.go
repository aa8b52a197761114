package jinja

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// kind of a token.
type kind int

const (
	kindText  kind = iota // outside tags
	kindOpen              // "{{" or "{%"
	kindClose             // "}}" or "%}"
	kindName
	kindInt
	kindFloat
	kindString
	kindSign
	kindEnd
)

// token is a piece of a template; line counts from 1.
type token struct {
	kind kind
	text string
	line int
}

// lexer cuts a template into tokens.
type lexer struct {
	source string
	pos    int
	line   int
	tokens []token
}

// signs are those of expressions, longer ones first.
var signs = []string{"**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "<", ">", "=", "(", ")", "[", "]", "{", "}", ".", ",", ":", "|"}

// lex cuts a template into tokens. Whitespace around tags is Jinja's, with trim_blocks and lstrip_blocks.
func lex(source string) ([]token, error) {
	source = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(source)
	l := &lexer{source: strings.TrimSuffix(source, "\n"), line: 1}
	lineStarts := true // whether the text at pos begins a line
	for l.pos < len(l.source) {
		open := l.open()
		text := l.source[l.pos:open]
		if open == len(l.source) {
			l.add(kindText, text)
			break
		}
		mark := l.source[open : open+2]
		after, control := l.source[open+2:], byte(0)
		if after != "" && (after[0] == '-' || after[0] == '+') {
			control = after[0]
		}
		kept := text
		switch {
		case control == '-':
			kept = strings.TrimRightFunc(text, space)
		case control == 0 && mark != "{{":
			if start := strings.LastIndexByte(text, '\n') + 1; (start > 0 || lineStarts) && strings.TrimFunc(text[start:], space) == "" {
				kept = text[:start]
			}
		}
		if kept != "" {
			l.add(kindText, kept)
		}
		l.line += strings.Count(text, "\n")
		l.pos = open + 2
		if control != 0 {
			l.pos++
		}
		if err := l.tag(mark); err != nil {
			return nil, err
		}
		lineStarts = l.source[l.pos-1] == '\n'
	}
	l.add(kindEnd, "")
	return l.tokens, nil
}

// open returns where the next tag begins.
func (l *lexer) open() int {
	for i := l.pos; ; i++ {
		next := strings.IndexByte(l.source[i:], '{')
		if next < 0 || i+next+1 == len(l.source) {
			return len(l.source)
		}
		if i += next; strings.IndexByte("{%#", l.source[i+1]) >= 0 {
			return i
		}
	}
}

func (l *lexer) add(k kind, text string) {
	l.tokens = append(l.tokens, token{k, text, l.line})
}

// tag reads a comment, an expression or a statement to its end, and the whitespace that its end takes with it.
func (l *lexer) tag(mark string) error {
	begin := l.line
	if mark == "{#" {
		end := strings.Index(l.source[l.pos:], "#}")
		if end < 0 {
			return fmt.Errorf("line %d: a comment has no end #}", begin)
		}
		inside := l.source[l.pos : l.pos+end]
		l.line += strings.Count(inside, "\n")
		l.pos += end + 2
		l.closed(lastByte(inside), true)
		return nil
	}
	l.add(kindOpen, mark)
	closing := map[string]string{"{{": "}}", "{%": "%}"}[mark]
	braces := 0 // of expressions, so that }} may end two dictionaries
	for {
		rest := l.source[l.pos:]
		trimmed := strings.TrimLeftFunc(rest, space)
		l.line += strings.Count(rest[:len(rest)-len(trimmed)], "\n")
		l.pos += len(rest) - len(trimmed)
		if trimmed == "" {
			return fmt.Errorf("line %d: %s has no end %s", begin, mark, closing)
		}
		control := byte(0)
		ends := trimmed
		if trimmed[0] == '-' || trimmed[0] == '+' {
			control, ends = trimmed[0], trimmed[1:]
		}
		if braces == 0 && strings.HasPrefix(ends, closing) {
			l.add(kindClose, closing)
			l.pos += len(trimmed) - len(ends) + 2
			l.closed(control, mark == "{%")
			return nil
		}
		if err := l.word(trimmed); err != nil {
			return err
		}
		if last := l.tokens[len(l.tokens)-1]; last.kind == kindSign {
			switch last.text {
			case "{", "(", "[":
				braces++
			case "}", ")", "]":
				braces = max(braces-1, 0)
			}
		}
	}
}

// closed takes the whitespace behind a tag: all of it behind "-", one newline behind a block.
func (l *lexer) closed(control byte, block bool) {
	rest := l.source[l.pos:]
	kept := rest
	switch {
	case control == '-':
		kept = strings.TrimLeftFunc(rest, space)
	case control != '+' && block:
		kept = strings.TrimPrefix(rest, "\n")
	}
	l.line += strings.Count(rest[:len(rest)-len(kept)], "\n")
	l.pos += len(rest) - len(kept)
}

// word reads one token of an expression.
func (l *lexer) word(rest string) error {
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case first == '\'' || first == '"':
		return l.quoted(rest)
	case letter(first):
		end := strings.IndexFunc(rest, func(r rune) bool { return !letter(r) && !digit(r) })
		if end < 0 {
			end = len(rest)
		}
		l.take(kindName, rest[:end])
		return nil
	case digit(first):
		l.number(rest)
		return nil
	}
	for _, sign := range signs {
		if strings.HasPrefix(rest, sign) {
			l.take(kindSign, sign)
			return nil
		}
	}
	return fmt.Errorf("line %d: %q is no part of an expression", l.line, first)
}

func (l *lexer) take(k kind, text string) {
	l.add(k, text)
	l.pos += len(text)
}

// number reads digits, and a fraction or an exponent where digits follow.
func (l *lexer) number(rest string) {
	digits := func(i int) int {
		for i < len(rest) && (digit(rune(rest[i])) || rest[i] == '_') {
			i++
		}
		return i
	}
	end, k := digits(0), kindInt
	if end+1 < len(rest) && rest[end] == '.' && digit(rune(rest[end+1])) {
		end, k = digits(end+1), kindFloat
	}
	if end < len(rest) && (rest[end] == 'e' || rest[end] == 'E') {
		exponent := end + 1
		if exponent < len(rest) && (rest[exponent] == '+' || rest[exponent] == '-') {
			exponent++
		}
		if after := digits(exponent); after > exponent {
			end, k = after, kindFloat
		}
	}
	l.add(k, strings.ReplaceAll(rest[:end], "_", ""))
	l.pos += end
}

// escapes of a string that stand for one character.
var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'v': "\v", '\n': ""}

// quoted reads a string with Python's escapes; an unknown escape stands for itself.
func (l *lexer) quoted(rest string) error {
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == rest[0]:
			l.add(kindString, b.String())
			l.line += strings.Count(rest[:i], "\n")
			l.pos += i + 1
			return nil
		case c != '\\' || i+1 == len(rest):
			b.WriteByte(c)
		default:
			i++
			text, known := escapes[rest[i]]
			if width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[rest[i]]; width > 0 {
				var code rune
				if n, err := fmt.Sscanf(rest[i+1:min(len(rest), i+1+width)], "%x", &code); n != 1 || err != nil || len(rest) < i+1+width {
					return fmt.Errorf("line %d: \\%c wants %d hexadecimal digits", l.line, rest[i], width)
				}
				text, known = string(code), true
				i += width
			}
			if !known {
				b.WriteByte('\\')
				text = string(rest[i])
				if rest[i] >= utf8.RuneSelf { // the bytes of a character follow
					text = rest[i : i+1]
				}
			}
			b.WriteString(text)
		}
	}
	return fmt.Errorf("line %d: a string has no end", l.line)
}

func lastByte(text string) byte {
	if text != "" && (text[len(text)-1] == '-' || text[len(text)-1] == '+') {
		return text[len(text)-1]
	}
	return 0
}

func letter(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func digit(r rune) bool { return r >= '0' && r <= '9' }
