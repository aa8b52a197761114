//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
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
	awaitFile(t, filepath.Join(dir, "runs/copy-nope-tiny-s1", journal.MetricsFile))
	ended := make(chan error)
	go func() { ended <- c.Wait() }()
	for {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		select {
		case err := <-ended:
			if c.ProcessState.ExitCode() != exitInterrupted ||
				!strings.Contains(said.String(), "zoo: training interrupted at step ") {
				t.Errorf("ended with %v\n%s", err, &said)
			}
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// TestSIGHUP: a closed terminal ends a training as SIGTERM does, a sweep's too,
// and when who reads the words of zoo has ended with it. nohup keeps zoo at work.
func TestSIGHUP(t *testing.T) {
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	if lib == "" {
		t.Skip("needs ONNX Runtime: zoo setup")
	}
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("run under nohup, which every program started here inherits")
	}
	const config = "model: {d_model: 16, n_layers: 1, n_heads: 2, d_ff: 32}\n" +
		"train: {lengths: 1..3, steps: 1000000, batch: 2, checkpoint_every: 1000000, threads: 1}\n"
	for _, test := range []struct {
		name, command, run string
		code               int
	}{
		{"train", "exec zoo train --config one.yaml", "runs/copy-nope-tiny-s1", exitInterrupted},
		{"sweep", "exec zoo sweep --config one.yaml", "runs/one/copy-nope-tiny-s1", exitInterrupted},
		{"nohup", "trap '' HUP; exec zoo train --config one.yaml --steps 3000 2>said", "runs/copy-nope-tiny-s1", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "one.yaml"), []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			c := exec.Command("sh", "-c", test.command)
			c.Dir = dir
			c.Env = append(os.Environ(), "ZOO_ORT_LIB="+lib)
			terminal, err := c.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer c.Process.Kill() // nothing, unless the test ends early
			metrics := filepath.Join(dir, test.run, journal.MetricsFile)
			awaitFile(t, metrics)
			if err := c.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			terminal.Close()
			err = c.Wait()
			steps, _ := runfile.Steps(filepath.Join(dir, test.run))
			if code := c.ProcessState.ExitCode(); code != test.code || len(steps) != 1 {
				t.Errorf("ended with %v and checkpoints of steps %v, want exit code %d and one checkpoint", err, steps,
					test.code)
			}
		})
	}
}

// TestInterruptedSubmission: Ctrl-C, which a terminal sends to all programs at
// work, comes between neither the job and its submission nor the note of it.
func TestInterruptedSubmission(t *testing.T) {
	dir := t.TempDir()
	program(t, filepath.Join(dir, "sbatch"), "[ $1 = --version ] && exit\necho now >submitting\nsleep 0.3\necho 4711")
	config := "model: {d_model: 16, n_layers: 1, n_heads: 2, d_ff: 32}\nencodings: [nope]\ntrain: {steps: 1, " +
		"batch: 4, warmup: 0, threads: 1}\n"
	if err := os.WriteFile(filepath.Join(dir, "one.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	c := exec.Command("zoo", "sweep", "--config", "one.yaml", "--executor", "slurm")
	c.Dir, c.Stdout, c.Stderr = dir, &said, &said
	c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	awaitFile(t, filepath.Join(dir, "submitting"))
	if err := syscall.Kill(-c.Process.Pid, syscall.SIGINT); err != nil {
		t.Error(err)
	}
	err := c.Wait()
	if j := readJob(t, filepath.Join(dir, "runs/one")); j.ID != "4711" {
		t.Errorf("the job is noted as %v; zoo ended with %v\n%s", j, err, &said)
	}
}

// submitted is a sweep's one job array, and the job after it, as slurm.json tells of them.
type submitted struct {
	ID    string
	Tasks []int
	After string
}

// readJob reads which job array a sweep was submitted as.
func readJob(t *testing.T, folder string) submitted {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "slurm.json"))
	var s struct {
		Arrays []struct {
			Job   string
			Tasks []int
		}
		After string
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil || len(s.Arrays) != 1 {
		t.Fatalf("error %v, %d arrays, want one", err, len(s.Arrays))
	}
	return submitted{s.Arrays[0].Job, s.Arrays[0].Tasks, s.After}
}

// program writes a shell script that can be run.
func program(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/usr/bin/env bash\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func awaitFile(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return
		}
	}
	t.Fatalf("%s was never written", path)
}
