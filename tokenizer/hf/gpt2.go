package hf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// gpt2 is the expression that GPT-2 cuts text by. Nothing is between its matches.
const gpt2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// gpt2Word returns the length of the first match of gpt2 in a text that is not empty. It is written
// by hand because matching the expression takes most of the time of training and encoding.
func gpt2Word(s string) int {
	if s[0] == '\'' {
		for _, ending := range [...]string{"s", "t", "re", "ve", "m", "ll", "d"} {
			if strings.HasPrefix(s[1:], ending) {
				return 1 + len(ending)
			}
		}
	}
	at := 0
	if s[0] == ' ' && len(s) > 1 {
		at = 1
	}
	kind, size := kindAt(s, at)
	if kind == spaces { // of which the last one belongs to the word that follows
		n := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
		if _, last := utf8.DecodeLastRuneInString(s[:n]); n < len(s) && n > last {
			n -= last
		}
		return n
	}
	for at += size; at < len(s); at += size {
		var next kindOfRune
		if next, size = kindAt(s, at); next != kind {
			break
		}
	}
	return at
}

type kindOfRune uint8

const (
	others kindOfRune = iota
	letters
	numbers
	spaces
)

func kindOf(r rune) kindOfRune {
	switch {
	case unicode.IsLetter(r):
		return letters
	case unicode.IsNumber(r):
		return numbers
	case unicode.IsSpace(r):
		return spaces
	}
	return others
}

var asciiKinds = func() (kinds [utf8.RuneSelf]kindOfRune) {
	for r := range kinds {
		kinds[r] = kindOf(rune(r))
	}
	return kinds
}()

// kindAt returns what the character at a byte is, and how many bytes it has.
func kindAt(s string, at int) (kindOfRune, int) {
	if b := s[at]; b < utf8.RuneSelf {
		return asciiKinds[b], 1
	}
	r, size := utf8.DecodeRuneInString(s[at:])
	return kindOf(r), size
}
