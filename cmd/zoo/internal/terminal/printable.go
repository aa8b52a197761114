package terminal

import (
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Printable passes text on with its control characters written out, except line breaks
// and tabs: names and metadata come from files, and may hold orders to a terminal. The
// program's own control sequences go to Raw.
//
// ESC becomes \u001b, the same string within JSON.
type Printable struct {
	mu     sync.Mutex
	w      io.Writer
	screen *Screen // what is drawn below all text; nil for nothing
	rest   []byte  // the beginning of a character
	err    error   // the first failure: results that reached nobody (a full disk) are no success
}

// NewPrintable returns a printable form of a stream. Close ends it.
func NewPrintable(w io.Writer) *Printable { return &Printable{w: w} }

// Write implements io.Writer.
func (p *Printable) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.screen != nil { // it is drawn again below the text
		p.screen.erase()
		p.screen = nil
	}
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

// Close writes out the beginning of a character without its end, and returns the first error of any write. The stream
// itself stays open.
func (p *Printable) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rest) > 0 {
		_ = p.pass(escaped(p.rest)) // kept
	}
	p.rest = nil
	return p.err
}

// visible writes out control characters and bytes that are no UTF-8. rest is the beginning of a
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
