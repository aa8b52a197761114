package tokenizer_test

import (
	"testing"

	"github.com/nopezoo/zoo/tokenizer"
)

func TestLongestToken(t *testing.T) {
	for rule, want := range map[string]int{
		tokenizer.Words:      len(" banana"),
		tokenizer.Characters: len("é"),
		tokenizer.Bytes:      1,
	} {
		pieces, err := tokenizer.Vocabulary(rule, []string{"[S]"}, "a banana[S]é")
		if err != nil {
			t.Fatal(err)
		}
		tok, err := tokenizer.New(pieces)
		if err != nil {
			t.Fatal(err)
		}
		if got := tok.LongestToken(); got != want {
			t.Errorf("%s: a token stands for %d bytes at most, want %d", rule, got, want)
		}
	}
	words := mustNew(t, "a")
	ids, err := words.Encode(t.Context(), tokenizer.PadPiece)
	if err != nil || len(ids) != 1 || words.LongestToken() < len(tokenizer.PadPiece) {
		t.Errorf("%s is %d tokens (%v), each of %d bytes at most", tokenizer.PadPiece, len(ids), err, words.LongestToken())
	}
}
