package tokenizer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/tokenizer"
)

func ruled(t testing.TB, rule string, texts ...string) *tokenizer.Tokenizer {
	t.Helper()
	pieces, err := tokenizer.Vocabulary(rule, []string{"[SEP]"}, texts...)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.New(pieces)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestRules(t *testing.T) {
	const text = "7 é[SEP]"
	for rule, want := range map[string][]string{
		tokenizer.Words:      {"7", " é", "[SEP]"},
		"":                   {"7", " é", "[SEP]"},
		tokenizer.Characters: {"7", " ", "é", "[", "S", "E", "P", "]"},
		tokenizer.Bytes:      {"7", " ", "\xc3", "\xa9", "[", "S", "E", "P", "]"},
	} {
		tok := ruled(t, rule, text)
		ids, err := tok.Encode(t.Context(), text)
		if err != nil {
			t.Fatalf("%s: %v", rule, err)
		}
		if diff := cmp.Diff(want, cut(t, tok, ids)); diff != "" {
			t.Errorf("%s: pieces (-want +got):\n%s", rule, diff)
		}
		if back, err := tok.Decode(ids); err != nil || back != text {
			t.Errorf("%s: Decode = %q, %v", rule, back, err)
		}
	}
	if n := ruled(t, tokenizer.Bytes).Size(); n != 258 {
		t.Errorf("%d pieces for bytes, want 258", n)
	}
	if n := ruled(t, tokenizer.Characters, "abcab").Size(); n != 5 {
		t.Errorf("%d pieces for three characters, want 5", n)
	}
	if _, err := tokenizer.Vocabulary("words", nil); err == nil ||
		!strings.Contains(err.Error(), `unknown rule "words": known: word, char, byte, bpe:2048`) {
		t.Errorf("unknown rule: %v", err)
	}
	if _, err := tokenizer.Vocabulary(tokenizer.Characters, nil, "a", "b\xff"); err == nil ||
		!strings.Contains(err.Error(), "text 1, byte 1") {
		t.Errorf("invalid UTF-8: %v", err)
	}
}

func TestRulesRefuse(t *testing.T) {
	for _, tc := range []struct {
		pieces []string
		want   string
	}{
		{[]string{"<pad:chars>", "</s>", "ab"}, `piece 2: "ab" is not one character`},
		{[]string{"<pad:chars>", "</s>", ""}, `piece 2: "" is not`},
		{[]string{"<pad:chars>", "</s>", "\xff"}, "is not one character"},
		{[]string{"<pad:chars>", "</s>", "a", "a"}, "piece 3 repeats piece 2"},
		{[]string{"<pad:bytes>", "</s>", "<0x00>"}, "in order, and no others"},
		{[]string{"<pad:other>", "</s>"}, `with "<pad:chars>" for characters`},
	} {
		if _, err := tokenizer.New(tc.pieces); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: error %v does not contain %q", tc.pieces, err, tc.want)
		}
	}
	tok := ruled(t, tokenizer.Characters, "ab")
	if _, err := tok.Encode(t.Context(), "abc"); err == nil || !strings.Contains(err.Error(), `unknown piece "c" at byte 2`) {
		t.Errorf("unknown character: %v", err)
	}
}

// The space at a prompt's end goes to the target under every rule, and prompts
// encode alike alone and with a target.
func TestRulesEncodePair(t *testing.T) {
	for _, rule := range []string{tokenizer.Words, tokenizer.Characters, tokenizer.Bytes} {
		tok := ruled(t, rule, "Copy: 7 tree[SEP] 7 tree")
		ids, start, err := tok.EncodePair("Copy: 7 tree[SEP] ", "7 tree")
		if err != nil {
			t.Fatalf("%s: %v", rule, err)
		}
		prompt, err := tok.EncodePrompt(t.Context(), "Copy: 7 tree[SEP] ")
		if err != nil || !cmp.Equal(prompt, ids[:start]) {
			t.Errorf("%s: prompt %v, pair %v from %d, %v", rule, prompt, ids, start, err)
		}
		if target, err := tok.Decode(ids[start:]); err != nil || target != " 7 tree" {
			t.Errorf("%s: target %q, %v", rule, target, err)
		}
	}
}

func FuzzRules(f *testing.F) {
	for _, s := range []string{"Copy: 7 [SEP] 7", "<pad:chars></s>", "é\u0301\n", "\xff\x00", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, rule := range []string{tokenizer.Characters, tokenizer.Bytes} {
			pieces, err := tokenizer.Vocabulary(rule, nil, text)
			if err != nil {
				continue // not UTF-8
			}
			tok, err := tokenizer.New(pieces)
			if err != nil {
				t.Fatalf("%s: New refuses the vocabulary of %q: %v", rule, text, err)
			}
			ids, err := tok.Encode(t.Context(), text)
			if err != nil {
				t.Fatalf("%s: Encode(%q): %v", rule, text, err)
			}
			if back, err := tok.Decode(ids); err != nil || back != text {
				t.Fatalf("%s: Decode = %q, %v; want %q", rule, back, err, text)
			}
		}
	})
}

// A program that links nothing for subwords is told what to link.
func TestSubwordsNotLinked(t *testing.T) {
	_, errNew := tokenizer.New([]string{tokenizer.PadBPE, tokenizer.EOSPiece})
	_, errLearn := tokenizer.Vocabulary("bpe:512", nil, "a text")
	for _, err := range []error{errNew, errLearn} {
		if err == nil || !strings.Contains(err.Error(), `import _ "github.com/nopezoo/zoo/tokenizer/hf"`) {
			t.Errorf("error %v", err)
		}
	}
	for _, rule := range []string{"bpe:", "bpe:300", "bpe:511", "bpe:8193", "bpe:0512", "bpe:-512", "bpe:many"} {
		if _, err := tokenizer.Vocabulary(rule, nil); err == nil || !strings.Contains(err.Error(), "512 to 8192 pieces, such as bpe:2048") {
			t.Errorf("%s: error %v", rule, err)
		}
	}
}
