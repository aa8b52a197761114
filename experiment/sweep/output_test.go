package sweep

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// noRoom is a log on a full disk.
type noRoom struct{}

func (noRoom) Write([]byte) (int, error) {
	return 0, fmt.Errorf("write runs/x/train.log: %w", syscall.ENOSPC)
}

// TestOutput: what could not be saved is told at once, however the output arrives; a log that cannot be
// written ends nothing; and the error is what the output ends with.
func TestOutput(t *testing.T) {
	const text = "runs/x: 5 parameters\n" +
		"runs/x: not saved, to be tried again: train: write runs/x/metrics.jsonl: no space left on device\n" +
		"runs/x: not saved, to be tried again: train: checkpoint at step 8: no space left on device\n" +
		"zoo: runs/x: train: checkpoint at step 9: no space left on device\n" +
		"train: write runs/x/metrics.jsonl: no space left on device\n"
	for _, size := range []int{1, 7, len(text)} {
		var log strings.Builder
		var warned []string
		w := &output{log: &log, warn: func(err error) { warned = append(warned, err.Error()) }}
		for part := range slices.Chunk([]byte(text), size) {
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		want := []string{"not saved, to be tried again: train: write runs/x/metrics.jsonl: no space left on device"}
		if diff := cmp.Diff(want, warned); diff != "" || log.String() != text {
			t.Errorf("in parts of %d bytes: warned (-want +got)\n%s\nlog %q", size, diff, &log)
		}
		if want, got := "train: checkpoint at step 9: no space left on device train: write "+
			"runs/x/metrics.jsonl: no space left on device", lastError(w.tail, "runs/x"); got != want {
			t.Errorf("last error %q, want %q", got, want)
		}
	}
	var warned []string
	w := &output{log: noRoom{}, warn: func(err error) { warned = append(warned, err.Error()) }}
	for range 2 {
		if n, err := w.Write([]byte("zoo: x\n")); n != 7 || err != nil {
			t.Errorf("wrote %d bytes, error %v; want all and none", n, err)
		}
	}
	want := []string{"what it says is not kept: write runs/x/train.log: no space left on device"}
	if diff := cmp.Diff(want, warned); diff != "" || lastError(w.tail, "runs/x") != "x" {
		t.Errorf("warned (-want +got)\n%s\nlast error %q, want x", diff, lastError(w.tail, "runs/x"))
	}
}

// TestOutputIsBounded: of much output the end is kept, and an error in it found.
func TestOutputIsBounded(t *testing.T) {
	w := &output{log: io.Discard, warn: func(err error) { t.Error(err) }}
	for range 3 * tailBytes / 64 {
		w.Write([]byte(strings.Repeat("x", 63) + "\n"))
	}
	w.Write([]byte("zoo: y\n"))
	if len(w.tail) != tailBytes || lastError(w.tail, "x") != "y" {
		t.Errorf("%d bytes are kept, last error %q", len(w.tail), lastError(w.tail, "x"))
	}
}
