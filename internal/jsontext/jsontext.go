// Package jsontext refuses texts that encoding/json would change without an error.
package jsontext

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Check refuses JSON whose texts encoding/json would change. Bytes that are not UTF-8, and halves of surrogate pairs,
// would become U+FFFD, and different texts the same.
func Check(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("is not valid UTF-8")
	}
	if lone := loneSurrogate(data); lone != "" {
		return fmt.Errorf("has %s, half of a surrogate pair, which is no character; write the character itself", lone)
	}
	return nil
}

// loneSurrogate returns the first escape of half a surrogate pair, such as \ud800, "" for none
// (RFC 8259, section 8.2).
func loneSurrogate(data []byte) string {
	for {
		at := bytes.IndexByte(data, '\\')
		if at < 0 || at+1 == len(data) {
			return ""
		}
		data = data[at:]
		first, ok := unit(data)
		switch {
		case !ok:
			data = data[2:] // an escape of one character, which may be a backslash
			continue
		case utf16.IsSurrogate(first):
			second, _ := unit(data[escape:])
			if utf16.DecodeRune(first, second) == replacement {
				return string(data[:escape])
			}
			data = data[escape:]
		}
		data = data[escape:]
	}
}

const (
	escape      = len(`\u0000`)
	replacement = '\ufffd' // which no pair is
)

// unit returns the UTF-16 code unit that JSON begins with as an escape.
func unit(data []byte) (rune, bool) {
	if len(data) < escape || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(data[2:escape]), 16, 16)
	return rune(n), err == nil
}
