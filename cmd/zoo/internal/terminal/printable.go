package terminal

import (
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Printable passes text on with its control characters written out, but for line
// breaks and tabs: names and metadata come from files, and a terminal would take
// what they hold for orders. What the program itself tells a terminal goes to Raw.
//
// ESC becomes \u001b, which within JSON is still the same string.
type Printable struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // of a character that is not whole yet
	err  error  // the first failure: what reached nobody (a full disk) is no success
}

// NewPrintable returns a printable form of a stream. Close ends it.
func NewPrintable(w io.Writer) *Printable { return &Printable{w: w} }

// Write implements io.Writer.
func (p *Printable) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out, rest := visible(append(p.rest, b...))
	p.rest = append([]byte{}, rest...)
	if err := p.pass(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// pass writes to the stream itself.
func (p *Printable) pass(text []byte) error {
	_, err := p.w.Write(text)
	if p.err == nil {
		p.err = err
	}
	return err
}

// Close writes out what is left of a character that never became whole, and returns the first error that any write
// had. The stream itself stays open.
func (p *Printable) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rest) > 0 {
		_ = p.pass(escaped(p.rest)) // kept
	}
	p.rest = nil
	return p.err
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
			out = append(out, escaped(text[:1])...)
		case unicode.IsControl(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out, text
}

// escaped writes out bytes that are no text.
func escaped(text []byte) (out []byte) {
	for _, b := range text {
		out = fmt.Appendf(out, `\x%02x`, b)
	}
	return out
}

// Raw returns the stream itself, for control sequences of our own and for contents
// that are no text.
func Raw(w io.Writer) io.Writer {
	if p, ok := w.(*Printable); ok {
		return p.w
	}
	return w
}
