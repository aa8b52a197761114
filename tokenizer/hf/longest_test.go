package hf_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/tokenizer/hf"
)

// TestLongestToken: where a number is known, no text has fewer tokens than it says.
func TestLongestToken(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]int{}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".json.gz")
		c := readCases(t, path)
		tok, err := hf.New(c.Tokenizer)
		if err != nil {
			t.Fatal(err)
		}
		longest := tok.LongestToken()
		if longest == 0 {
			continue
		}
		known[name] = longest
		for _, tc := range c.Cases {
			for _, text := range []string{tc.Text, strings.Repeat(" ", 3*longest) + strings.Repeat(tc.Text, 3)} {
				ids, err := tok.Encode(t.Context(), text)
				if err != nil {
					t.Fatal(err)
				}
				if len(ids)*longest < len(text) {
					t.Errorf("%s: %d tokens of at most %d bytes for %d bytes: %q", name, len(ids), longest, len(text), text)
				}
			}
		}
	}
	for name, want := range map[string]int{"gpt2": len("<|endoftext|>"), "gpt2-prefix": 13, "llama2": 12, "llama2-metaspace": 12, "llama3": 13,
		"gemma": 15, "qwen2": 0, "gpt1": 0, "unigram": 0, "unigram-bytes": 0, "wordpiece": 0, "wordlevel": 0} {
		if known[name] != want {
			t.Errorf("%s: a token stands for %d bytes at most, want %d", name, known[name], want)
		}
	}
}

// TestNoLongestToken: a file that may shorten texts, or make one token of many bytes, has none.
func TestNoLongestToken(t *testing.T) {
	longest := func(normalizer, split, model, added string) int {
		t.Helper()
		vocab := map[string]int{"abc": 256}
		for i, letter := range byteLetters() {
			vocab[letter] = i
		}
		if model == "-a" {
			delete(vocab, "a")
			delete(vocab, "abc")
			model = ""
		}
		data, err := json.Marshal(vocab)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := hf.New(fmt.Appendf(nil, `{"normalizer": %s, "pre_tokenizer": %s, "model": {"type": "BPE", %s "vocab": %s, "merges": []},
			"added_tokens": [%s]}`, normalizer, split, model, data, added))
		if err != nil {
			t.Fatal(err)
		}
		return tok.LongestToken()
	}
	const none, spelt = "null", `{"type": "ByteLevel", "add_prefix_space": false}`
	then := func(part string) string {
		return `{"type": "Sequence", "pretokenizers": [` + part + `, ` + spelt + `]}`
	}
	replace := func(pattern, by string) string {
		return fmt.Sprintf(`{"type": "Replace", "pattern": %s, "content": %q}`, pattern, by)
	}
	special := func(more string) string {
		return `{"id": 300, "content": "<end>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false` + more + `}`
	}
	digits := `{"type": "Digits", "individual_digits": false}`
	for _, tc := range []struct {
		name                            string
		normalizer, split, model, added string
		want                            int
	}{
		{"spelt", none, spelt, "", "", 3},
		{"cut", none, then(digits), "", "", 3},
		{"an added token", none, spelt, "", special(""), 5},
		{"one in normal form", none, spelt, "", special(`, "normalized": true`), 5},
		{"the same under a normalizer", replace(`{"String": "a"}`, "b"), spelt, "", special(`, "normalized": true`), 0},
		{"one that takes the space before it", none, spelt, "", special(`, "lstrip": true`), 0},
		{"one that takes the space after it", none, spelt, "", special(`, "rstrip": true`), 0},
		{"longer by a normalizer", replace(`{"String": " "}`, "▁"), spelt, "", "", 3},
		{"as long", replace(`{"String": "ab"}`, "cd"), spelt, "", "", 3},
		{"shorter by a normalizer", replace(`{"String": "aa"}`, "a"), spelt, "", "", 0},
		{"an expression", replace(`{"Regex": " +"}`, " "), spelt, "", "", 0},
		{"a normal form", `{"type": "NFC"}`, spelt, "", "", 0},
		{"within a Sequence", `{"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "_"}, {"type": "StripAccents"}]}`, spelt, "", "", 0},
		{"spaces dropped", none, then(`{"type": "WhitespaceSplit"}`), "", "", 0},
		{"matches dropped", none, then(`{"type": "Split", "pattern": {"String": "a"}, "behavior": "Removed", "invert": false}`), "", "", 0},
		{"matches kept", none, then(`{"type": "Split", "pattern": {"String": "a"}, "behavior": "Isolated", "invert": false}`), "", "", 3},
		{"a byte without a token", none, spelt, "-a", "", 0},
		{"not spelt", none, none, "", "", 0},
		{"another last letter", none, spelt, `"end_of_word_suffix": "</w>",`, "", 0},
		{"another first letter", none, spelt, `"continuing_subword_prefix": "##",`, "", 0},
	} {
		if got := longest(tc.normalizer, tc.split, tc.model, tc.added); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

// byteLetters are those that byte-level vocabularies write bytes with: printable ones themselves, and from U+0100 on.
func byteLetters() []string {
	var out []string
	next := rune(0x100)
	for b := range rune(256) {
		if b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae {
			out = append(out, string(b))
			continue
		}
		out = append(out, string(next))
		next++
	}
	return out
}
