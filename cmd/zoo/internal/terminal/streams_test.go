package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// Tables are as wide as COLUMNS says, and 80 in a pipe.
func TestWidth(t *testing.T) {
	s := Streams{Out: NewPrintable(&strings.Builder{})}
	for columns, want := range map[string]int{"": 80, "120": 120, "wide": 80, "-1": 80} {
		t.Setenv("COLUMNS", columns)
		if got := s.Width(); got != want {
			t.Errorf("COLUMNS=%s: %d, want %d", columns, got, want)
		}
	}
}

// Nobody is asked through a pipe, and only "y" and "yes" are a yes.
func TestAsk(t *testing.T) {
	for typed, want := range map[string]bool{"y\n": true, " YES\n": true, "no\n": false, "": false,
		"yesterday\n": false} {
		var asked strings.Builder
		s := Streams{In: strings.NewReader(typed), Err: &asked}
		if got, err := s.Ask(t.Context(), "really?"); got != want || err != nil || asked.String() != "really? [y/N] " {
			t.Errorf("%q: %v, %v, asked %q", typed, got, err, &asked)
		}
		if s.Interactive() || !s.IsPiped() {
			t.Errorf("%q: a person is at the other end of a pipe", typed)
		}
	}
	if (Streams{}).IsPiped() {
		t.Error("nothing is piped in")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	r, w := io.Pipe()
	defer w.Close()
	var asked strings.Builder
	s := Streams{In: r, Err: &asked}
	if _, err := s.Ask(ended, "really?"); !errors.Is(err, context.Canceled) || asked.String() != "really? [y/N] \n" {
		t.Errorf("interrupted: %v, asked %q: the error would stand behind the question", err, &asked)
	}
}

// A text that is too long is refused, and so is one that never ends when the command is interrupted.
func TestReadText(t *testing.T) {
	if text, err := (Streams{In: strings.NewReader("four")}).ReadText(t.Context(), "it", 4, ""); text != "four" ||
		err != nil {
		t.Errorf("%q, %v", text, err)
	}
	_, err := Streams{In: strings.NewReader("five5")}.ReadText(t.Context(), "it", 4, "")
	if err == nil || err.Error() != "it on standard input is longer than 4 B" {
		t.Errorf("too long: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	r, w := io.Pipe()
	defer w.Close()
	if _, err := (Streams{In: r}).ReadText(ended, "it", 4, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
