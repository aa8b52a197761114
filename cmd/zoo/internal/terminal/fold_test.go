package terminal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFold: messages break between words, and never within a command.
func TestFold(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"zoo: it fits", 12, "zoo: it fits"},
		{"zoo: it does not fit", 12, "zoo: it\n  does not\n  fit"},
		{"two lines,\n  and the second is long", 20, "two lines,\n  and the second\n    is long"},
		{"stopped; go on with: zoo train --resume runs/x; or leave it", 30,
			"stopped; go on with:\n  zoo train --resume runs/x;\n  or leave it"},
		{"a-word-wider-than-the-terminal stays whole", 12, "a-word-wider-than-the-terminal\n  stays\n  whole"},
		{"模型 模型 模型", 10, "模型\n  模型\n  模型"},
		{"no room at all", 0, "no\n  room\n  at\n  all"},
	} {
		if diff := cmp.Diff(test.want, fold(test.text, test.width)); diff != "" {
			t.Errorf("%q in %d columns (-want +got)\n%s", test.text, test.width, diff)
		}
	}
}

// TestCut: columns count, not characters.
func TestCut(t *testing.T) {
	for _, test := range []struct {
		line  string
		width int
		want  string
	}{{"12345", 5, "12345"}, {"123456", 5, "1234…"}, {"模型模型", 7, "模型模…"}, {"模型模型", 6, "模型…"}, {"1", 0, "…"}} {
		if got := cut(test.line, test.width); got != test.want {
			t.Errorf("%q in %d columns: %q, want %q", test.line, test.width, got, test.want)
		}
	}
}

// TestMeter: a bar is one line, narrower than the terminal, and is taken away; a log file gets whole lines.
func TestMeter(t *testing.T) {
	note := func() string { return strings.Repeat("long ", 30) + "end" }
	var terminal, log strings.Builder
	m := &Meter{label: "run", Total: 4, screen: &Screen{w: &terminal, text: NewPrintable(&terminal)}}
	m.Update(1, note)
	m.Close()
	want := "\r\x1b[?7l" + cut(" 25 % ██░░░░░░░░  run  "+note(), 79) + "\x1b[K\n\x1b[J\x1b[?7h" + "\r\x1b[1A\x1b[J"
	if diff := cmp.Diff(want, terminal.String()); diff != "" {
		t.Errorf("in a terminal (-want +got)\n%s", diff)
	}
	m = &Meter{label: "run", Total: 4, w: &log}
	m.Update(4, note)
	if want := "100 %  run  " + note() + "  0s left\n"; log.String() != want {
		t.Errorf("in a log file: %q, want %q", &log, want)
	}
}
