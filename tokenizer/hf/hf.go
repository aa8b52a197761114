package hf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/nopezoo/zoo/internal/jsontext"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/tokenizer"
)

// mostBytes bounds the files; the largest vocabularies have some 40 MB.
const mostBytes = 1 << 28

func init() {
	tokenizer.Register(tokenizer.Library{
		Read:    readFolder,
		Parse:   New,
		Train:   trainBPE,
		Version: trainVersion,
		File:    func(pieces []string) ([]byte, error) { return bpeFile(pieces, true) },
		New: func(pieces []string) (tokenizer.Coder, error) {
			file, err := bpeFile(pieces, false)
			if err != nil {
				return nil, err
			}
			return New(file)
		},
	})
}

// coder is the tokenizer of a file. The same text always has the same tokens. It keeps the tokens of up to
// 8 MiB of words that it has seen.
type coder struct {
	added     added
	normalize stage[string]
	split     stage[[]piece] // a pre-tokenizer
	model     model
	known     knownWords // by model
	decode    stage[[]string]
	before    []int64 // ids before a prompt
	pieces    map[int64]string
	special   map[int64]bool
	longest   int // LongestToken
}

// model turns a piece of text into ids, and counts its steps.
type model interface {
	encode(w *walk, ids []int64, text string) ([]int64, error)
	vocabulary() map[string]int64
}

// piece is a part of a text. First tells that the text begins with it.
type piece struct {
	text  string
	first bool
}

func sizeOfText(s string) (bytes, items int) { return len(s), 0 }

func sizeOfPieces(pieces []piece) (bytes, items int) {
	for _, p := range pieces {
		bytes += len(p.text)
	}
	return bytes, len(pieces)
}

func sizeOfTokens(tokens []string) (bytes, items int) {
	for _, t := range tokens {
		bytes += len(t)
	}
	return bytes, len(tokens)
}

// readFolder reads the tokenizer in a folder, and the tokens that end a text.
func readFolder(folder fs.FS) (tokenizer.Coder, []int64, error) {
	data, err := read(folder, tokenizer.File)
	if err != nil {
		return nil, nil, err
	}
	t, err := parse(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", tokenizer.File, err)
	}
	ends, err := t.ends(folder)
	return t, ends, err
}

func read(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostBytes {
		return nil, fmt.Errorf("%s is no regular file of at most %d bytes", name, mostBytes)
	}
	return fs.ReadFile(folder, name)
}

// New returns the tokenizer that a tokenizer.json describes.
func New(data []byte) (tokenizer.Coder, error) {
	t, err := parse(data)
	if err != nil {
		return nil, err // not t: a nil *coder in an interface is not nil
	}
	return t, nil
}

func parse(data []byte) (*coder, error) {
	var file struct {
		Added         []addedToken    `json:"added_tokens"`
		Normalizer    json.RawMessage `json:"normalizer"`
		PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
		PostProcessor json.RawMessage `json:"post_processor"`
		Decoder       json.RawMessage `json:"decoder"`
		Model         json.RawMessage `json:"model"`
	}
	if err := jsontext.Check(data); err != nil { // of two tokens one would be made
		return nil, fmt.Errorf("tokenizer: it %w", err)
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("tokenizer: it is not the JSON of a tokenizer: %w", err)
	}
	if absent(file.Model) {
		return nil, errors.New("tokenizer: it has no model")
	}
	t := &coder{pieces: map[int64]string{}, special: map[int64]bool{}}
	var err error
	at := func(part string, e error) {
		if err == nil && e != nil {
			err = fmt.Errorf("tokenizer: %s: %w", part, e)
		}
	}
	var e error
	t.normalize, e = pipeline(file.Normalizer, "normalizers", sizeOfText, normalizer)
	at("normalizer", e)
	t.split, e = pipeline(file.PreTokenizer, "pretokenizers", sizeOfPieces, preTokenizer)
	at("pre_tokenizer", e)
	t.model, e = newModel(file.Model)
	at("model", e)
	t.decode, e = newDecoder(file.Decoder)
	at("decoder", e)
	if err != nil {
		return nil, err
	}
	t.longest = longestToken(file.Normalizer, file.PreTokenizer, t.model, file.Added)
	for text, id := range t.model.vocabulary() {
		t.pieces[id] = text
	}
	for _, a := range file.Added {
		t.pieces[a.ID] = a.Content
		t.special[a.ID] = a.Special
	}
	t.added, e = newAdded(file.Added, t.normalize)
	at("added_tokens", e)
	t.before, e = prefix(file.PostProcessor)
	at("post_processor", e)
	return t, err
}

