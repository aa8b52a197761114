package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// Screen is a part of a terminal above the cursor, drawn again and again.
type Screen struct {
	w     io.Writer
	text  *Printable // of the same terminal, which takes the lines away before it writes
	drawn []int      // widths of its lines, in columns
}

// Screen returns a screen on standard error, nil where that is no terminal.
func (s Streams) Screen() *Screen {
	if !isTerminal(s.Err) {
		return nil
	}
	text, ok := s.Err.(*Printable)
	if !ok {
		text = NewPrintable(s.Err)
	}
	return &Screen{w: text.w, text: text}
}

// Size returns the columns and lines of the terminal.
func (s *Screen) Size() (width, height int) { return size(s.w) }

// Control sequences (ECMA-48, and DEC's autowrap mode).
const (
	clearRest = "\x1b[K" // of the line
	clearDown = "\x1b[J" // of the screen
	wrapOff   = "\x1b[?7l"
	wrapOn    = "\x1b[?7h"
)

// Draw writes lines over the lines before, in one write; width is the terminal's, and longer lines are cut. To clear
// lines first would let them flicker. A line never wraps, even if its characters are wider than they should be.
func (s *Screen) Draw(lines []string, width int) {
	s.text.mu.Lock()
	defer s.text.mu.Unlock()
	s.text.screen = s
	var b strings.Builder
	b.WriteString(s.home(width) + wrapOff)
	s.drawn = s.drawn[:0]
	for _, line := range lines {
		line = cut(line, width-1) // in the last column the cursor of some terminals is on the next line
		b.WriteString(line + clearRest + "\n")
		s.drawn = append(s.drawn, uniseg.StringWidth(line))
	}
	b.WriteString(clearDown + wrapOn)
	fmt.Fprint(s.w, b.String())
}

// Erase takes the lines away.
func (s *Screen) Erase() {
	s.text.mu.Lock()
	defer s.text.mu.Unlock()
	s.text.screen = nil
	s.erase()
}

func (s *Screen) erase() {
	width, _ := s.Size()
	fmt.Fprint(s.w, s.home(width)+clearDown)
	s.drawn = nil
}

// home moves the cursor to the first line. A terminal that has become narrower has wrapped
// the lines.
func (s *Screen) home(width int) string {
	up := 0
	for _, n := range s.drawn {
		up += max(1, (n+width-1)/width)
	}
	if up == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", up)
}
