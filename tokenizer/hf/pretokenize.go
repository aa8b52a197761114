package hf

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// preTokenizer returns one of what cuts text into the pieces that the model takes one by one.
func preTokenizer(raw json.RawMessage) (stage[[]piece], error) {
	var n struct {
		AddPrefixSpace *bool           `json:"add_prefix_space"`
		UseRegex       *bool           `json:"use_regex"`
		Pattern        json.RawMessage `json:"pattern"`
		Behavior       string          `json:"behavior"`
		Invert         bool            `json:"invert"`
		Individual     bool            `json:"individual_digits"`
		Delimiter      string          `json:"delimiter"`
		metaspace
	}
	kind, err := typeOf(raw, &n)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "ByteLevel":
		return plain(byteLevel(n.AddPrefixSpace == nil || *n.AddPrefixSpace, n.UseRegex == nil || *n.UseRegex)), nil
	case "Split":
		p, err := readPattern(n.Pattern)
		if err != nil {
			return nil, err
		}
		return cutting(p.spans, n.Behavior, n.Invert)
	case "Digits":
		if n.Individual {
			return cutting(runes(unicode.IsNumber), "Isolated", false)
		}
		return cutting(runes(unicode.IsNumber), "Contiguous", false)
	case "Metaspace":
		return n.metaspace.preTokenizer()
	case "Whitespace":
		return cutting(words, "Removed", true)
	case "WhitespaceSplit":
		return cutting(runes(unicode.IsSpace), "Removed", false)
	case "Punctuation":
		if n.Behavior == "" {
			n.Behavior = "Isolated"
		}
		return cutting(runes(isPunctuation), n.Behavior, false)
	case "CharDelimiterSplit":
		if n.Delimiter == "" {
			return nil, errors.New("CharDelimiterSplit: it has no delimiter")
		}
		if err := oneCharacter("delimiter", n.Delimiter); err != nil {
			return nil, err
		}
		return cutting(pattern{text: n.Delimiter}.spans, "Removed", false)
	case "BertPreTokenizer":
		words, err := cutting(runes(unicode.IsSpace), "Removed", false)
		if err != nil {
			return nil, err
		}
		marks, err := cutting(runes(isPunctuation), "Isolated", false)
		return inTurn(words, marks), err
	case "UnicodeScripts":
		return cutting(scripts, "Removed", false)
	}
	return nil, unsupported(kind)
}

// isPunctuation: all of ASCII except letters and digits, and Unicode's.
func isPunctuation(r rune) bool {
	return r > ' ' && r < 0x7f && !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsPunct(r)
}

// span is a part of a text, by its first byte and the one behind it, that is a match, or is between
// matches.
type span struct {
	from, to int
	match    bool
}

// finding cuts all of a text into spans.
type finding func(w *walk, text string) ([]span, error)

// runes makes each character that is one a match.
func runes(is func(rune) bool) finding {
	return func(_ *walk, s string) (out []span, err error) {
		from := 0
		for i, r := range s {
			if !is(r) {
				continue
			}
			if i > from {
				out = append(out, span{from, i, false})
			}
			from = i + utf8.RuneLen(r)
			out = append(out, span{i, from, true})
		}
		if from < len(s) {
			out = append(out, span{from, len(s), false})
		}
		return out, nil
	}
}

// words makes each run of characters of words a match, and each of others that are no spaces.
func words(_ *walk, s string) (out []span, err error) {
	kind := func(r rune) kindOfRune {
		switch {
		case unicode.IsSpace(r):
			return spaces
		case isWord(r):
			return letters
		}
		return others
	}
	from, current := 0, spaces
	for i, r := range s {
		if k := kind(r); k != current {
			if i > from {
				out = append(out, span{from, i, current != spaces})
			}
			from, current = i, k
		}
	}
	if s != "" {
		out = append(out, span{from, len(s), current != spaces})
	}
	return out, nil
}