// absent reports whether a part is left out.
func absent(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}

// typeOf returns the type of a part, and has the rest of it read into to.
func typeOf(raw json.RawMessage, to any) (string, error) {
	var t struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return "", err
	}
	return t.Type, json.Unmarshal(raw, to)
}

// unsupported is the error for a part that this package does not have.
func unsupported(kind string) error {
	return fmt.Errorf("type %q is not supported (go doc ./tokenizer/hf lists what is); convert the text to token ids elsewhere", kind)
}

// idOf returns the id of a token, by its text in the vocabulary.
func (t *coder) idOf(token string) (id int64, ok bool) {
	if id, ok = t.added.ids[token]; ok {
		return id, true
	}
	id, ok = t.model.vocabulary()[token]
	return id, ok
}

// Encode implements tokenizer.Coder. Text that is not UTF-8 is an error, and so is what the
// vocabulary cannot express, if it has no token for the unknown.
func (t *coder) Encode(ctx context.Context, text string) ([]int64, error) {
	ids, err := t.encode(ctx, text)
	return wrap.Value(ids, err, "tokenizer")
}

func (t *coder) encode(ctx context.Context, text string) (ids []int64, err error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("text is not valid UTF-8")
	}
	w := newWalk(ctx, len(text))
	parts, err := t.added.plain.cut(w, text, true)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		if part.token {
			ids = append(ids, part.id)
		} else if ids, err = t.encodePart(w, ids, part); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// encodePart appends the ids of text between added tokens that are found before it is normalized.
func (t *coder) encodePart(w *walk, ids []int64, part segment) ([]int64, error) {
	normal, err := t.normalize(w, part.text)
	if err != nil {
		return nil, err
	}
	parts, err := t.added.normalized.cut(w, normal, part.first)
	if err != nil {
		return nil, err
	}
	for _, s := range parts {
		switch {
		case s.token:
			ids = append(ids, s.id)
			continue
		case s.text == "":
			continue
		}
		pieces, err := t.split(w, []piece{{s.text, s.first}})
		if err != nil {
			return nil, err
		}
		for i, p := range pieces {
			if i%looked == 0 {
				if err := over(w); err != nil {
					return nil, err
				}
			}
			if ids, err = t.known.encode(w, t.model, ids, p.text); err != nil {
				return nil, err
			}
		}
	}
	return ids, nil
}

// EncodePrompt implements tokenizer.Coder.
func (t *coder) EncodePrompt(ctx context.Context, prompt string) ([]int64, error) {
	ids, err := t.Encode(ctx, strings.TrimSuffix(prompt, " "))
	if err != nil {
		return nil, err
	}
	return append(t.before[:len(t.before):len(t.before)], ids...), nil
}

// Decode implements tokenizer.Coder. Special tokens, such as the one that ends a text, have no
// text, nor have ids without a token: many models have larger vocabularies than
// their tokenizers. An incomplete character is in the text as its bytes.
func (t *coder) Decode(ids []int64) (string, error) {
	var tokens []string
	for i, id := range ids {
		if id < 0 {
			return "", fmt.Errorf("tokenizer: id %d at index %d is negative", id, i)
		}
		if text, ok := t.pieces[id]; ok && !t.special[id] {
			tokens = append(tokens, text)
		}
	}
	bytes, items := sizeOfTokens(tokens)
	texts, err := t.decode(newWalk(context.Background(), bytes+items), tokens)
	return wrap.Value(strings.Join(texts, ""), err, "tokenizer")
}

// ends reads from tokenizer_config.json which token ends a text.
func (t *coder) ends(folder fs.FS) ([]int64, error) {
	const name = "tokenizer_config.json"
	data, err := read(folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var config struct {
		EOS json.RawMessage `json:"eos_token"`
	}
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var text string
	if json.Unmarshal(config.EOS, &text) != nil { // or a token with its properties
		var token addedToken
		_ = json.Unmarshal(config.EOS, &token)
		text = token.Content
	}
	if id, ok := t.idOf(text); ok {
		return []int64{id}, nil
	}
	return nil, nil
}
