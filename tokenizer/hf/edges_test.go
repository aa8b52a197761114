package hf_test

import (
	"slices"
	"testing"

	"github.com/nopezoo/zoo/tokenizer/hf"
)

// TestEdges: what the random texts of TestCases do not reach, with the ids that tokenizers 0.23.3 gives.
func TestEdges(t *testing.T) {
	bert := `"normalizer":{"type":"BertNormalizer","clean_text":true},"model":{"type":"WordLevel","unk_token":"u",
		"vocab":{"u":0,"ab":1,"a b":2}}`
	for _, tc := range []struct {
		file, text string
		want       []int64
	}{
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
		if ids, err := words.Encode(tc.text); err != nil || !slices.Equal(ids, tc.want) {
			t.Errorf("%s: Encode(%q) = %v, %v, want %v", tc.file, tc.text, ids, err, tc.want)
		}
	}
}