// cutting cuts pieces where spans tells, and does with the matches as behavior says.
func cutting(find finding, behavior string, invert bool) (stage[[]piece], error) {
	var join func([]span) []span
	switch behavior {
	case "Isolated", "Removed":
		join = func(s []span) []span { return s }
	case "Contiguous":
		join = func(s []span) []span {
			return joined(s, func(before, after span) bool { return before.match == after.match })
		}
	case "MergedWithPrevious":
		join = func(s []span) []span {
			return joined(s, func(before, after span) bool { return after.match && !before.match })
		}
	case "MergedWithNext":
		join = func(s []span) []span {
			return joined(s, func(before, after span) bool { return before.match && !after.match })
		}
	default:
		return nil, fmt.Errorf("behavior %q is not known", behavior)
	}
	return func(w *walk, pieces []piece) (out []piece, err error) {
		for n, p := range pieces {
			if n%looked == 0 {
				if err := over(w); err != nil {
					return nil, err
				}
			}
			list, err := find(w, p.text)
			if err != nil {
				return nil, err
			}
			for i := range list {
				list[i].match = list[i].match != invert
			}
			for _, s := range join(list) {
				if s.to > s.from && (behavior != "Removed" || !s.match) {
					out = append(out, piece{p.text[s.from:s.to], p.first && s.from == 0})
				}
			}
		}
		return out, nil
	}, nil
}

// joined puts neighbours together. What is joined counts as what comes last in it.
func joined(list []span, fit func(before, after span) bool) (out []span) {
	for i, s := range list {
		if i > 0 && fit(list[i-1], s) {
			out[len(out)-1].to = s.to
		} else {
			out = append(out, s)
		}
	}
	return out
}

// byteLevel writes each byte as one printable character, in pieces that it may cut before.
func byteLevel(prefixSpace, cut bool) func([]piece) []piece {
	return func(pieces []piece) (out []piece) {
		for _, p := range pieces {
			if prefixSpace && !strings.HasPrefix(p.text, " ") {
				p.text = " " + p.text
			}
			if !cut {
				out = append(out, piece{spelled(p.text), p.first})
				continue
			}
			for p.text != "" {
				n := gpt2Word(p.text)
				out = append(out, piece{spelled(p.text[:n]), p.first})
				p = piece{text: p.text[n:]}
			}
		}
		return out
	}
}

// spelling has the character that stands for each byte: itself where it is printable in Latin-1,
// and else one from U+0100 on.
var spelling, bytesOf = func() (to [256]rune, from map[rune]byte) {
	from = map[rune]byte{}
	next := rune(256)
	for b := range 256 {
		r := rune(b)
		if b < '!' || b > '~' && b < 0xa1 || b == 0xad {
			r = next
			next++
		}
		to[b], from[r] = r, byte(b)
	}
	return to, from
}()

func spelled(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(spelling[s[i]])
	}
	return b.String()
}

// metaspace writes spaces as a character of their own, ▁ by default, and may put one before a text.
type metaspace struct {
	Replacement string  `json:"replacement"`
	Scheme      *string `json:"prepend_scheme"`
	Split       *bool   `json:"split"`
	PrefixSpace *bool   `json:"add_prefix_space"` // in older files, for the scheme
}

func (m metaspace) scheme() string {
	switch {
	case m.Scheme != nil:
		return *m.Scheme
	case m.PrefixSpace != nil && !*m.PrefixSpace:
		return "never"
	}
	return "always"
}

// space is what stands for a space, one character: a longer one could make a text much longer.
func (m metaspace) space() (string, error) {
	if m.Replacement == "" {
		return "▁", nil
	}
	return m.Replacement, oneCharacter("replacement", m.Replacement)
}

// oneCharacter refuses a field of more, as the library does.
func oneCharacter(field, text string) error {
	if n := utf8.RuneCountInString(text); n != 1 {
		return fmt.Errorf("%s has %d characters; want one", field, n)
	}
	return nil
}

func (m metaspace) preTokenizer() (stage[[]piece], error) {
	scheme := m.scheme()
	space, err := m.space()
	if err != nil {
		return nil, err
	}
	if scheme != "always" && scheme != "never" && scheme != "first" {
		return nil, fmt.Errorf("prepend_scheme %q is not known", scheme)
	}
	split, err := cutting(pattern{text: space}.spans, "MergedWithNext", false)
	if m.Split != nil && !*m.Split {
		split = same
	}
	mark := func(pieces []piece) []piece {
		out := make([]piece, len(pieces))
		for i, p := range pieces {
			text := strings.ReplaceAll(p.text, " ", space)
			if (scheme == "always" || scheme == "first" && p.first) && !strings.HasPrefix(text, space) {
				text = space + text
			}
			out[i] = piece{text, p.first}
		}
		return out
	}
	return inTurn(plain(mark), split), err
}
