//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nopezoo/zoo/train"
)

// TestRepeatedSIGTERM checks that a run saves however often it is asked to: a
// scheduler asks it directly and through the script of its job.
func TestRepeatedSIGTERM(t *testing.T) {
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	if lib == "" {
		t.Skip("needs ONNX Runtime: zoo setup")
	}
	dir := t.TempDir()
	var said bytes.Buffer
	c := exec.Command("zoo", "train", "--set", "train.threads=1", "--steps", "1000000")
	c.Dir, c.Stderr = dir, &said
	c.Env = append(os.Environ(), "ZOO_ORT_LIB="+lib)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill() // nothing, unless the test ends early
	awaitFile(t, filepath.Join(dir, "runs/copy-nope-tiny-s1", train.MetricsFile))
	ended := make(chan error)
	go func() { ended <- c.Wait() }()
	for {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		select {
		case err := <-ended:
			if c.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(said.String(), "zoo: training interrupted at step ") {
				t.Errorf("ended with %v\n%s", err, &said)
			}
			return
		case <-time.After(time.Millisecond):
		}
	}
}
