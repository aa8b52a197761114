package task

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// byteOrderMark is U+FEFF, which editors and PowerShell write before a text and which is no part of it.
const byteOrderMark = "\ufeff"

// otherForms is what files begin with that are no text in UTF-8.
var otherForms = []struct{ start, is, convert string }{
	{"\xff\xfe\x00\x00", "in UTF-32", "iconv -f utf-32 -t utf-8"},
	{"\x00\x00\xfe\xff", "in UTF-32", "iconv -f utf-32 -t utf-8"},
	{"\xff\xfe", "in UTF-16", "iconv -f utf-16 -t utf-8"},
	{"\xfe\xff", "in UTF-16", "iconv -f utf-16 -t utf-8"},
	{"ÿþ", "UTF-16 that was read as latin1", "iconv -f utf-16 -t utf-8, of the original"},
	{"þÿ", "UTF-16 that was read as latin1", "iconv -f utf-16 -t utf-8, of the original"},
	{"\x1f\x8b", "compressed by gzip", "gunzip"},
}

// checkStart refuses what is no text in UTF-8 by its first bytes.
func checkStart(text string) error {
	for _, f := range otherForms {
		if strings.HasPrefix(text, f.start) {
			return fmt.Errorf("is %s, by its first bytes; convert it, such as with: %s", f.is, f.convert)
		}
	}
	return nil
}

// opening returns the first line of a file without the mark before it.
func opening(line string) (string, error) {
	if err := checkStart(line); err != nil {
		return "", fmt.Errorf("the file %w", err)
	}
	return strings.TrimPrefix(line, byteOrderMark), nil
}

// nulsOf is one in how many bytes of a document may be NUL: of UTF-16 in another encoding half are.
const nulsOf = 10

// checkText refuses what is no document.
func checkText(text string) error {
	if text == "" {
		return errors.New("is empty")
	}
	if err := checkStart(text); err != nil {
		return err
	}
	if at := invalidAt(text); at >= 0 {
		return fmt.Errorf("is not valid UTF-8: byte %d; convert it, such as with: iconv -f latin1 -t utf-8", at)
	}
	if n := strings.Count(text, "\x00"); n*nulsOf > len(text) {
		return fmt.Errorf("has %d NUL in %d bytes, as UTF-16 has where it is read as another encoding; convert the original, such as "+
			"with: iconv -f utf-16le -t utf-8", n, len(text))
	}
	return nil
}

// invalidAt returns the first byte of a text that is not UTF-8, −1 for none.
func invalidAt(text string) int {
	for at, r := range text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(text[at:]); n == 1 {
				return at
			}
		}
	}
	return -1
}
