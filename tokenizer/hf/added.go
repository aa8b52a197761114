package hf

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is a token that is found in texts before anything else is.
type addedToken struct {
	ID         int64  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only between what is no word
	LStrip     bool   `json:"lstrip"`      // it takes the spaces before it
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"` // it is looked for in normalized text
	Special    bool   `json:"special"`
}

// added is the added tokens of a file.
type added struct {
	plain, normalized finder
	ids               map[string]int64
}

// finder finds tokens, by the first byte of what they look like; the longest come first.
type finder map[byte][]addedToken

// segment is a part of a text, or an added token.
type segment struct {
	text  string
	first bool
	token bool
	id    int64
}

func newAdded(tokens []addedToken, normalize stage[string]) (added, error) {
	a := added{plain: finder{}, normalized: finder{}, ids: map[string]int64{}}
	for _, t := range tokens {
		a.ids[t.Content] = t.ID
		in := a.plain
		if t.Normalized {
			normal, err := normalize(context.Background(), t.Content)
			if err != nil {
				return a, fmt.Errorf("token %d: %w", t.ID, err)
			}
			in, t.Content = a.normalized, normal
		}
		if t.Content != "" {
			in[t.Content[0]] = append(in[t.Content[0]], t)
		}
	}
	for _, in := range []finder{a.plain, a.normalized} {
		for _, list := range in {
			slices.SortStableFunc(list, func(x, y addedToken) int { return len(y.Content) - len(x.Content) })
		}
	}
	return a, nil
}

// cut takes the tokens out of text.
func (f finder) cut(parts []segment) (out []segment) {
	if len(f) == 0 {
		return parts
	}
	for _, p := range parts {
		out = f.cutOne(out, p)
	}
	return out
}

func (f finder) cutOne(out []segment, p segment) []segment {
	text, from := p.text, 0
	for at := 0; at < len(text); {
		i := slices.IndexFunc(f[text[at]], func(t addedToken) bool { return strings.HasPrefix(text[at:], t.Content) })
		if i < 0 {
			at++
			continue
		}
		t := f[text[at]][i]
		start, stop := at, at+len(t.Content)
		at = stop
		if start < from || t.SingleWord && (endsWord(text[:start]) || startsWord(text[stop:])) {
			continue
		}
		if t.LStrip {
			start = from + len(strings.TrimRightFunc(text[from:start], unicode.IsSpace))
		}
		if t.RStrip {
			stop = len(text) - len(strings.TrimLeftFunc(text[stop:], unicode.IsSpace))
			at = stop
		}
		if start > from {
			out = append(out, segment{text: text[from:start], first: p.first && from == 0})
		}
		out = append(out, segment{token: true, id: t.ID})
		from = stop
	}
	if from < len(text) {
		out = append(out, segment{text: text[from:], first: p.first && from == 0})
	}
	return out
}

func endsWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && isWord(r)
}

func startsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && isWord(r)
}

// isWord is what \w matches: Unicode Technical Standard 18, annex C.
func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.In(r, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}
