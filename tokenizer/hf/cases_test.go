package hf_test

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nopezoo/zoo/tokenizer/hf"
)

// cases is what scripts/tokenizers_cases.py writes: a tokenizer, and what the library
// tokenizers makes of texts.
type cases struct {
	Tokenizer json.RawMessage `json:"tokenizer"`
	Cases     []struct {
		Text    string  `json:"text"`
		IDs     []int64 `json:"ids"`
		Prompt  []int64 `json:"prompt"`
		Decoded string  `json:"decoded"`
	} `json:"cases"`
}

func readCases(t testing.TB, path string) (c cases) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(z).Decode(&c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCases: texts have the ids that the library gives them, and ids the text; of random
// characters of all of Unicode, and of words, spaces and special tokens.
func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.json.gz"))
	if folder := os.Getenv("ZOO_TOKENIZER_CASES"); err == nil && folder != "" {
		files, err = filepath.Glob(filepath.Join(folder, "*.json.gz"))
	}
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files of cases, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json.gz"), func(t *testing.T) {
			t.Parallel()
			c := readCases(t, path)
			words, err := hf.New(c.Tokenizer)
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0
			for _, want := range c.Cases {
				ids, err := words.Encode(t.Context(), want.Text)
				if err != nil || !slices.Equal(ids, want.IDs) {
					if wrong++; wrong < 6 {
						t.Errorf("Encode(%q) = %v, %v, want %v", want.Text, ids, err, want.IDs)
					}
				}
				text, err := words.Decode(want.IDs)
				// The library has � in place of bytes that are no character.
				if whole := utf8.ValidString(text); err != nil || whole && text != want.Decoded ||
					!whole && !strings.Contains(want.Decoded, "\ufffd") {
					if wrong++; wrong < 6 {
						t.Errorf("Decode(%v) = %q, %v, want %q", want.IDs, text, err, want.Decoded)
					}
				}
				if strings.HasSuffix(want.Text, " ") {
					continue // a prompt leaves it to the token that follows
				}
				prompt, err := words.EncodePrompt(t.Context(), want.Text)
				if n := len(prompt); err != nil || n > len(want.Prompt) || !slices.Equal(prompt, want.Prompt[:n]) ||
					n < len(want.Prompt)-1 {
					if wrong++; wrong < 6 {
						t.Errorf("EncodePrompt(%q) = %v, %v, want %v without its end", want.Text, prompt, err, want.Prompt)
					}
				}
			}
			if wrong > 0 {
				t.Errorf("%d of %d texts are wrong", wrong, len(c.Cases))
			}
		})
	}
}
