package sweep

import (
	"fmt"
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

// TestChildWords: what cannot wait is told at once, however the words arrive, and a
// log that cannot be written ends nothing.
func TestChildWords(t *testing.T) {
	const said = "runs/x: 5 parameters\n" +
		"runs/x: not saved, to be tried again: train: write runs/x/metrics.jsonl: no space left on device\n" +
		"runs/x: not saved, to be tried again: train: checkpoint at step 8: no space left on device\n" +
		"zoo: runs/x: train: checkpoint at step 9: no space left on device\n" +
		"train: write runs/x/metrics.jsonl: no space left on device\n"
	for _, size := range []int{1, 7, len(said)} {
		var log strings.Builder
		var told []string
		w := &childWords{log: &log, tell: func(err error) { told = append(told, err.Error()) }}
		for part := range slices.Chunk([]byte(said), size) {
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		want := []string{"not saved, to be tried again: train: write runs/x/metrics.jsonl: no space left on device"}
		if diff := cmp.Diff(want, told); diff != "" || log.String() != said {
			t.Errorf("in parts of %d bytes: told (-want +got)\n%s\nlog %q", size, diff, &log)
		}
		if want := "runs/x: train: checkpoint at step 9: no space left on device train: write " +
			"runs/x/metrics.jsonl: no space left on device"; w.last != want {
			t.Errorf("last words %q, want %q", w.last, want)
		}
	}
	var told []string
	w := &childWords{log: noRoom{}, tell: func(err error) { told = append(told, err.Error()) }}
	for range 2 {
		if n, err := w.Write([]byte("zoo: x\n")); n != 7 || err != nil {
			t.Errorf("wrote %d bytes, error %v; want all and none", n, err)
		}
	}
	want := []string{"what it says is not kept: write runs/x/train.log: no space left on device"}
	if diff := cmp.Diff(want, told); diff != "" || w.last != "x" {
		t.Errorf("told (-want +got)\n%s\nlast words %q, want x", diff, w.last)
	}
}
