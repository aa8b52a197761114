package train_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
)

// fullDisk writes half of what it is given while full.
type fullDisk struct {
	w    io.Writer
	full *bool
}

func (d fullDisk) Write(p []byte) (int, error) {
	if !*d.full {
		return d.w.Write(p)
	}
	n, err := d.w.Write(p[:len(p)/2])
	return n, errors.Join(err, syscall.ENOSPC)
}

// A full disk ends nothing: each failure is told, what was there stays, and what
// is missing, the best checkpoint included, is written when there is room again.
func TestFullDisk(t *testing.T) {
	orttest.Require(t)
	dir, whole := t.TempDir(), t.TempDir()
	cfg := evaluated(20, 6)
	right := map[int]int{6: 20000}
	losses(t, startWith(t, whole, cfg, train.Options{Evaluate: scripted(right)}))

	var told []error
	warn := func(err error) { told = append(told, err) }
	r := startWith(t, dir, cfg, train.Options{Evaluate: scripted(right), Warn: warn})
	full := false
	train.Through(r, func(w io.Writer) io.Writer { return fullDisk{w, &full} })
	err := r.Run(t.Context(), func(s journal.Stats) {
		if s.Step == 11 {
			if c := final(t, dir); c.Step != 4 {
				t.Errorf("with a full disk the newest checkpoint is of step %d, want 4", c.Step)
			}
		}
		full = 5 <= s.Step && s.Step < 11
	})
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for _, err := range told {
		text += err.Error() + "\n"
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("told of %v, want ENOSPC", err)
		}
	}
	for _, want := range []string{"metrics.jsonl", "checkpoint at step 6", "tfevents"} {
		if !strings.Contains(text, want) {
			t.Errorf("told of\n%swhich lacks %s", text, want)
		}
	}
	sameWeights(t, final(t, dir), final(t, whole))
	best, _, err := bestOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := bestOf(whole)
	if err != nil {
		t.Fatal(err)
	}
	sameWeights(t, best, want)
	for _, d := range []string{dir, whole} {
		if m := notedSteps(t, d); len(m) != 20 || m[19].Step != 20 {
			t.Errorf("%d lines of metrics, want 20", len(m))
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// At the end there is no later time: a disk that stays full is an error.
func TestFullDiskAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	r := startWith(t, dir, micro("nope", 8), train.Options{Warn: func(error) {}})
	full := false
	train.Through(r, func(w io.Writer) io.Writer { return fullDisk{w, &full} })
	err := r.Run(t.Context(), func(s journal.Stats) { full = s.Step >= 5 })
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "checkpoint at step 8") ||
		!strings.Contains(err.Error(), "metrics.jsonl") {
		t.Errorf("error %v, want ENOSPC for checkpoint and metrics", err)
	}
	if c := final(t, dir); c.Step != 4 {
		t.Errorf("the newest checkpoint is of step %d, want 4", c.Step)
	}
	if n := len(notedSteps(t, dir)); n != 5 {
		t.Errorf("%d lines of metrics, want the 5 that there was room for", n)
	}
}

// Without anyone to tell, a failure is not passed over.
func TestFullDiskUntold(t *testing.T) {
	r := start(t, t.TempDir(), micro("nope", 8))
	full := true
	train.Through(r, func(w io.Writer) io.Writer { return fullDisk{w, &full} })
	if err := r.Run(t.Context(), nil); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want ENOSPC", err)
	}
}

// Resume removes what a killed write left behind.
func TestSweepTemporary(t *testing.T) {
	dir := t.TempDir()
	start(t, dir, micro("nope", 4)).Close()
	left := filepath.Join(dir, ".checkpoint-00000004.safetensors.0123456789abcdef.tmp")
	if err := os.WriteFile(left, []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := train.Resume(dir, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if _, err := os.Stat(left); err == nil {
		t.Errorf("%s is still there", left)
	}
}

// An interruption that cannot save is no orderly one: it must not promise that
// the run goes on from here.
func TestInterruptionOnAFullDisk(t *testing.T) {
	full := false
	r := start(t, t.TempDir(), micro("nope", 8))
	train.Through(r, func(w io.Writer) io.Writer { return fullDisk{w, &full} })
	ctx, cancel := context.WithCancel(t.Context())
	err := r.Run(ctx, func(s journal.Stats) {
		if s.Step == 3 {
			full = true
			cancel()
		}
	})
	if errors.Is(err, train.ErrInterrupted) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want the full disk and no promise", err)
	}
}
