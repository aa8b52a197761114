package hf_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/tokenizer/hf"
)

// TestEdges: what the random texts of TestCases do not reach, with the ids that tokenizers 0.23.3 gives.
func TestEdges(t *testing.T) {
	const vocab = `"vocab":{"<unk>":0,"a":1,"\t":2,"<0xC3>":3,"<0xA9>":4,"<0x0A>":5},"merges":[]`
	bytes := `"model":{"type":"BPE","unk_token":"<unk>","byte_fallback":true,` + vocab
	unigram := func(more, vocab string) string {
		return fmt.Sprintf(`"model":{"type":"Unigram","unk_id":0,"byte_fallback":%s,"vocab":[%s]}`, more, vocab)
	}
	twice := unigram("false", `["<unk>",0],["a",-1],["b",-1.5],["ab",-9],["ab",-2],["u",-1]`)
	someBytes := unigram("true", `["<unk>",0],["a",-1],["<0xC3>",-5],["<0xA9>",-5]`)
	bert := `"normalizer":{"type":"BertNormalizer","clean_text":true},"model":{"type":"WordLevel","unk_token":"u",
		"vocab":{"u":0,"ab":1,"a b":2}}`
	const wordpiece = `"model":{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"##","max_input_chars_per_word":4,
		"vocab":{"u":0,"ab":1,"##c":2,"##cd":3,"a":4,"##":5,"##é":6}}`
	const within = `"model":{"type":"BPE","vocab":{"a":0,"b":1,"##b":2,"ab":3,"##b</w>":4,"a</w>":5,"abb</w>":6},
		"merges":[["a","##b"],["ab","##b</w>"]],"continuing_subword_prefix":"##","end_of_word_suffix":"</w>"}`
	for _, tc := range []struct {
		file, text string
		want       []int64
	}{
		// Gemma's vocabulary has not all bytes. The token for the unknown comes after the bytes'.
		{bytes + `}`, "a\té\n", []int64{1, 2, 3, 4, 5}},
		{bytes + `}`, "èéèa", []int64{3, 4, 0, 0, 1}},
		{bytes + `,"fuse_unk":true}`, "è\nè\nèa", []int64{5, 5, 0, 1}},
		{`"model":{"type":"BPE","byte_fallback":true,` + vocab + `}`, "aèéa", []int64{1, 3, 4, 1}},
		{`"model":{"type":"BPE","byte_fallback":true,"vocab":{"<0x00>":1,"<0x100>":2},"merges":[]}`, "\x00", []int64{1}},
		{`"model":{"type":"BPE","dropout":0.0,"vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}`, "ab", []int64{2}},
		{`"model":{"type":"BPE","dropout":null,"vocab":{"a":0,"b":1,"ab":2},"merges":[["a","b"]]}`, "aab", []int64{0, 2}},
		{someBytes, "aéa", []int64{1, 2, 3, 1}},
		{someBytes, "éè", []int64{0}},
		// The last of several tokens that are written alike counts.
		{twice, "abab", []int64{4, 4}},
		// Of ways with the same score the one with the longest last token counts; an unknown character scores 10 less than the
		// worst token.
		{unigram("false", `["u",0],["a",-1],["b",-1],["ab",-2]`), "abab", []int64{3, 3}},
		{unigram("false", `["u",-1],["éab",-1],["ab",10.5]`), "éab", []int64{0, 2}},
		{unigram("false", `["u",-1],["éab",-1],["ab",9.5]`), "éab", []int64{1}},
		{wordpiece, "abcd", []int64{1, 3}},
		{wordpiece, "aé", []int64{4, 6}},
		{wordpiece, "abce", []int64{0}},
		{wordpiece, "abcdc", []int64{0}},
		{wordpiece, "abc#", []int64{0}},
		{wordpiece, "éa", []int64{0}},
		{within, "abb", []int64{6}},
		{within, "a", []int64{5}},
		{within, "ab", []int64{0, 4}},
		{within, "b", nil},
		// The token for the unknown may itself stand in a text.
		{twice, "a<unk>b", []int64{1, 0, 2}},
		{twice, "z<unk>zb", []int64{0, 2}},
		// Control characters and private ones are left out, unassigned ones are not.
		{bert, "a\u0085b", []int64{1}},
		{bert, "a\ue000b", []int64{1}},
		{bert, "a\u0378b", []int64{0}},
		{bert, "a\uffffb", []int64{0}},
		{bert, "a\u00a0b", []int64{2}},
	} {
		words, err := hf.New([]byte("{" + tc.file + "}"))
		if err != nil {
			t.Errorf("%s: %v", tc.file, err)
			continue
		}
		if ids, err := words.Encode(t.Context(), tc.text); err != nil || !slices.Equal(ids, tc.want) {
			t.Errorf("%s: Encode(%q) = %v, %v, want %v", tc.file, tc.text, ids, err, tc.want)
		}
	}
}
