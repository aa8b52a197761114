//go:build unix

package train_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// The environment of a child process that trains and is killed.
const (
	killDir   = "ZOO_TEST_KILL_DIR"   // of the run
	killBytes = "ZOO_TEST_KILL_BYTES" // it kills itself after writing so many; 0: it does not
)

func killedConfig() runfile.Config {
	cfg := evaluated(30, 5)
	cfg.Model.DModel, cfg.Model.DFF = 16, 16
	cfg.Train.CheckpointEvery, cfg.Train.Threads = 2, 1
	cfg.Train.Dropout = 0.1
	return cfg
}

// byWeights is an evaluator whose result depends on the weights alone.
func byWeights(_ context.Context, _ int, weights map[string]*tensor.Tensor) ([]journal.Result, error) {
	w := tensor.Data[float32](weights["embed.weight"])[0]
	n := int(w*1e6) % 1000
	if n < 0 {
		n = -n
	}
	return []journal.Result{{Length: 5, N: 1000, Correct: n, SequenceCorrect: n}}, nil
}

// suicide kills its process once so many bytes are written to any file.
type suicide struct {
	w    io.Writer
	left *int
}

func (s suicide) Write(p []byte) (int, error) {
	if *s.left > len(p) {
		*s.left -= len(p)
		return s.w.Write(p)
	}
	_, _ = s.w.Write(p[:*s.left])
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // until the signal arrives
}

// TestKilledChild is the child process of TestKill.
func TestKilledChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		t.Skip("runs as a child process of TestKill alone")
	}
	o := train.Options{Evaluate: byWeights}
	r, err := train.New(dir, killedConfig(), o)
	if err != nil {
		r, err = train.Resume(dir, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if left, _ := strconv.Atoi(os.Getenv(killBytes)); left > 0 {
		train.Through(r, func(w io.Writer) io.Writer { return suicide{w, &left} })
	}
	if err := r.Run(t.Context(), func(s journal.Stats) { fmt.Println("step", s.Step) }); err != nil {
		t.Fatal(err)
	}
}

// Killed again and again, in the middle of writes and of steps, and resumed each
// time: the same bits as an uninterrupted run.
func TestKill(t *testing.T) {
	orttest.Require(t)
	whole, killed := t.TempDir(), filepath.Join(t.TempDir(), "run")
	losses(t, startWith(t, whole, killedConfig(), train.Options{Evaluate: byWeights}))
	info, err := os.Stat(filepath.Join(whole, "checkpoint-00000030.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	kills := 0
	for try := 0; ; try++ {
		if try == 40 {
			t.Fatal("the run does not come to its end")
		}
		bytes, steps := 0, 0
		switch {
		case try >= 12: // often enough
		case try%3 == 2: // from outside, at any moment after some steps
			steps = 1 + rng.IntN(4)
		default: // within a write: mostly of one of the next checkpoints
			bytes = 1 + rng.IntN(int(3*info.Size()))
		}
		if !runChild(t, killed, bytes, steps) {
			kills++
			continue
		}
		break
	}
	if kills < 5 {
		t.Errorf("only %d kills before the end; make the run longer", kills)
	}
	sameWeights(t, final(t, killed), final(t, whole))
	a, _, err := bestOf(whole)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := bestOf(killed)
	if err != nil {
		t.Fatal(err)
	}
	sameWeights(t, b, a)
	newest := "checkpoint-00000030.safetensors" // moments, progress and all
	x, err := os.ReadFile(filepath.Join(whole, newest))
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(filepath.Join(killed, newest))
	if err != nil || string(x) != string(y) {
		t.Errorf("the last checkpoint differs from the uninterrupted run's (%v)", err)
	}
	if steps, evals := notedSteps(t, killed), notedEvaluations(t, killed); len(steps) != 30 || len(evals) != 6 {
		t.Errorf("%d lines of metrics, want 30; %d evaluations, want 6", len(steps), len(evals))
	}
	if left, _ := filepath.Glob(filepath.Join(killed, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// runChild trains in a child process and reports whether that came to its end.
// It is killed after writing so many bytes, or after so many steps, if not 0.
func runChild(t *testing.T, dir string, bytes, steps int) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$", "-test.v")
	cmd.Env = append(os.Environ(), killDir+"="+dir, killBytes+"="+strconv.Itoa(bytes))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said []byte
	seen := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said = append(append(said, lines.Bytes()...), '\n')
		var step int
		if _, err := fmt.Sscanf(lines.Text(), "step %d", &step); err == nil {
			if seen++; seen == steps {
				_ = cmd.Process.Kill()
			}
		}
	}
	err = cmd.Wait()
	if err == nil {
		return true
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the child ended with %v:\n%s", err, said)
	}
	return false
}
