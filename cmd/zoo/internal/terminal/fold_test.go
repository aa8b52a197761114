package terminal

import (
	"strings"
	"testing"
	"time"

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
		{"there already; to replace it: -o x.onnx", 33, "there already; to replace it:\n  -o x.onnx"},
		{"a-word-wider-than-the-terminal stays whole", 12, "a-word-wider-than-the-terminal\n  stays\n  whole"},
		{"  time   at most five minutes", 18, "  time   at most\n         five\n         minutes"},
		{"  cache   /home/me/.cache/zoo: not there", 24, "  cache\n    /home/me/.cache/zoo:\n    not there"},
		{"a long label    and text", 16, "a long label\n  and text"},
		{"模型 模型 模型", 10, "模型\n  模型\n  模型"},
		{"no room at all", 0, "no\n  room\n  at\n  all"},
	} {
		if diff := cmp.Diff(test.want, foldMessage(test.text, test.width)); diff != "" {
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

// TestMeter: a bar is one line, narrower than the terminal, with the time left before what is cut, and is taken away; a log
// file gets whole lines.
func TestMeter(t *testing.T) {
	note := func() string { return strings.Repeat("long ", 30) + "end" }
	begun := func() (time.Time, []mark) {
		at := time.Now().Add(-30 * time.Second)
		return at, []mark{{at, 0}}
	}
	var terminal, log strings.Builder
	m := &Meter{label: "run", Total: 4, screen: &Screen{w: &terminal, text: NewPrintable(&terminal)}}
	m.Begun, m.marks = begun()
	m.Update(1, note)
	m.Close()
	want := "\r\x1b[?7l" + cut(" 25 % ██░░░░░░░░  run  1m30s left  "+note(), 79) + "\x1b[K\n\x1b[J\x1b[?7h" + "\r\x1b[1A\x1b[J"
	if diff := cmp.Diff(want, terminal.String()); diff != "" {
		t.Errorf("in a terminal (-want +got)\n%s", diff)
	}
	m = &Meter{label: "run", Total: 4, w: &log}
	m.Begun, m.marks = begun()
	m.Update(3, note)
	if want := " 75 %  run  " + note() + "  10s left\n"; log.String() != want {
		t.Errorf("in a log file: %q, want %q", &log, want)
	}
}

// TestTimeLeft: there is none before there is a pace, and a slow start is forgotten.
func TestTimeLeft(t *testing.T) {
	begun := time.Now()
	m := &Meter{Total: 1000, Begun: begun, marks: []mark{{begun, 0}}}
	for _, step := range []struct {
		seconds, done int
		want          string
	}{{1, 900, ""}, {5, 1, ""}, {10, 2, ""}, {11, 100, "55s left"}, {12, 200, "28s left"}, {13, 300, "19s left"}, {20, 300, "23s left"},
		{40, 300, ""}, {41, 1000, "0s left"}} {
		m.Done = int64(step.done)
		if got := m.left(begun.Add(time.Duration(step.seconds) * time.Second)); got != step.want {
			t.Errorf("%d of %d after %d s: %q, want %q", step.done, m.Total, step.seconds, got, step.want)
		}
	}
	if m.Total = 0; m.left(begun.Add(time.Minute)) != "" {
		t.Error("a time is left of work of unknown size")
	}
}
