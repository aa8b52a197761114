package hf

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// newDecoder returns what turns tokens into the parts of a text.
func newDecoder(raw json.RawMessage) (stage[[]string], error) {
	if absent(raw) {
		return plain(func(t []string) []string { return []string{strings.Join(t, " ")} }), nil
	}
	return pipeline(raw, "decoders", sizeOfTokens, decoder)
}

// decoder returns one of its steps.
func decoder(raw json.RawMessage) (stage[[]string], error) {
	var n struct {
		Prefix  string          `json:"prefix"`
		Cleanup bool            `json:"cleanup"`
		Suffix  string          `json:"suffix"`
		Content string          `json:"content"`
		Start   int             `json:"start"`
		Stop    int             `json:"stop"`
		Pattern json.RawMessage `json:"pattern"`
		metaspace
	}
	kind, err := typeOf(raw, &n)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "ByteLevel":
		return plain(bytesOfTokens), nil
	case "ByteFallback":
		return plain(fallenBytes), nil
	case "Fuse":
		return plain(func(t []string) []string { return []string{strings.Join(t, "")} }), nil
	case "Metaspace":
		space, err := n.metaspace.space()
		return plain(func(t []string) []string { return n.metaspace.decode(t, space) }), err
	case "WordPiece":
		return plain(func(t []string) []string { return wordsOf(t, n.Prefix, n.Cleanup) }), nil
	case "BPEDecoder":
		return plain(func(t []string) []string {
			return each(t, func(i int, token string) string {
				space := " "
				if i == len(t)-1 {
					space = ""
				}
				return strings.ReplaceAll(token, n.Suffix, space)
			})
		}), nil
	case "Strip":
		return plain(func(t []string) []string {
			return each(t, func(_ int, token string) string { return stripped(token, n.Content, n.Start, n.Stop) })
		}), nil
	case "Replace":
		p, err := readPattern(n.Pattern)
		return func(w *walk, tokens []string) ([]string, error) {
			out, so := make([]string, len(tokens)), *w // what is added so far: metered takes it from w in the end
			for i, token := range tokens {
				var err error
				if out[i], err = p.replace(&so, token, n.Content); err == nil {
					err = so.grow(len(out[i]) - len(token))
				}
				if err != nil {
					return nil, err
				}
			}
			return out, nil
		}, err
	}
	return nil, unsupported(kind)
}

func each(tokens []string, f func(i int, token string) string) []string {
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = f(i, t)
	}
	return out
}

// bytesOfTokens is the reverse of byteLevel. A token with other characters is itself.
func bytesOfTokens(tokens []string) []string {
	return each(tokens, func(_ int, token string) string {
		out := make([]byte, 0, len(token))
		for _, r := range token {
			b, ok := bytesOf[r]
			if !ok {
				return token
			}
			out = append(out, b)
		}
		return string(out)
	})
}

// fallenBytes turns <0x00> to <0xFF> into the bytes that they are.
func fallenBytes(tokens []string) []string {
	return each(tokens, func(_ int, token string) string {
		if len(token) == 6 && strings.HasPrefix(token, "<0x") && token[5] == '>' {
			if b, err := hex.DecodeString(token[3:5]); err == nil {
				return string(b)
			}
		}
		return token
	})
}

func (m metaspace) decode(tokens []string, mark string) []string {
	return each(tokens, func(i int, token string) string {
		space := " "
		if i == 0 && m.scheme() != "never" {
			space = ""
		}
		return strings.ReplaceAll(token, mark, space)
	})
}

// cleaner takes out spaces that no text has.
var cleaner = [][2]string{{" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"}, {" 'm", "'m"},
	{" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}}

func wordsOf(tokens []string, prefix string, cleanup bool) []string {
	return each(tokens, func(i int, token string) string {
		if i > 0 {
			if rest, within := strings.CutPrefix(token, prefix); within {
				token = rest
			} else {
				token = " " + token
			}
		}
		if cleanup {
			for _, c := range cleaner {
				token = strings.ReplaceAll(token, c[0], c[1])
			}
		}
		return token
	})
}

// stripped takes at most so many characters off the ends.
func stripped(token, content string, start, stop int) string {
	for i := 0; i < start && content != "" && strings.HasPrefix(token, content); i++ {
		token = token[len(content):]
	}
	for i := 0; i < stop && content != "" && strings.HasSuffix(token, content); i++ {
		token = token[:len(token)-len(content)]
	}
	return token
}

// mostBefore is how many ids there may be before a prompt; published files have four at most.
const mostBefore = 1 << 10

// prefix returns the ids that a post-processor puts before one text.
func prefix(raw json.RawMessage) (out []int64, err error) {
	parts, err := flat(raw, "processors")
	for _, part := range parts {
		ids, err := prefixOf(part)
		if err != nil {
			return nil, err
		}
		if out = slices.Concat(ids, out); len(out) > mostBefore { // each takes what those before it gave for the text
			return nil, errTooMany
		}
	}
	return out, err
}

var errTooMany = fmt.Errorf("it puts more than %d ids before a text", mostBefore)

func prefixOf(raw json.RawMessage) ([]int64, error) {
	var p struct {
		CLS     []json.RawMessage            `json:"cls"`
		Single  []map[string]json.RawMessage `json:"single"`
		Special map[string]specialToken      `json:"special_tokens"`
	}
	kind, err := typeOf(raw, &p)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "ByteLevel":
		return nil, nil
	case "BertProcessing", "RobertaProcessing":
		var id int64
		if len(p.CLS) != 2 || json.Unmarshal(p.CLS[1], &id) != nil {
			return nil, fmt.Errorf("%s: cls is no token and its id", kind)
		}
		return []int64{id}, nil
	case "TemplateProcessing":
		return templatePrefix(p.Single, p.Special)
	}
	return nil, unsupported(kind)
}

type specialToken struct {
	IDs []int64 `json:"ids"`
}

func templatePrefix(parts []map[string]json.RawMessage, special map[string]specialToken) (out []int64, err error) {
	for _, part := range parts {
		if _, text := part["Sequence"]; text {
			return out, nil
		}
		var token struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(part["SpecialToken"], &token); err != nil {
			return nil, fmt.Errorf("the template: %w", err)
		}
		s, ok := special[token.ID]
		if !ok {
			return nil, fmt.Errorf("the template has the token %q, and special_tokens has no ids for it", token.ID)
		}
		if out = append(out, s.IDs...); len(out) > mostBefore {
			return nil, errTooMany
		}
	}
	return nil, fmt.Errorf("the template has no place for the text")
}
