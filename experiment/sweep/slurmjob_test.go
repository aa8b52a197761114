//go:build unix

package sweep

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// squeue makes a program of that name the one in the PATH.
func squeue(t *testing.T, text string) (folder string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "squeue"), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	return folder
}

// TestHangingCommand: a command that waits, in a process of its own, ends with the context.
func TestHangingCommand(t *testing.T) {
	folder := squeue(t, `sleep 1000 & touch "${0%/*}/begun"; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(folder, "begun")); err == nil {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	ended := make(chan error, 1)
	go func() {
		_, err := (&submission{Arrays: []jobArray{{ID: "1"}}}).ask(ctx)
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that it was cancelled", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("squeue hangs, and so does who asks it")
	}
}

// TestMuchOutput: what a command prints is kept up to a bound.
func TestMuchOutput(t *testing.T) {
	squeue(t, "yes '1|RUNNING|None'")
	if _, err := (&submission{Arrays: []jobArray{{ID: "1"}}}).ask(t.Context()); err == nil || !strings.Contains(err.Error(), "squeue printed more than 67108864 bytes") {
		t.Errorf("endless output: %v", err)
	}
	squeue(t, "yes 'no such thing' | head -c 1000000 >&2; exit 1")
	if _, err := (&submission{Arrays: []jobArray{{ID: "1"}}}).ask(t.Context()); err == nil || len(err.Error()) > 2*maxComplaint {
		t.Errorf("a long complaint: %.100v", err)
	}
}

// TestCancel: what is printed is a command line of a shell, for any file of the job.
func TestCancel(t *testing.T) {
	for want, j := range map[string]submission{
		"scancel 12":                                {Arrays: []jobArray{{ID: "12"}}},
		"scancel --clusters=big 12 13 14":           {Arrays: []jobArray{{ID: "12"}, {ID: "13"}}, After: "14", Cluster: "big"},
		"scancel '--clusters=a; rm -rf ~' '1 $(2)'": {Arrays: []jobArray{{ID: "1 $(2)"}}, Cluster: "a; rm -rf ~"},
	} {
		if got := j.named().Cancel; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
