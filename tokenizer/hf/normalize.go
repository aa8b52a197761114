package hf

import (
	"encoding/json"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// normalizer returns one of what changes a text before it is cut.
func normalizer(raw json.RawMessage) (stage[string], error) {
	var n struct {
		Prepend  string          `json:"prepend"`
		Content  string          `json:"content"`
		Pattern  json.RawMessage `json:"pattern"`
		Left     bool            `json:"strip_left"`
		Right    bool            `json:"strip_right"`
		Clean    bool            `json:"clean_text"`
		Chinese  bool            `json:"handle_chinese_chars"`
		Accents  *bool           `json:"strip_accents"`
		Lower    bool            `json:"lowercase"`
		Charsmap []byte          `json:"precompiled_charsmap"`
	}
	kind, err := typeOf(raw, &n)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "NFC":
		return plain(norm.NFC.String), nil
	case "NFD":
		return plain(norm.NFD.String), nil
	case "NFKC":
		return plain(norm.NFKC.String), nil
	case "NFKD":
		return plain(norm.NFKD.String), nil
	case "Nmt":
		return plain(func(s string) string { return strings.Map(nmt, s) }), nil
	case "ByteLevel":
		return plain(spelled), nil
	case "Lowercase":
		return plain(lower), nil
	case "StripAccents":
		return plain(func(s string) string { return without(unicode.M, s) }), nil
	case "Strip":
		return plain(func(s string) string {
			if n.Left {
				s = strings.TrimLeftFunc(s, unicode.IsSpace)
			}
			if n.Right {
				s = strings.TrimRightFunc(s, unicode.IsSpace)
			}
			return s
		}), nil
	case "Prepend":
		return plain(func(s string) string {
			if s == "" {
				return s
			}
			return n.Prepend + s
		}), nil
	case "Replace":
		p, err := readPattern(n.Pattern)
		return func(w *walk, s string) (string, error) { return p.replace(w, s, n.Content) }, err
	case "BertNormalizer":
		accents := n.Lower
		if n.Accents != nil {
			accents = *n.Accents
		}
		return plain(bert(n.Clean, n.Chinese, accents, n.Lower)), nil
	case "Precompiled":
		p, err := readPrecompiled(n.Charsmap)
		if err != nil {
			return nil, err
		}
		return p.normalize, nil
	}
	return nil, unsupported(kind)
}

const dropped rune = -1 // for strings.Map, in place of a character

// lower has each character in lower case by itself: Σ at the end of a word is σ, and İ two characters.
func lower(s string) string {
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		if r == 'İ' {
			return r
		}
		return unicode.ToLower(r)
	}, s), "İ", "i\u0307")
}

// nmt drops controls and has all spaces alike, as SentencePiece's rule nmt_nfkc.
func nmt(r rune) rune {
	switch {
	case r >= 0x01 && r <= 0x08, r == 0x0b, r >= 0x0e && r <= 0x1f, r == 0x7f, r == 0x8f, r == 0x9f:
		return dropped
	case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, r >= 0x200b && r <= 0x200f, r == 0x2028, r == 0x2029,
		r == 0x2581, r == 0xfeff, r == 0xfffd:
		return ' '
	}
	return r
}

func without(class *unicode.RangeTable, s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(class, r) {
			return dropped
		}
		return r
	}, s)
}

// bert is the normalizer of BERT's models.
func bert(clean, chinese, accents, lowercase bool) func(string) string {
	return func(s string) string {
		if clean {
			s = strings.Map(cleaned, s)
		}
		if chinese {
			var b strings.Builder
			for _, r := range s {
				if isChinese(r) {
					b.WriteString(" " + string(r) + " ")
				} else {
					b.WriteRune(r)
				}
			}
			s = b.String()
		}
		if accents {
			s = without(unicode.Mn, norm.NFD.String(s))
		}
		if lowercase {
			s = lower(s)
		}
		return s
	}
}

func cleaned(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return ' '
	case r == 0xfffd || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co): // not C, which has unassigned ones
		return dropped
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// isChinese tells the ideographs that BERT's models have as words of their own.
func isChinese(r rune) bool {
	for _, block := range [][2]rune{{0x4e00, 0x9fff}, {0x3400, 0x4dbf}, {0x20000, 0x2a6df}, {0x2a700, 0x2b81f},
		{0x2b920, 0x2ceaf}, {0xf900, 0xfaff}, {0x2f800, 0x2fa1f}} {
		if r >= block[0] && r <= block[1] {
			return true
		}
	}
	return false
}
