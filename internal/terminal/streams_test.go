package terminal

import (
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
	for typed, want := range map[string]bool{"y\n": true, " YES\n": true, "no\n": false, "": false, "yesterday\n": false} {
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
}
