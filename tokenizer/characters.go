package tokenizer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// The names of the rules, for settings.
const (
	Words      = "word"
	Characters = "char"
	Bytes      = "byte"
)

// Vocabulary returns the pieces that texts are made of under a rule: Words (also
// by the name ""), Characters, Bytes, or BPE with a size, which learns them from the texts. The
// special strings are of use for words alone: a character or a byte is a token wherever it stands.
func Vocabulary(rule string, special []string, texts ...string) ([]string, error) {
	switch rule {
	case Words, "":
		return wordPieces(special, texts)
	case Characters:
		return characters(texts)
	case Bytes:
		return bytePieces(), nil
	}
	if size, bpe, err := BPESize(rule); bpe {
		if err != nil {
			return nil, err
		}
		s, err := Linked()
		if err != nil {
			return nil, err
		}
		return s.Train(context.Background(), size, texts, func(string, int, int) {})
	}
	return nil, fmt.Errorf("tokenizer: unknown rule %q: known: %s, %s, %s, %s2048", start(rule), Words, Characters, Bytes, BPE)
}

// characters returns PadCharacters, EOSPiece and the characters of texts in order
// of first appearance.
func characters(texts []string) ([]string, error) {
	pieces := []string{PadCharacters, EOSPiece}
	seen := map[string]bool{}
	for i, text := range texts {
		for at := 0; at < len(text); {
			n, err := nextCharacter(text[at:])
			if err != nil {
				return nil, fmt.Errorf("tokenizer: text %d, byte %d: %w", i, at, err)
			}
			if c := text[at : at+n]; !seen[c] {
				seen[c] = true
				pieces = append(pieces, c)
			}
			at += n
		}
	}
	return pieces, nil
}

func nextCharacter(s string) (int, error) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n <= 1 {
		return 0, fmt.Errorf("text is not valid UTF-8: %q", s[0])
	}
	return n, nil
}

func checkCharacters(pieces []string) error {
	for i, p := range pieces[2:] {
		if utf8.RuneCountInString(p) != 1 || !utf8.ValidString(p) {
			return fmt.Errorf("piece %d: %q is not one character", i+2, start(p))
		}
	}
	return nil
}

// bytePieces returns PadBytes, EOSPiece and the 256 bytes, written "<0x00>" to
// "<0xFF>": a vocabulary is text, and most bytes by themselves are not.
func bytePieces() []string {
	pieces := []string{PadBytes, EOSPiece}
	for b := range 256 {
		pieces = append(pieces, fmt.Sprintf("<0x%02X>", b))
	}
	return pieces
}

func nextByte(string) (int, error) { return 1, nil }

func checkBytes(pieces []string) error {
	if !slices.Equal(pieces, bytePieces()) {
		return errors.New("a vocabulary of bytes has the pieces <0x00> to <0xFF> in order, and no others")
	}
	return nil
}

// byteTexts returns what the pieces stand for.
func byteTexts(pieces []string) []string {
	texts := slices.Clone(pieces)
	for i := 2; i < len(texts); i++ {
		texts[i] = string([]byte{byte(i - 2)})
	}
	return texts
}
