package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// screen is a part of a terminal, above the cursor, that is drawn again and again.
type screen struct {
	w     io.Writer
	drawn []int // widths of its lines, in characters
}

// width is how many columns results may take: what $COLUMNS says, else those of the
// terminal, else 80.
func (a *app) width() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	width, _ := (&screen{w: rawWriter(a.stdout)}).size()
	return width
}

// size returns the columns and lines of the terminal.
func (s *screen) size() (width, height int) {
	if f, ok := s.w.(*os.File); ok {
		if x, y, err := term.GetSize(int(f.Fd())); err == nil && x > 0 && y > 0 {
			return x, y
		}
	}
	return 80, 24
}

// Control sequences (ECMA-48, and DEC's autowrap mode).
const (
	clearRest = "\x1b[K" // of the line
	clearDown = "\x1b[J" // of the screen
	wrapOff   = "\x1b[?7l"
	wrapOn    = "\x1b[?7h"
)

// draw writes lines over those before, in one write. Nothing is cleared that is
// written again, or it would flicker, and a line never wraps, even if its
// characters are wider than they should be.
func (s *screen) draw(lines []string, width int) {
	var b strings.Builder
	b.WriteString(s.home(width) + wrapOff)
	s.drawn = s.drawn[:0]
	for _, line := range lines {
		b.WriteString(line + clearRest + "\n")
		s.drawn = append(s.drawn, len([]rune(line)))
	}
	b.WriteString(clearDown + wrapOn)
	fmt.Fprint(s.w, b.String())
}

// erase takes the lines away.
func (s *screen) erase() {
	width, _ := s.size()
	fmt.Fprint(s.w, s.home(width)+clearDown)
	s.drawn = nil
}

// home moves the cursor to where the first line begins. A terminal that has become
// narrower has wrapped the lines.
func (s *screen) home(width int) string {
	up := 0
	for _, n := range s.drawn {
		up += max(1, (n+width-1)/width)
	}
	if up == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", up)
}
