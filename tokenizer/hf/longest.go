package hf

import (
	"encoding/json"
	"unicode/utf8"
)

// LongestToken implements tokenizer.Coder. It is 0 but where a file surely keeps all of a text: of its
// normalizers and pre-tokenizers none shortens it, and each byte has a token of a BPE. Then a token stands for no
// more bytes than its own.
func (t *coder) LongestToken() int { return t.longest }

// longestToken is LongestToken of a file whose parts have been read.
func longestToken(normalizer, split json.RawMessage, m model, added []addedToken) int {
	b, isBPE := m.(*bpe)
	if !isBPE || b.prefix+b.suffix != "" {
		return 0
	}
	for _, p := range parts(normalizer) {
		longer := p.Type == "Replace" && p.Pattern.String != "" && len(p.Content) >= len(p.Pattern.String)
		if !longer && p.Type != "Prepend" {
			return 0
		}
	}
	spelled := false // its tokens are of letters that stand for bytes
	for _, p := range parts(split) {
		switch p.Type {
		case "ByteLevel":
			spelled = true
		case "Metaspace", "Digits":
		case "Split", "Punctuation":
			if p.Behavior == "Removed" {
				return 0
			}
		default:
			return 0
		}
	}
	for at := range 256 {
		known := len(b.bytes) == 256
		if spelled {
			_, known = b.vocab[string(spelling[at])]
		}
		if !known {
			return 0
		}
	}
	var longest int
	for token := range b.vocab {
		if spelled {
			longest = max(longest, utf8.RuneCountInString(token))
		} else {
			longest = max(longest, len(token))
		}
	}
	for _, a := range added {
		if a.LStrip || a.RStrip || a.Normalized && !absent(normalizer) {
			return 0 // it takes spaces too, or what its normal form stands for
		}
		longest = max(longest, len(a.Content))
	}
	return longest
}

// part is what tells whether a normalizer or pre-tokenizer keeps all of a text.
type part struct {
	Type     string
	Behavior string
	Content  string
	Pattern  struct{ String string }

	Normalizers, PreTokenizers []json.RawMessage // of a Sequence
}

// parts returns a part, or a Sequence's parts.
func parts(raw json.RawMessage) []part {
	var p part
	if absent(raw) {
		return nil
	}
	if json.Unmarshal(raw, &p) != nil {
		return []part{p} // which nothing is known of
	}
	if p.Type != "Sequence" {
		return []part{p}
	}
	var all []part
	for _, inner := range append(p.Normalizers, p.PreTokenizers...) {
		all = append(all, parts(inner)...)
	}
	return all
}
