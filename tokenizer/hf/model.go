package hf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// newModel reads the part that turns pieces into ids.
func newModel(raw json.RawMessage) (model, error) {
	var m modelFields
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	kind := m.kind()
	switch kind {
	case "BPE":
		return newBPE(raw)
	case "Unigram":
		return newUnigram(raw)
	case "WordPiece":
		return newWordPiece(raw)
	case "WordLevel":
		return newWordLevel(raw)
	case "":
		return nil, errors.New("it has no type, and not the fields of one: a vocab that is a list (Unigram), or a vocab and merges (BPE), " +
			"unk_token, continuing_subword_prefix and max_input_chars_per_word (WordPiece), or unk_token (WordLevel)")
	}
	return nil, unsupported(kind)
}

// modelFields is what tells kinds of models apart.
type modelFields struct {
	Type   *string         `json:"type"`
	Vocab  json.RawMessage `json:"vocab"`
	Merges json.RawMessage `json:"merges"`
	Unk    json.RawMessage `json:"unk_token"`
	Prefix json.RawMessage `json:"continuing_subword_prefix"`
	Most   json.RawMessage `json:"max_input_chars_per_word"`
}

// kind returns the type of a model. Files of before tokenizers 0.9 have none: there the fields tell, in that library's order.
func (m modelFields) kind() string {
	switch {
	case m.Type != nil:
		return *m.Type
	case bytes.HasPrefix(m.Vocab, []byte("[")):
		return "Unigram"
	case absent(m.Vocab):
		return ""
	case !absent(m.Merges):
		return "BPE"
	case absent(m.Unk):
		return ""
	case !absent(m.Prefix) && !absent(m.Most):
		return "WordPiece"
	}
	return "WordLevel"
}

// tokenOf returns the id of the token for the unknown, which may be none.
func tokenOf(vocab map[string]int64, unknown *string) (id int64, ok bool, err error) {
	if unknown == nil {
		return 0, false, nil
	}
	if id, ok = vocab[*unknown]; !ok {
		return 0, false, fmt.Errorf("unk_token %q is not in the vocabulary", *unknown)
	}
	return id, true, nil
}

// byteTokens has the ids of the tokens <0x00> to <0xFF>, as far as there are any: Gemma has none
// for the tab, which is a token itself.
type byteTokens map[byte]int64

func newByteTokens(vocab map[string]int64) byteTokens {
	ids := byteTokens{}
	for b := range 256 {
		if id, ok := vocab[fmt.Sprintf("<0x%02X>", b)]; ok {
			ids[byte(b)] = id
		}
	}
	return ids
}

// idsOf returns the ids of the bytes of a text; ok is false where one has none.
func (t byteTokens) idsOf(text string) (ids []int64, ok bool) {
	for i := range len(text) {
		id, ok := t[text[i]]
		if !ok {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}

// wordPiece takes the longest token at each place.
type wordPiece struct {
	vocab  map[string]int64
	texts  *lexicon // of the vocabulary
	within alike    // tokens within a word
	unk    int64
	most   int // characters of a word
}

func newWordPiece(raw json.RawMessage) (model, error) {
	var m struct {
		Vocab  map[string]int64 `json:"vocab"`
		Unk    *string          `json:"unk_token"`
		Prefix string           `json:"continuing_subword_prefix"`
		Most   *int             `json:"max_input_chars_per_word"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	unk, ok, err := tokenOf(m.Vocab, m.Unk)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, errors.New("it has no unk_token")
	case m.Most == nil:
		return nil, errors.New("it has no max_input_chars_per_word")
	}
	texts := lexiconOf(m.Vocab)
	within := texts.all()
	for i := range len(m.Prefix) {
		within = texts.next(within, m.Prefix[i])
	}
	return wordPiece{m.Vocab, texts, within, unk, *m.Most}, nil
}

func (m wordPiece) vocabulary() map[string]int64 { return m.vocab }

func (m wordPiece) encode(w *walk, ids []int64, text string) ([]int64, error) {
	if utf8.RuneCountInString(text) > m.most {
		return append(ids, m.unk), nil
	}
	before, in := len(ids), m.texts.all()
	for text != "" {
		n, id, steps := m.texts.longest(in, text)
		if err := w.look(steps); err != nil {
			return nil, err
		}
		if n == 0 {
			return append(ids[:before], m.unk), nil
		}
		ids, text, in = append(ids, id), text[n:], m.within
	}
	return ids, nil
}

// wordLevel has whole pieces as tokens.
type wordLevel struct {
	vocab map[string]int64
	unk   int64
	open  bool // it has a token for the unknown
}

func newWordLevel(raw json.RawMessage) (model, error) {
	var m struct {
		Vocab map[string]int64 `json:"vocab"`
		Unk   *string          `json:"unk_token"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	out := wordLevel{vocab: m.Vocab}
	if m.Unk != nil { // that it is not in the vocabulary is said when it is needed
		out.unk, out.open = m.Vocab[*m.Unk]
	}
	return out, nil
}

func (m wordLevel) vocabulary() map[string]int64 { return m.vocab }

func (m wordLevel) encode(_ *walk, ids []int64, text string) ([]int64, error) {
	id, ok := m.vocab[text]
	if !ok && !m.open {
		return nil, fmt.Errorf("%.40q is not in the vocabulary, which has no token for the unknown", text)
	} else if !ok {
		id = m.unk
	}
	return append(ids, id), nil
}
