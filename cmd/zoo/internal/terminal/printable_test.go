package terminal

import (
	"errors"
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	var out strings.Builder
	p := NewPrintable(&out)
	for _, part := range []string{
		"a\tb\n", "\x1b[31m", "é", "\xc3", "\xa9", "\u009b", "\xc2", "\x9b", "\x9b", "\xff", "\r\x7f\x00",
		"—"[:1], "—"[1:], "\xe2\x80",
	} {
		if n, err := p.Write([]byte(part)); err != nil || n != len(part) {
			t.Errorf("%q: wrote %d, %v", part, n, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if want := "a\tb\n" + `\u001b[31méé\u009b\u009b\x9b\xff\u000d\u007f\u0000—\xe2\x80`; out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
	if Raw(p) != &out {
		t.Error("the stream itself is not found")
	}
}

// fullAfter takes so many writes, and then none.
type fullAfter int

func (n *fullAfter) Write(p []byte) (int, error) {
	if *n--; *n < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

// The first failure stays, and later writes change nothing.
func TestFirstFailure(t *testing.T) {
	n := fullAfter(1)
	p := NewPrintable(&n)
	if _, err := p.Write([]byte("a")); err != nil {
		t.Error(err)
	}
	if _, err := p.Write([]byte("b")); err == nil {
		t.Error("a write that failed has no error")
	}
	n = 1
	if _, err := p.Write([]byte("c")); err != nil {
		t.Error(err)
	}
	if p.Close() == nil {
		t.Error("the failure is forgotten")
	}
}
