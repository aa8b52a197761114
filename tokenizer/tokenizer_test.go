package tokenizer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/tokenizer"
)

func mustNew(t testing.TB, texts ...string) *tokenizer.Tokenizer {
	t.Helper()
	pieces, err := tokenizer.Vocabulary("", []string{"[SEP]", "[NEXT]"}, texts...)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.New(pieces)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func cut(t testing.TB, tok *tokenizer.Tokenizer, ids []int64) []string {
	t.Helper()
	var out []string
	for _, id := range ids {
		s, err := tok.Decode([]int64{id})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func TestEncode(t *testing.T) {
	for _, tc := range []struct {
		reason, text string
		want         []string
	}{
		{"the copy prompt", "Copy: 7 tree B [SEP] 7", []string{"Copy", ":", " 7", " tree", " B", " [SEP]", " 7"}},
		{"special without a space", "6 .[SEP] The", []string{"6", " .", "[SEP]", " The"}},
		{"digits are single", "412", []string{"4", "1", "2"}},
		{"letters and digits part", "A1", []string{"A", "1"}},
		{"punctuation is single", "(1's)**", []string{"(", "1", "'", "s", ")", "*", "*"}},
		{"runs of spaces", "a   b", []string{"a", " ", " ", " b"}},
		{"trailing space", "a ", []string{"a", " "}},
		{"only spaces", "  ", []string{" ", " "}},
		{"leading space", " a", []string{" a"}},
		{"accents stay in the word", "caf\u0065\u0301 né", []string{"caf\u0065\u0301", " né"}},
		{"newline is a character", "a\nb", []string{"a", "\n", "b"}},
		{"end of sequence as text", "a</s>", []string{"a", "</s>"}},
		{"not quite special", "[SEP", []string{"[", "SEP"}},
		{"empty", "", nil},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			tok := mustNew(t, tc.text)
			ids, err := tok.Encode(t.Context(), tc.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, cut(t, tok, ids)); diff != "" {
				t.Errorf("pieces (-want +got):\n%s", diff)
			}
			back, err := tok.Decode(ids)
			if err != nil || back != tc.text {
				t.Errorf("Decode = %q, %v; want %q", back, err, tc.text)
			}
		})
	}
}

func TestVocabularyOrder(t *testing.T) {
	got, err := tokenizer.Vocabulary("", []string{"[SEP]"}, "Copy: 7 B [SEP] ", "7[SEP] 7")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"<pad>", "</s>", " ", " [SEP]", "[SEP]", "Copy", ":", " 7", " B", "7"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("vocabulary (-want +got):\n%s", diff)
	}
	tok, err := tokenizer.New(got)
	if err != nil {
		t.Fatal(err)
	}
	if tokenizer.Pad != 0 || tokenizer.EOS != 1 || tok.Size() != len(want) {
		t.Errorf("Pad, EOS, Size = %d, %d, %d", tokenizer.Pad, tokenizer.EOS, tok.Size())
	}
	got[5] = "changed"
	if text, err := tok.Decode([]int64{5}); err != nil || text != "Copy" {
		t.Errorf("piece 5 is %q, %v: the tokenizer shares the caller's memory", text, err)
	}
}

func TestVocabularyErrors(t *testing.T) {
	for _, special := range []string{"", "word", ";", "a b", "\xff\xff"} {
		if _, err := tokenizer.Vocabulary("", []string{special}); err == nil {
			t.Errorf("special %q: no error", special)
		}
	}
	if _, err := tokenizer.Vocabulary("", nil, "ok", "a \xff"); err == nil ||
		!strings.Contains(err.Error(), "text 1, byte 1") {
		t.Errorf("invalid UTF-8: %v", err)
	}
}

func TestNewErrors(t *testing.T) {
	for _, tc := range []struct {
		reason string
		pieces []string
		want   string
	}{
		{"nothing", nil, `starts with "<pad>" and "</s>"`},
		{"order", []string{"</s>", "<pad>"}, `starts with`},
		{"repeated", []string{"<pad>", "</s>", "a", "b", "a"}, `piece 4 repeats piece 2, "a"`},
		{"empty piece", []string{"<pad>", "</s>", ""}, "piece 2: is empty"},
		{"inner space", []string{"<pad>", "</s>", "a b"}, "piece 2"},
		{"two spaces", []string{"<pad>", "</s>", "  "}, "piece 2"},
		{"not UTF-8", []string{"<pad>", "</s>", "\xff"}, "UTF-8"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			if _, err := tokenizer.New(tc.pieces); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v does not contain %q", err, tc.want)
			}
		})
	}
}

func TestLongestSpecialWins(t *testing.T) {
	tok, err := tokenizer.New([]string{"<pad>", "</s>", "A1", "A12", "2", "B"})
	if err != nil {
		t.Fatal(err)
	}
	ids, err := tok.Encode(t.Context(), "A12A1B")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{3, 2, 5}, ids); diff != "" {
		t.Error(diff)
	}
}

