package hf

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nopezoo/zoo/internal/lists"
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

// finder finds tokens, of those that a text begins with the longest.
type finder struct {
	tokens []addedToken
	texts  *lexicon // of what the tokens look like; ids are their places
}

// segment is a part of a text, or an added token.
type segment struct {
	text  string
	first bool
	token bool
	id    int64
}

func newAdded(tokens []addedToken, normalize stage[string]) (added, error) {
	a := added{ids: map[string]int64{}}
	size := len(tokens)
	for _, t := range tokens {
		size += len(t.Content)
	}
	w := newWalk(context.Background(), size) // for all: a million tokens that become 1 kB each are 1 GB
	for _, t := range tokens {
		a.ids[t.Content] = t.ID
		if !t.Normalized {
			a.plain.tokens = append(a.plain.tokens, t)
			continue
		}
		var err error
		if t.Content, err = normalize(w, t.Content); err != nil {
			return a, fmt.Errorf("token %d: %w", t.ID, err)
		}
		a.normalized.tokens = append(a.normalized.tokens, t)
	}
	for _, f := range []*finder{&a.plain, &a.normalized} {
		f.texts = newLexicon(lists.Make(len(f.tokens), func(i int) entry { return entry{f.tokens[i].Content, int64(i)} }))
	}
	return a, nil
}

// cut takes the tokens out of a text.
func (f finder) cut(w *walk, text string, first bool) (out []segment, err error) {
	if len(f.tokens) == 0 {
		return []segment{{text: text, first: first}}, nil
	}
	from, steps := 0, 0
	for at := 0; at < len(text); {
		n, i, looks := f.texts.longest(f.texts.all(), text[at:])
		if steps += looks; steps >= looked {
			if err := w.look(steps); err != nil {
				return nil, err
			}
			steps = 0
		}
		if n == 0 {
			at++
			continue
		}
		t := f.tokens[i]
		start, stop := at, at+n
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
			out = append(out, segment{text: text[from:start], first: first && from == 0})
		}
		out = append(out, segment{token: true, id: t.ID})
		from = stop
	}
	if from < len(text) {
		out = append(out, segment{text: text[from:], first: first && from == 0})
	}
	return out, w.look(steps)
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
