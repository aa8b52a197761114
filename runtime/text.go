package runtime

import (
	"strings"
	"unicode/utf8"

	"github.com/nopezoo/zoo/internal/lists"
)

// completionText makes the text of a completion out of its tokens. What it has told stays: what
// further tokens may still change is held back.
type completionText struct {
	joiner
	stopper
	spaced bool // the prompt ends with a space, which the first token brings along
	made   int  // characters that are certain, of a stop string too
	start  int  // of them, before the last token
}

// add returns what the next token makes certain of the text, and whether a stop string ends
// it there.
func (a *completionText) add(id int64) (piece string, stopped bool, err error) {
	piece, before, err := a.joiner.push(id)
	if err != nil {
		return "", false, err
	}
	a.start = a.made + before
	if a.spaced && strings.HasPrefix(piece, " ") {
		a.start = max(a.start-1, 0)
	}
	piece, stopped = a.pass(piece)
	return piece, stopped, nil
}

// finish returns what is left of the text when no token follows, and whether a stop string
// ends it.
func (a *completionText) finish() (piece string, stopped bool) {
	if piece, stopped = a.pass(a.joiner.rest()); stopped {
		return piece, true
	}
	return piece + a.stopper.rest(), false
}

func (a *completionText) pass(piece string) (certain string, stopped bool) {
	if a.spaced && piece != "" {
		piece, a.spaced = strings.TrimPrefix(piece, " "), false
	}
	a.made += utf8.RuneCountInString(piece)
	return a.stopper.push(piece)
}

// joinContext is how many tokens before a new one are decoded with it: what a token stands for
// may depend on those before it, and a character has 4 bytes at most.
const joinContext = 4

// joiner turns tokens, one after the other, into pieces of valid UTF-8 that joined are their
// text. Bytes that are no UTF-8 become U+FFFD, each of them.
type joiner struct {
	decode func(ids []int64) (string, error)
	window []int64 // the last tokens
	shown  string  // the text of the window without the tail
	tail   string  // its end, which may be the beginning of a character
}

// newJoiner returns the joiner of the tokens that follow a prompt.
func newJoiner(decode func(ids []int64) (string, error), prompt []int64) (joiner, error) {
	j := joiner{decode: decode}
	for n := joinContext; ; n *= 2 {
		var err error
		if j.shown, err = decode(prompt[max(len(prompt)-n, 0):]); err != nil || j.shown != "" || n >= len(prompt) {
			j.window = append(j.window, prompt[max(len(prompt)-n, 0):]...)
			return j, err
		}
	}
}

// push returns the text that is certain with one more token, and how many of its characters are before
// that token's: one within a character begins where the character does.
func (j *joiner) push(id int64) (piece string, before int, err error) {
	j.window = append(j.window, id)
	text, err := j.decode(j.window)
	if err != nil {
		return "", 0, err
	}
	fresh := text[lists.CommonPrefix(text, j.shown):]
	certain := fresh[:len(fresh)-incomplete(fresh)]
	before = charactersTo(certain, lists.CommonPrefix(fresh, j.tail))
	j.tail = fresh[len(certain):]
	j.shown = text[:len(text)-len(j.tail)]
	if len(j.window) > 2*joinContext {
		last := j.window[len(j.window)-joinContext:]
		if text, err = j.decode(last); err != nil {
			return "", 0, err
		}
		// Tokens that have no text, as special ones, are no context.
		if strings.HasSuffix(text, j.tail) && (text != "" || j.shown == "") {
			j.window = append(j.window[:0], last...)
			j.shown = text[:len(text)-len(j.tail)]
		}
	}
	return valid(certain), before, nil
}

// charactersTo returns how many characters of a text end at a byte or before it.
func charactersTo(text string, at int) (n int) {
	for i := 0; i < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[i:])
		if i += size; i > at {
			break
		}
	}
	return n
}

// rest returns what push has held back.
func (j *joiner) rest() string {
	tail := j.tail
	j.shown, j.tail = j.shown+tail, ""
	return valid(tail)
}

// incomplete returns how many bytes at the end of a text may be the beginning of a character:
// some of its bytes, or what decoders of other programs write in their place, a U+FFFD for each
// or for all.
func incomplete(text string) int {
	n := 0
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if end := text[len(text)-i:]; utf8.RuneStart(end[0]) {
			if !utf8.FullRuneInString(end) {
				n = i
			}
			break
		}
	}
	if n > 0 {
		return n
	}
	const replaced = "\uFFFD"
	for n < (utf8.UTFMax-1)*len(replaced) && strings.HasSuffix(text[:len(text)-n], replaced) {
		n += len(replaced)
	}
	return n
}

// valid puts U+FFFD in place of each byte that is no UTF-8.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}