func TestEncodeErrors(t *testing.T) {
	tok := mustNew(t, "Copy: 7 tree [SEP]")
	for _, tc := range []struct{ text, want string }{
		{"Copy: 7 cat", `unknown piece " cat" at byte 7`},
		{"Copy:7", `unknown piece "7" at byte 5 (the vocabulary has " 7")`},
		{" Copy", `unknown piece " Copy" at byte 0 (the vocabulary has "Copy")`},
		{"Copy\xff", "byte 4: text is not valid UTF-8"},
		{"Copy: \xff", "byte 5: text is not valid UTF-8"},
	} {
		if _, err := tok.Encode(t.Context(), tc.text); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: error %v does not contain %q", tc.text, err, tc.want)
		}
	}
	for _, id := range []int64{-1, int64(tok.Size())} {
		if _, err := tok.Decode([]int64{0, id}); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("id %d at index 1", id)) {
			t.Errorf("Decode(%d): %v", id, err)
		}
	}
}

func TestEncodePair(t *testing.T) {
	for _, tc := range []struct {
		reason, prompt, target string
		wantPrompt, wantTarget []string
	}{
		{"copy", "Copy: 7 B [SEP] ", "7 B", []string{"Copy", ":", " 7", " B", " [SEP]"}, []string{" 7", " B"}},
		{"no space", "6 .[SEP]", "The", []string{"6", " .", "[SEP]"}, []string{"The"}},
		{"two spaces", "a  ", "7", []string{"a", " "}, []string{" 7"}},
		{"space on both sides", "a ", " 7", []string{"a"}, []string{" ", " 7"}},
		{"empty target", "a ", "", []string{"a"}, []string{" "}},
		{"empty prompt", "", "7", nil, []string{"7"}},
		{"both empty", "", "", nil, nil},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			tok := mustNew(t, tc.prompt+tc.target, tc.prompt)
			ids, start, err := tok.EncodePair(tc.prompt, tc.target)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.wantPrompt, cut(t, tok, ids[:start])); diff != "" {
				t.Errorf("prompt (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.wantTarget, cut(t, tok, ids[start:])); diff != "" {
				t.Errorf("target (-want +got):\n%s", diff)
			}
			prompt, err := tok.EncodePrompt(t.Context(), tc.prompt)
			if err != nil || !slices.Equal(prompt, ids[:start]) {
				t.Errorf("EncodePrompt = %v, %v; want %v", prompt, err, ids[:start])
			}
		})
	}
	tok := mustNew(t, "abcd ab cd")
	if _, _, err := tok.EncodePair("ab", "cd"); err == nil || !strings.Contains(err.Error(), "form one token") {
		t.Errorf("fused boundary: %v", err)
	}
}

// FuzzRoundTrip builds the vocabulary of a text and checks that the text
// survives, and that every cut into prompt and target that EncodePair accepts
// agrees with EncodePrompt.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{"Copy: 7 tree B [SEP] 7 tree B", "  a  ", "A1B</s> <pad>", "é\u0301 x\n\t", "[SEP[NEXT]",
		"\xff", "x\ufffdy"} {
		f.Add(s, 5)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		pieces, err := tokenizer.Vocabulary("", []string{"[SEP]", "[NEXT]"}, text)
		if err != nil {
			return
		}
		tok, err := tokenizer.New(pieces)
		if err != nil {
			t.Fatalf("New refuses the vocabulary of %q: %v", text, err)
		}
		ids, err := tok.Encode(t.Context(), text)
		if err != nil {
			t.Fatalf("Encode(%q): %v", text, err)
		}
		if back, err := tok.Decode(ids); err != nil || back != text {
			t.Fatalf("Decode = %q, %v; want %q", back, err, text)
		}
		if at < 0 || at > len(text) {
			return
		}
		pair, start, err := tok.EncodePair(text[:at], text[at:])
		if err != nil {
			return
		}
		prompt, err := tok.EncodePrompt(t.Context(), text[:at])
		if err != nil || !slices.Equal(pair, ids) || !slices.Equal(prompt, ids[:start]) {
			t.Fatalf("pair %v from %d, prompt %v (%v), whole %v", pair, start, prompt, err, ids)
		}
	})
}

func Example() {
	pieces, _ := tokenizer.Vocabulary("", []string{"[SEP]"}, "Copy: 7 tree B [SEP] ")
	tok, _ := tokenizer.New(pieces)
	ids, start, _ := tok.EncodePair("Copy: 7 tree B [SEP] ", "7 tree B")
	target, _ := tok.Decode(ids[start:])
	fmt.Printf("%v from %d: %q\n", ids, start, target)
	// Output: [4 5 6 7 8 3 6 7 8] from 6: " 7 tree B"
}
