package hf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/suggest"
)

// The kinds of tokens (tokenizer.ggml.token_type).
const (
	tokenNormal  = 1
	tokenUnknown = 2
	tokenControl = 3
	tokenUser    = 4
)

// byteRule is how texts are cut before the pieces of byte-level BPE, by tokenizer.ggml.pre.
type byteRule struct {
	parts      []object // pre-tokenizers
	normalizer object
	words      bool // a word that is a piece is not made of merges
	begins     bool // the token before a text is there unless the file says otherwise
}

// byteRules cut texts as the models' own tokenizer.json does, with its regular expressions.
var byteRules = map[string]byteRule{
	"gpt-2":   {parts: []object{byteLevel(true)}},
	"default": {parts: []object{byteLevel(true)}},
	"smollm":  {parts: []object{{"type": "Digits", "individual_digits": true}, byteLevel(true)}},
	"llama-bpe": {parts: []object{split(`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`),
		byteLevel(false)}, words: true, begins: true},
	"qwen2": {parts: []object{split(`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`),
		byteLevel(false)}, normalizer: object{"type": "NFC"}},
}

func byteLevel(cut bool) object {
	return object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": cut}
}

// tokenizer returns the tokenizer.json that a file's tokenizer amounts to; nil where it has none.
func (g *ggufReader) tokenizer() ([]byte, error) {
	kind, _ := g.Pairs["tokenizer.ggml.model"].(string)
	if kind == "" || kind == "none" {
		return nil, nil
	}
	pieces, err := list[string](g, "tokens")
	if err != nil {
		return nil, err
	}
	types, err := list[int64](g, "token_type")
	if err != nil {
		return nil, err
	}
	if len(types) == 0 {
		types = slices.Repeat([]int64{tokenNormal}, len(pieces))
	}
	if len(types) != len(pieces) {
		return nil, fmt.Errorf("tokenizer.ggml.token_type has %d numbers for %d tokens", len(types), len(pieces))
	}
	vocab := make(map[string]int, len(pieces))
	for id, piece := range pieces {
		if other, twice := vocab[piece]; twice {
			return nil, fmt.Errorf("tokenizer.ggml.tokens: %q has the ids %d and %d", clip([]byte(piece)), other, id)
		}
		vocab[piece] = id
	}
	out := object{"version": "1.0", "truncation": nil, "padding": nil, "normalizer": nil, "post_processor": nil}
	model := object{"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil, "end_of_word_suffix": nil,
		"fuse_unk": false, "byte_fallback": false, "ignore_merges": false, "vocab": vocab}
	special := []int64{tokenControl, tokenUser}
	switch kind {
	case "gpt2":
		err = g.byteBPE(out, model, pieces)
	case "llama":
		err = g.sentencePiece(out, model, pieces, types, vocab)
		special = append(special, tokenUnknown)
	default:
		err = suggest.Unknown("tokenizer.ggml.model", clip([]byte(kind)), []string{"gpt2", "llama"})
	}
	if err != nil {
		return nil, err
	}
	out["model"] = model
	var extra []object
	for id, piece := range pieces {
		if slices.Contains(special, types[id]) {
			token := added(id, piece)
			token["special"] = types[id] != tokenUser
			extra = append(extra, token)
		}
	}
	out["added_tokens"] = extra
	return json.Marshal(out)
}

// list reads a list of the tokenizer; it is empty where there is none.
func list[T any](g *ggufReader, name string) ([]T, error) {
	values, _ := g.Pairs["tokenizer.ggml."+name].([]any)
	out := make([]T, len(values))
	for i, v := range values {
		var ok bool
		if out[i], ok = v.(T); !ok {
			return nil, fmt.Errorf("tokenizer.ggml.%s: element %d is %v", name, i, v)
		}
	}
	return out, nil
}

