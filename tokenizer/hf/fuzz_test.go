package hf

import (
	"strings"
	"testing"
)

// FuzzNew: tokens and texts of any file are within the bounds.
func FuzzNew(f *testing.F) {
	for _, seed := range []string{
		bytesModel,
		`"model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1},"unk_token":"[UNK]","max_input_chars_per_word":9},
			"decoder":{"type":"Strip","content":"","start":1000000000,"stop":1000000000}`,
		bytesModel + `,"normalizer":` + charsmap('a', "bb"),
		bytesModel + `,"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}},{"Sequence":{"id":"A"}}],
			"special_tokens":{"x":{"ids":[1,2,3]}}}`,
		bytesModel + `,"normalizer":` + nested(2, "normalizers", replacing("a", "aa")+`,{"type":"Prepend","prepend":"▁"}`) + `,"pre_tokenizer":` +
			nested(2, "pretokenizers", `{"type":"Metaspace"},{"type":"ByteLevel"}`) + `,"decoder":` +
			several(2, "decoders", `{"type":"BPEDecoder","suffix":""}`),
		`"model":{"unk_id":0,"byte_fallback":true,"vocab":[["u",0],["ab",-1.5],["<0xC3>",-2]]},
			"added_tokens":[{"id":9,"content":" b","lstrip":true,"rstrip":true,"single_word":true,"normalized":true}]`,
		`"model":{"vocab":{"a":0,"##b":1,"##b</w>":2},"merges":[["a","##b"]],"unk_token":"a","continuing_subword_prefix":"##",
			"end_of_word_suffix":"</w>","byte_fallback":true}`,
	} {
		f.Add([]byte("{" + seed + "}"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := parse(data)
		if err != nil {
			return
		}
		if len(tok.before) > mostBefore {
			t.Errorf("%d ids before a prompt", len(tok.before))
		}
		const text = "ab ba, 12 é\n"
		ids, err := tok.Encode(t.Context(), text)
		if err != nil {
			return
		}
		if most := mostWork*len(text) + leastWork; len(ids) > most {
			t.Errorf("%d ids of %d bytes", len(ids), len(text))
		}
		var tokens []string
		for _, id := range ids {
			tokens = append(tokens, tok.pieces[id])
		}
		bytes, items := sizeOfTokens(tokens)
		decoded, err := tok.Decode(ids)
		if most := mostGrowth*(bytes+items) + leastGrowth; err == nil && len(decoded) > most {
			t.Errorf("%d bytes of tokens of %d: %.99s", len(decoded), bytes, strings.ToValidUTF8(decoded, "?"))
		}
	})
}
