package ort

import (
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// ignored returns the set of signals the system discards for this process.
func ignored(t *testing.T) string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(status)) {
		if set, ok := strings.CutPrefix(line, "SigIgn:"); ok {
			return strings.TrimSpace(set)
		}
	}
	t.Fatal("no SigIgn in /proc/self/status")
	return ""
}

func TestKeepSignals(t *testing.T) {
	defer signal.Reset(syscall.SIGUSR1)
	before, inside := ignored(t), ""
	want := errors.New("passed on")
	err := keepSignals(func() error {
		signal.Ignore(syscall.SIGUSR1)
		inside = ignored(t)
		return want
	})
	if !errors.Is(err, want) {
		t.Errorf("error is %v", err)
	}
	if inside == before {
		t.Fatal("the handler was not replaced, so this test tests nothing")
	}
	if after := ignored(t); after != before {
		t.Errorf("ignored signals were %s, are %s", before, after)
	}
}
