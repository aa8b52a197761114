package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nopezoo/zoo/train/journal"
)

// TestSweepOnAFullDisk: that nothing can be saved is said while the runs go on, with
// the run's name and what to do, and in the end it is a failure that says why.
func TestSweepOnAFullDisk(t *testing.T) {
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	if lib == "" {
		t.Skip("needs ONNX Runtime: zoo setup")
	}
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("needs a small file system of its own, which this user cannot mount: %v", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	config := "model: {d_model: 16, n_layers: 1, n_heads: 2, d_ff: 32}\nencodings: [nope]\n" +
		"train: {lengths: 1..3, steps: 6000, batch: 2, checkpoint_every: 500, threads: 1}\n"
	if err := os.WriteFile(filepath.Join(dir, "one.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("zoo", "sweep", "--config", "one.yaml", "--runs", "disk/runs")
	c.Dir = dir
	c.Env = append(os.Environ(), "ZOO_ORT_LIB="+lib)
	said, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill() // nothing, unless the test ends early
	awaitFile(t, filepath.Join(disk, "runs/one/copy-nope-tiny-s1", journal.MetricsFile))
	filler, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filler.Write(bytes.Repeat([]byte("x"), 4<<20)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	filler.Close()

	var all []string
	for lines := bufio.NewScanner(said); lines.Scan(); {
		all = append(all, lines.Text())
	}
	err = c.Wait()
	text := strings.Join(all, "\n")
	early, late, ok := strings.Cut(text, "copy-nope-tiny-s1 failed")
	if code := c.ProcessState.ExitCode(); code != exitFailure || !ok {
		t.Fatalf("ended with %v\n%s", err, text)
	}
	for _, want := range []string{"copy-nope-tiny-s1: not saved, to be tried again: ", "no space left on device", "free some space"} {
		if !strings.Contains(early, want) {
			t.Errorf("while the run goes on there is no %q:\n%s", want, early)
		}
	}
	for _, want := range []string{"disk/runs/one/copy-nope-tiny-s1: train: ", "no space left on device", "free some space"} {
		if !strings.Contains(late, want) {
			t.Errorf("in the end there is no %q:\n%s", want, late)
		}
	}
}
