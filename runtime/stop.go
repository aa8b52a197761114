package runtime

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// How many stop strings there may be, and of how many bytes.
const (
	mostStops = 100
	longStop  = 1000
)

// checkStopStrings reports why stop strings cannot be used.
func checkStopStrings(stops []string) error {
	if len(stops) > mostStops {
		return fmt.Errorf("there are %d stop strings, expected at most %d", len(stops), mostStops)
	}
	for i, stop := range stops {
		switch {
		case stop == "":
			return fmt.Errorf("stop string %d is empty", i)
		case len(stop) > longStop:
			return fmt.Errorf("stop string %d has %d bytes, expected at most %d", i, len(stop), longStop)
		case !utf8.ValidString(stop):
			return fmt.Errorf("stop string %d is %q, which is not valid UTF-8", i, stop)
		}
	}
	return nil
}

// stopper ends a text, which comes in pieces, before the stop string that is complete first, of
// several the longest. How the text is cut into pieces makes no difference.
type stopper struct {
	stops []string
	held  string // the end of the text so far, which may be the beginning of a stop string
}

// push returns the text that is certain with one more piece, and whether it ends there.
func (s *stopper) push(piece string) (certain string, stopped bool) {
	if len(s.stops) == 0 || piece == "" {
		return piece, false
	}
	text := s.held + piece
	start, end := -1, len(text)+1
	for _, stop := range s.stops {
		at := strings.Index(text, stop)
		if at < 0 {
			continue
		}
		if e := at + len(stop); e < end || e == end && at < start {
			start, end = at, e
		}
	}
	if start >= 0 {
		s.held = ""
		return text[:start], true
	}
	held := 0
	for _, stop := range s.stops {
		held = max(held, overlap(text, stop))
	}
	s.held = text[len(text)-held:]
	return text[:len(text)-held], false
}

// rest returns what push has held back.
func (s *stopper) rest() string {
	held := s.held
	s.held = ""
	return held
}

// overlap returns how many bytes at the end of text begin stop, less than all of it.
func overlap(text, stop string) int {
	for n := min(len(stop)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, stop[:n]) {
			return n
		}
	}
	return 0
}
