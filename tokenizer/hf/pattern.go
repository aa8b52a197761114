package hf

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/tokenizer/hf/internal/oniguruma"
)

// pattern finds matches in a text, of a string or of a regular expression.
type pattern struct {
	text       string // where it is no expression
	expression *oniguruma.Regexp
}

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
		e, err := oniguruma.Compile(*p.Regex)
		return pattern{expression: e}, err
	case p.String != nil && *p.String != "":
		return pattern{text: *p.String}, nil
	}
	return pattern{}, errors.New("pattern: it has neither a String nor a Regex")
}

// spans cuts all of a text. A match may be empty, and then cuts, too.
func (p pattern) spans(w *walk, s string) (out []span, err error) {
	if s == "" {
		return nil, nil
	}
	from := 0
	add := func(start, end int) {
		if start > from {
			out = append(out, span{from, start, false})
		}
		out = append(out, span{start, end, true})
		from = end
	}
	if p.expression == nil {
		for looks := 1; ; looks++ {
			n := strings.Index(s[from:], p.text)
			if n < 0 {
				break
			}
			add(from+n, from+n+len(p.text))
			if looks%looked == 0 {
				if err := over(w); err != nil {
					return nil, err
				}
			}
		}
	} else {
		matches, err := p.expression.All(s, w.look)
		if err != nil {
			return nil, err
		}
		for _, m := range matches {
			add(m.From, m.To)
		}
	}
	if from < len(s) {
		out = append(out, span{from, len(s), false})
	}
	return out, nil
}

// replace writes by for each match, unless that adds more than there is room for.
func (p pattern) replace(w *walk, s, by string) (string, error) {
	if p.text != "" {
		if err := w.fits(strings.Count(s, p.text) * (len(by) - len(p.text))); err != nil {
			return "", err
		}
		return strings.ReplaceAll(s, p.text, by), nil
	}
	spans, err := p.spans(w, s)
	added := 0
	for _, part := range spans {
		if part.match {
			added += len(by) - (part.to - part.from)
		}
	}
	if err == nil {
		err = w.fits(added)
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.Grow(len(s) + added)
	for _, part := range spans {
		if part.match {
			b.WriteString(by)
		} else {
			b.WriteString(s[part.from:part.to])
		}
	}
	return b.String(), nil
}
