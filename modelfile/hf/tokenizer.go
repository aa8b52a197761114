package hf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/tokenizer"
)

// object is a JSON object under construction.
type object = map[string]any

// TokenizerFile returns the tokenizer.json of a list of pieces (tokenizer.New), in the format of Hugging
// Face's library tokenizers, which cuts every text as package tokenizer does and
// fails on the same unknown pieces. One difference remains: where a text holds
// the first or the second piece literally, that library takes it for the special
// one under every rule, and behind a space too.
//
//   - Words: the pre-tokenizer is the lexical rule as a regular expression (at
//     each place the longest special string, a word, or a character, with the one
//     space before it), and the model looks pieces up.
//   - Characters: the pre-tokenizer cuts between all characters.
//   - Bytes: pair merging without a pair, which falls back to bytes.
//   - Subwords: byte-level pair merging; the program must link package tokenizer/hf.
func TokenizerFile(pieces []string) ([]byte, error) {
	if _, err := tokenizer.New(pieces); err != nil {
		return nil, err
	}
	if pieces[0] == tokenizer.PadBPE {
		l, err := tokenizer.Linked()
		if err != nil {
			return nil, err
		}
		return l.File(pieces)
	}
	vocab := object{}
	for id, p := range pieces {
		vocab[p] = id
	}
	// <unk> is no piece, so that what is unknown is an error.
	lookup := object{"type": "WordLevel", "vocab": vocab, "unk_token": "<unk>"}
	out := object{
		"version": "1.0", "truncation": nil, "padding": nil, "normalizer": nil, "post_processor": nil,
		"added_tokens": []object{added(0, pieces[0]), added(1, pieces[1])},
		"model":        lookup,
		"decoder":      object{"type": "Fuse"},
	}
	switch pieces[0] {
	case tokenizer.PadCharacters:
		out["pre_tokenizer"] = split(`[\s\S]`)
	case tokenizer.PadBytes:
		out["pre_tokenizer"] = nil
		out["model"] = object{
			"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil,
			"end_of_word_suffix": nil, "fuse_unk": false, "byte_fallback": true, "ignore_merges": false,
			"vocab": vocab, "merges": []string{},
		}
		out["decoder"] = object{"type": "Sequence", "decoders": []object{{"type": "ByteFallback"}, {"type": "Fuse"}}}
	default:
		out["pre_tokenizer"] = split(wordRule(pieces))
	}
	return indented(out)
}

func added(id int, piece string) object {
	return object{
		"id": id, "content": piece, "single_word": false, "lstrip": false, "rstrip": false,
		"normalized": false, "special": true,
	}
}

// addsNothing is the post-processor that the library transformers puts where there
// is none: it leaves one sequence as it is.
func addsNothing() object {
	sequence := func(id string, kind int) object { return object{"Sequence": object{"id": id, "type_id": kind}} }
	return object{
		"type": "TemplateProcessing", "special_tokens": object{},
		"single": []object{sequence("A", 0)}, "pair": []object{sequence("A", 0), sequence("B", 1)},
	}
}

func split(pattern string) object {
	return object{"type": "Split", "pattern": object{"Regex": pattern}, "behavior": "Isolated", "invert": false}
}

// wordRule is the lexical rule of package tokenizer for a vocabulary of words. A
// space that no token follows is matched by the last alternative.
func wordRule(pieces []string) string {
	var special []string
	for _, p := range pieces {
		core := strings.TrimPrefix(p, " ")
		if core != "" && !plain.MatchString(core) && !slices.Contains(special, regexp.QuoteMeta(core)) {
			special = append(special, regexp.QuoteMeta(core))
		}
	}
	slices.SortStableFunc(special, func(a, b string) int { return len(b) - len(a) })
	return ` ?(?:` + strings.Join(append(special, `\p{L}[\p{L}\p{M}]*`, `[^ ]`), "|") + `)| `
}

// plain matches what is one token without being a special string.
var plain = regexp.MustCompile(`^(?:\p{L}[\p{L}\p{M}]*|(?s:.))$`)

