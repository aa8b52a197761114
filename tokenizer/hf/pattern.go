package hf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pattern finds matches in a text: of a string, or of a regular expression in the words of
// Oniguruma, as far as Go's regexp or this file has them.
type pattern struct {
	text    string // where it is no expression
	choices []choice
}

// choice is one or more alternatives; the first that matches counts.
type choice struct {
	re *regexp.Regexp // anchored; nil for \s+(?!\S), spaces but for the one before a word
}

// lookahead is the only alternative that looks behind its own end, in all tokenizers we know of.
const lookahead = `\s+(?!\S)`

// readPattern reads {"String": "…"} or {"Regex": "…"}.
func readPattern(raw json.RawMessage) (pattern, error) {
	var p struct {
		String *string `json:"String"`
		Regex  *string `json:"Regex"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return pattern{}, fmt.Errorf("pattern: %w", err)
	}
	switch {
	case p.Regex != nil:
		return expression(*p.Regex)
	case p.String != nil && *p.String != "":
		return pattern{text: *p.String}, nil
	}
	return pattern{}, errors.New("pattern: it has neither a String nor a Regex")
}

func expression(text string) (pattern, error) {
	var p pattern
	var plain []string
	flush := func() error {
		if len(plain) == 0 {
			return nil
		}
		re, err := regexp.Compile(`\A(?:` + strings.Join(plain, "|") + ")")
		p.choices, plain = append(p.choices, choice{re}), nil
		return err
	}
	list, err := alternatives(text)
	for _, a := range list {
		switch {
		case err != nil:
		case a == lookahead:
			err = flush()
			p.choices = append(p.choices, choice{})
		default:
			var in string
			in, err = translate(a)
			plain = append(plain, in)
		}
	}
	if err == nil {
		err = flush()
	}
	if err != nil {
		return p, fmt.Errorf("the regular expression %s: %w", text, err)
	}
	return p, nil
}

// alternatives cuts an expression at its outermost bars.
func alternatives(text string) ([]string, error) {
	var out []string
	from, round, square := 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			square++
		case c == ']' && square > 0:
			square--
		case square > 0:
		case c == '(':
			round++
		case c == ')':
			round--
		case c == '|' && round == 0:
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	if round != 0 || square != 0 {
		return nil, errors.New("its brackets do not match")
	}
	return append(out, text[from:]), nil
}

// In Oniguruma these are classes of Unicode; in Go's regexp, of ASCII.
var classes = map[byte]string{
	's': `\t-\r \x{85}\p{Z}`,
	'd': `\p{Nd}`,
	'w': `\p{L}\p{M}\p{Nd}\p{Pc}`,
}

// possessive is the one use of a possessive quantifier that is the same as a greedy one and known
// to occur: what may come first is no letter, and letters follow.
const possessive, greedy = `[^\r\n\p{L}\p{N}]?+\p{L}+`, `[^\r\n\p{L}\p{N}]?\p{L}+`

// translate puts an alternative into the words of Go's regexp.
func translate(a string) (string, error) {
	a = strings.ReplaceAll(a, possessive, greedy)
	var b strings.Builder
	square := 0
	for i := 0; i < len(a); i++ {
		c := a[i]
		switch {
		case c == '\\' && i+1 < len(a):
			i++
			class, known := classes[a[i]|0x20]
			switch {
			case known && a[i] >= 'a' && square > 0:
				b.WriteString(class)
			case known && a[i] >= 'a':
				b.WriteString("[" + class + "]")
			case known && square == 0:
				b.WriteString("[^" + class + "]")
			case known || strings.IndexByte("bBAzZGKRXkgh", a[i]) >= 0 || a[i] >= '1' && a[i] <= '9':
				return "", fmt.Errorf(`\%c is not supported there`, a[i])
			default:
				b.WriteString(a[i-1 : i+1])
			}
			continue
		case c == '[' && square > 0, strings.HasPrefix(a[i:], "&&") && square > 0: // [:alpha:] too, which is ASCII in Go
			return "", errors.New("classes of characters within one another are not supported")
		case c == '[':
			square++
		case c == ']' && square > 0:
			square--
		case square > 0:
		case strings.HasPrefix(a[i:], "(?i:") && strings.ContainsFunc(a, func(r rune) bool { return r > unicode.MaxASCII }):
			return "", errors.New("a group without regard to case is supported for ASCII alone (ß would be ss, too)")
		case c == '^' || c == '$':
			return "", fmt.Errorf("the anchor %c is not supported", c)
		case strings.HasPrefix(a[i:], "(?") && !strings.HasPrefix(a[i:], "(?:") && !strings.HasPrefix(a[i:], "(?i:"):
			return "", fmt.Errorf("the group %.3s is not supported, but for a last alternative %s", a[i:], lookahead)
		case c == '+' && i > 0 && strings.IndexByte("?*+", a[i-1]) >= 0 && (i < 2 || a[i-2] != '\\'):
			return "", errors.New("possessive quantifiers are not supported")
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}

// match returns the length of the match at the start of s, 0 for none.
func (p pattern) match(s string) int {
	if p.text != "" {
		if strings.HasPrefix(s, p.text) {
			return len(p.text)
		}
		return 0
	}
	for _, c := range p.choices {
		if c.re == nil {
			if n := spacesBeforeWord(s); n > 0 {
				return n
			}
		} else if at := c.re.FindStringIndex(s); at != nil && at[1] > 0 {
			return at[1]
		}
	}
	return 0
}

// spacesBeforeWord is the length of the spaces at the start of s, without the last one where
// something else follows.
func spacesBeforeWord(s string) int {
	rest := strings.TrimLeftFunc(s, unicode.IsSpace)
	n := len(s) - len(rest)
	if rest != "" && n > 0 {
		_, last := utf8.DecodeLastRuneInString(s[:n])
		n -= last
	}
	return n
}

// spans cuts all of a text.
func (p pattern) spans(ctx context.Context, s string) (out []span, err error) {
	from, looks := 0, 0
	for at := 0; at < len(s); {
		if looks++; looks%looked == 0 {
			if err := over(ctx); err != nil {
				return nil, err
			}
		}
		n := p.match(s[at:])
		if n == 0 {
			_, size := utf8.DecodeRuneInString(s[at:])
			at += size
			continue
		}
		if at > from {
			out = append(out, span{from, at, false})
		}
		out = append(out, span{at, at + n, true})
		at += n
		from = at
	}
	if from < len(s) {
		out = append(out, span{from, len(s), false})
	}
	return out, nil
}

func (p pattern) replace(ctx context.Context, s, by string) (string, error) {
	if p.text != "" {
		return strings.ReplaceAll(s, p.text, by), nil
	}
	var b strings.Builder
	spans, err := p.spans(ctx, s)
	for _, part := range spans {
		if part.match {
			b.WriteString(by)
		} else {
			b.WriteString(s[part.from:part.to])
		}
	}
	return b.String(), err
}
