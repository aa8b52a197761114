package terminal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScreen checks the control sequences of drawings that follow one another.
func TestScreen(t *testing.T) {
	var out strings.Builder
	s := &Screen{w: &out, text: NewPrintable(&out)}
	for _, step := range []struct {
		name  string
		lines []string
		width int
		want  string
	}{
		{"the first", []string{"1234567", "", "12"}, 10, "\r\x1b[?7l1234567\x1b[K\n\x1b[K\n12\x1b[K\n\x1b[J\x1b[?7h"},
		{"over it", []string{"12345678", "…2345"}, 10, "\r\x1b[3A\x1b[?7l12345678\x1b[K\n…2345\x1b[K\n\x1b[J\x1b[?7h"},
		{"wrapped by a narrower terminal", []string{"1"}, 4, "\r\x1b[4A\x1b[?7l1\x1b[K\n\x1b[J\x1b[?7h"},
		{"cut, and with no orders", []string{"1234567890", "\x1b[2J"}, 10,
			"\r\x1b[1A\x1b[?7l12345678…\x1b[K\n" + `\u001b[2J` + "\x1b[K\n\x1b[J\x1b[?7h"},
	} {
		out.Reset()
		s.Draw(step.lines, step.width)
		if diff := cmp.Diff(step.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", step.name, diff)
		}
	}
	for _, want := range []string{"\r\x1b[2A\x1b[J", "\r\x1b[J"} {
		out.Reset()
		s.Erase()
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("erase (-want +got)\n%s", diff)
		}
	}
}

// A message is written in the place of the lines, which come back below it.
func TestMessageAboveScreen(t *testing.T) {
	var out strings.Builder
	text := NewPrintable(&out)
	s := &Screen{w: &out, text: text}
	s.Draw([]string{"half"}, 10)
	Streams{Err: text}.Note("warning")
	Streams{Err: text}.Note("another")
	s.Draw([]string{"done"}, 10)
	const drawn = "\r\x1b[?7l%\x1b[K\n\x1b[J\x1b[?7h"
	want := strings.Replace(drawn, "%", "half", 1) + "\r\x1b[1A\x1b[J" + "warning\nanother\n" + strings.Replace(drawn, "%", "done", 1)
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
