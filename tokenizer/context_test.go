package tokenizer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/tokenizer"
)

// Encoding ends with its context, whatever the rule, and is else as without one.
func TestEncodeContext(t *testing.T) {
	enough := errors.New("enough")
	ended, end := context.WithCancelCause(t.Context())
	end(enough)
	characters, err := tokenizer.New([]string{tokenizer.PadCharacters, tokenizer.EOSPiece, "a", " "})
	if err != nil {
		t.Fatal(err)
	}
	for name, tok := range map[string]tokenizer.ContextCoder{"words": mustNew(t, "a a"), "characters": characters} {
		text := strings.Repeat("a ", 50_000)
		want, err := tok.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		if ids, err := tok.EncodeContext(t.Context(), text); err != nil || !slices.Equal(ids, want) {
			t.Errorf("%s: %d ids, %v, want %d", name, len(ids), err, len(want))
		}
		prompt, err := tok.EncodePrompt(text)
		if err != nil || len(prompt) != len(want)-1 {
			t.Errorf("%s: %d ids of the prompt, %v, want %d", name, len(prompt), err, len(want)-1)
		}
		if ids, err := tok.EncodePromptContext(t.Context(), text); err != nil || !slices.Equal(ids, prompt) {
			t.Errorf("%s: %d ids of the prompt, %v, want %d", name, len(ids), err, len(prompt))
		}
		if ids, err := tok.EncodeContext(ended, text); !errors.Is(err, enough) || ids != nil {
			t.Errorf("%s: %d ids, %v after the end", name, len(ids), err)
		}
		if ids, err := tok.EncodePromptContext(ended, text); !errors.Is(err, enough) || ids != nil {
			t.Errorf("%s: %d ids of the prompt, %v after the end", name, len(ids), err)
		}
	}
}
