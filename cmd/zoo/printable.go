package main

import (
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"
)

// printable passes text on with its control characters written out, but for line
// breaks and tabs: names and metadata come from files, and a terminal would take
// what they hold for orders. What zoo itself tells a terminal goes to rawWriter.
//
// ESC becomes \u001b, which within JSON is still the same string.
type printable struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // of a character that is not whole yet
}

// Write implements io.Writer.
func (p *printable) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out, rest := visible(append(p.rest, b...))
	p.rest = append([]byte{}, rest...)
	if _, err := p.w.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// visible writes out control characters and what is no UTF-8. rest is the start of a
// character at the end.
func visible(text []byte) (out, rest []byte) {
	for utf8.FullRune(text) {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '\n' || r == '\t':
			out = append(out, byte(r))
		case r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, `\x%02x`, text[0])
		case unicode.IsControl(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out, text
}

// end writes out what is left of a character that never became whole.
func (p *printable) end() {
	for _, b := range p.rest {
		fmt.Fprintf(p.w, `\x%02x`, b)
	}
	p.rest = nil
}

// rawWriter returns the stream itself, for control sequences of our own and for contents
// that are no text.
func rawWriter(w io.Writer) io.Writer {
	switch x := w.(type) {
	case *results:
		return rawWriter(x.w)
	case *printable:
		return x.w
	}
	return w
}
