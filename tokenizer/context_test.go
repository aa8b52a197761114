package tokenizer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/tokenizer"
)

// Encoding ends with its context under every rule.
func TestEncodeContext(t *testing.T) {
	enough := errors.New("enough")
	ended, end := context.WithCancelCause(t.Context())
	end(enough)
	characters, err := tokenizer.New([]string{tokenizer.PadCharacters, tokenizer.EOSPiece, "a", " "})
	if err != nil {
		t.Fatal(err)
	}
	for name, tok := range map[string]tokenizer.Coder{"words": mustNew(t, "a a"), "characters": characters} {
		text := strings.Repeat("a ", 50_000)
		want, err := tok.Encode(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		prompt, err := tok.EncodePrompt(t.Context(), text)
		if err != nil || !slices.Equal(prompt, want[:len(want)-1]) {
			t.Errorf("%s: %d ids of the prompt, %v, want %d", name, len(prompt), err, len(want)-1)
		}
		if ids, err := tok.Encode(ended, text); !errors.Is(err, enough) || ids != nil {
			t.Errorf("%s: %d ids, %v after the end", name, len(ids), err)
		}
		if ids, err := tok.EncodePrompt(ended, text); !errors.Is(err, enough) || ids != nil {
			t.Errorf("%s: %d ids of the prompt, %v after the end", name, len(ids), err)
		}
	}
}