// putTokenizer adds the tokenizer's files, if the model has one.
func putTokenizer(files map[string][]byte, c card.Card) error {
	if len(c.Tokenizer) == 0 {
		return nil
	}
	var err error
	if files[tokenizer.File], err = TokenizerFile(c.Tokenizer); err != nil {
		return err
	}
	about := object{
		"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": c.Tokenizer[0], "eos_token": c.Tokenizer[1],
		"clean_up_tokenization_spaces": false, "padding_side": "left",
	}
	files[tokenizerConfigFile], err = indented(about)
	return err
}

// readTokenizer returns a folder's pieces in id order, none where it has no
// tokenizer. A tokenizer that does not work as package tokenizer does is an error.
func readTokenizer(dir string) ([]string, error) {
	path := filepath.Join(dir, tokenizer.File)
	var d document
	if err := readJSON(path, &d); errors.Is(err, fs.ErrNotExist) {
		return nil, foreignTokenizer(dir)
	} else if err != nil {
		return nil, err
	}
	pieces, err := d.pieces()
	if err != nil {
		return nil, fmt.Errorf("%s: %w; to import the model without a tokenizer, take a folder without that file",
			path, err)
	}
	return pieces, nil
}

// foreignTokenizer refuses a tokenizer that is there in another form.
func foreignTokenizer(dir string) error {
	for _, name := range []string{"tokenizer.model", "vocab.json", "vocab.txt", "merges.txt"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return fmt.Errorf("%s: only tokenizers in a %s are read; to import the model without a tokenizer, take "+
				"a folder without that file", filepath.Join(dir, name), tokenizer.File)
		}
	}
	return nil
}

// pieces reads the vocabulary and checks that it is used by the same rules.
func (d document) pieces() ([]string, error) {
	var model struct {
		Vocab  map[string]int  `json:"vocab"`
		Merges json.RawMessage `json:"merges"`
	}
	if err := json.Unmarshal(d["model"], &model); err != nil {
		return nil, errors.New("the model is no vocabulary with whole numbers as ids: want what zoo writes, " +
			"WordLevel, bytes or subwords")
	}
	pieces := make([]string, len(model.Vocab))
	for piece, id := range model.Vocab {
		if id < 0 || id >= len(pieces) || pieces[id] != "" || piece == "" || !utf8.ValidString(piece) {
			return nil, fmt.Errorf("the vocabulary has %d pieces, and %q has the id %d: want distinct pieces with "+
				"the ids from 0 on", len(pieces), clip([]byte(piece)), id)
		}
		pieces[id] = piece
	}
	if len(pieces) > 0 && pieces[0] == tokenizer.PadBPE {
		if err := joinedPieces(pieces, model.Merges); err != nil {
			return nil, err
		}
	}
	file, err := TokenizerFile(pieces)
	if err != nil {
		return nil, fmt.Errorf("the vocabulary is not one of zoo's: %w", err)
	}
	var want object
	if err := json.Unmarshal(file, &want); err != nil {
		return nil, err
	}
	for _, part := range []string{"normalizer", "pre_tokenizer", "model", "post_processor", "decoder"} {
		ok, err := sameJSON(d[part], want[part])
		if part == "post_processor" && !ok && err == nil {
			ok, err = sameJSON(d[part], addsNothing())
		}
		if err != nil || !ok {
			return nil, fmt.Errorf("its %s cuts texts otherwise than zoo does (%s)", part, clip(d[part]))
		}
	}
	return pieces, nil
}

// joinedPieces writes the last pieces of a vocabulary of subwords as package tokenizer has them, by
// the two that each joins.
func joinedPieces(pieces []string, raw json.RawMessage) error {
	var merges [][2]string
	if err := json.Unmarshal(raw, &merges); err != nil || len(merges) > len(pieces) {
		return fmt.Errorf("its merges are not one pair of pieces for each piece that is no byte (%s)", clip(raw))
	}
	for i, m := range merges {
		pieces[len(pieces)-len(merges)+i] = m[0] + " " + m[1]
	}
	return nil
}

// sameJSON compares values without order and layout; what is absent is null.
func sameJSON(raw []byte, want any) (bool, error) {
	if len(raw) == 0 {
		raw = []byte("null")
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return false, err
	}
	got, err := json.Marshal(value)
	if err != nil {
		return false, err
	}
	// Numbers read into any are floats, and print like the whole ones they are.
	wanted, err := json.Marshal(want)
	return bytes.Equal(got, wanted), err
}
