package tokenizer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer finds token boundaries. Its special strings, grouped by first byte and
// longest first, are all that it takes from a vocabulary.
type lexer struct {
	special map[byte][]string
}

func newLexer(special []string) lexer {
	l := lexer{special: map[byte][]string{}}
	for _, s := range special {
		if !slices.Contains(l.special[s[0]], s) {
			l.special[s[0]] = append(l.special[s[0]], s)
		}
	}
	for _, group := range l.special {
		slices.SortFunc(group, func(a, b string) int { return len(b) - len(a) })
	}
	return l
}

// next returns the length in bytes of the first token of s, which is not empty.
func (l lexer) next(s string) (int, error) {
	space := 0
	if s[0] == ' ' {
		if len(s) == 1 || s[1] == ' ' {
			return 1, nil
		}
		space = 1
	}
	core := s[space:]
	for _, special := range l.special[core[0]] {
		if strings.HasPrefix(core, special) {
			return space + len(special), nil
		}
	}
	n := lexeme(core)
	if n == 0 {
		return 0, fmt.Errorf("text is not valid UTF-8: %q", core[0])
	}
	return space + n, nil
}

// lexeme returns the length in bytes of the word or character at the start of s,
// or 0 when s does not start with valid UTF-8. Marks (accents) stay with their
// word.
func lexeme(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n <= 1 {
		return 0
	}
	if !unicode.IsLetter(r) {
		return n
	}
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		n += size
	}
	return n
}

// corePiece returns a piece without its leading space; "" for the lone space.
func corePiece(piece string) (string, error) {
	core := strings.TrimPrefix(piece, " ")
	switch {
	case piece == "":
		return "", errors.New("is empty")
	case !utf8.ValidString(piece):
		return "", fmt.Errorf("%q is not valid UTF-8", start(piece))
	case strings.Contains(core, " "):
		return "", fmt.Errorf("%q has a space that is not its first character", start(piece))
	}
	return core, nil
}

// wordPieces returns the pieces that texts are made of, ready for New: PadPiece,
// EOSPiece, the lone space, then the given special strings in the forms (with
// or without a leading space) in which the texts contain them, then all other
// tokens; each group in order of first appearance.
func wordPieces(special, texts []string) ([]string, error) {
	for _, s := range special {
		if s == "" || strings.Contains(s, " ") || lexeme(s) == len(s) || !utf8.ValidString(s) {
			return nil, fmt.Errorf("tokenizer: %q cannot be a special string: it needs two or more characters "+
				"that are no word, and no space", start(s))
		}
	}
	l := newLexer(append([]string{PadPiece, EOSPiece}, special...))
	pieces := []string{PadPiece, EOSPiece, " "}
	seen := map[string]bool{PadPiece: true, EOSPiece: true, " ": true}
	var plain []string
	for i, text := range texts {
		for at := 0; at < len(text); {
			n, err := l.next(text[at:])
			if err != nil {
				return nil, fmt.Errorf("tokenizer: text %d, byte %d: %w", i, at, err)
			}
			piece := text[at : at+n]
			at += n
			if seen[piece] {
				continue
			}
			seen[piece] = true
			if core := strings.TrimPrefix(piece, " "); lexeme(core) == len(core) {
				plain = append(plain, piece)
			} else {
				pieces = append(pieces, piece)
			}
		}
	}
	return append(pieces, plain...), nil
}