// byteBPE is byte-level BPE, with the merges that the file lists.
func (g *ggufReader) byteBPE(out, model object, pieces []string) error {
	merges, err := list[string](g, "merges")
	if err != nil {
		return err
	}
	pre, _ := g.Pairs["tokenizer.ggml.pre"].(string)
	rule, ok := byteRules[cmp.Or(pre, "default")]
	if !ok {
		return fmt.Errorf("%w; import the folder with its tokenizer.json instead",
			suggest.Unknown("tokenizer.ggml.pre", clip([]byte(pre)), slices.Sorted(maps.Keys(byteRules))))
	}
	model["merges"], model["ignore_merges"] = merges, rule.words
	out["pre_tokenizer"] = object{"type": "Sequence", "pretokenizers": rule.parts}
	out["decoder"] = byteLevel(true)
	if rule.normalizer != nil {
		out["normalizer"] = rule.normalizer
	}
	return g.begins(out, pieces, rule.begins)
}

// sentencePiece is SentencePiece's BPE: pieces merge in the order of their scores, and what is no piece falls back to bytes.
func (g *ggufReader) sentencePiece(out, model object, pieces []string, types []int64, vocab map[string]int) error {
	scores, err := list[float64](g, "scores")
	if err != nil {
		return err
	}
	if len(scores) != len(pieces) {
		return fmt.Errorf("tokenizer.ggml.scores has %d numbers for %d tokens", len(scores), len(pieces))
	}
	type merge struct {
		left, right string
		score       float64
	}
	var merges []merge
	for id, piece := range pieces {
		if types[id] != tokenNormal {
			continue
		}
		first := len(merges)
		for at := range piece {
			if at == 0 {
				continue
			}
			_, left := vocab[piece[:at]]
			_, right := vocab[piece[at:]]
			if left && right {
				merges = append(merges, merge{piece[:at], piece[at:], scores[id]})
			}
		}
		slices.SortStableFunc(merges[first:], func(a, b merge) int {
			return cmp.Or(cmp.Compare(vocab[a.left], vocab[b.left]), cmp.Compare(vocab[a.right], vocab[b.right]))
		})
	}
	slices.SortStableFunc(merges, func(a, b merge) int { return cmp.Compare(b.score, a.score) })
	pairs := lists.Map(merges, func(m merge) [2]string { return [2]string{m.left, m.right} })
	model["merges"], model["byte_fallback"], model["fuse_unk"] = pairs, true, true
	if unknown, ok := g.Pairs["tokenizer.ggml.unknown_token_id"].(int64); ok && unknown >= 0 && int(unknown) < len(pieces) {
		model["unk_token"] = pieces[unknown]
	}
	decoders := []object{{"type": "Replace", "pattern": object{"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}}
	replace := object{"type": "Replace", "pattern": object{"String": " "}, "content": "▁"}
	if prefix, ok := g.Pairs["tokenizer.ggml.add_space_prefix"].(bool); !ok || prefix {
		out["normalizer"] = object{"type": "Sequence", "normalizers": []object{{"type": "Prepend", "prepend": "▁"}, replace}}
		decoders = append(decoders, object{"type": "Strip", "content": " ", "start": 1, "stop": 0})
	} else {
		out["normalizer"] = replace
	}
	out["pre_tokenizer"] = nil
	out["decoder"] = object{"type": "Sequence", "decoders": decoders}
	return g.begins(out, pieces, true)
}

// begins puts the token before a text that the file wants there.
func (g *ggufReader) begins(out object, pieces []string, byDefault bool) error {
	wanted, ok := g.Pairs["tokenizer.ggml.add_bos_token"].(bool)
	if !ok {
		wanted = byDefault
	}
	id, ok := g.Pairs["tokenizer.ggml.bos_token_id"].(int64)
	if !wanted || !ok {
		return nil
	}
	if id < 0 || int(id) >= len(pieces) {
		return fmt.Errorf("tokenizer.ggml.bos_token_id %d: there are %d tokens", id, len(pieces))
	}
	begin := pieces[id]
	text := func(id string, kind int) object { return object{"Sequence": object{"id": id, "type_id": kind}} }
	token := func(kind int) object { return object{"SpecialToken": object{"id": begin, "type_id": kind}} }
	out["post_processor"] = object{"type": "TemplateProcessing", "single": []object{token(0), text("A", 0)},
		"pair":           []object{token(0), text("A", 0), token(1), text("B", 1)},
		"special_tokens": object{begin: object{"id": begin, "ids": []int64{id}, "tokens": []string{begin}}}}
	return nil
}
