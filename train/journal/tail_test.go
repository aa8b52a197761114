package journal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/train/journal"
)

// stats is an update as metricsLine has it.
func stats(step int) journal.Stats {
	return journal.Stats{Step: step, Loss: 0.5, LR: 0.001, GradNorm: 1, Tokens: 10, Slots: 12, Seconds: 0.25}
}

func metricsLine(step int) string {
	return fmt.Sprintf(`{"step":%d,"loss":0.5,"lr":0.001,"grad_norm":1,"tokens":10,"slots":12,"seconds":0.25}`+"\n", step)
}

func metricsLines(from, to int) string {
	var b strings.Builder
	for step := from; step <= to; step++ {
		b.WriteString(metricsLine(step))
	}
	return b.String()
}

// tailSteps returns the steps that the tail of a run's metrics has.
func tailSteps(t *testing.T, dir string) []int {
	t.Helper()
	tail, err := journal.Tail(dir)
	if err != nil {
		t.Fatal(err)
	}
	var steps []int
	for _, s := range tail {
		if want := stats(s.Step); s != want {
			t.Errorf("step %d: %+v, want %+v", s.Step, s, want)
		}
		steps = append(steps, s.Step)
	}
	return steps
}

func TestTail(t *testing.T) {
	evaluation := `{"step":2,"eval":{"accuracy":0.75,"lengths":[{"length":3,"n":4}],"seconds":1,"best":true}}` + "\n"
	for _, tc := range []struct {
		name, text string
		want       []int
	}{
		{"empty", "", nil},
		{"one line", metricsLines(1, 1), []int{1}},
		{"some lines", metricsLines(1, 3), []int{1, 2, 3}},
		{"a torn last line", metricsLines(1, 2) + metricsLine(3)[:20], []int{1, 2}},
		{"a last line without its end", metricsLines(1, 2) + strings.TrimSpace(metricsLine(3)), []int{1, 2}},
		{"nothing but a torn line", metricsLine(1)[:20], nil},
		{"an evaluation between steps", metricsLines(1, 2) + evaluation + metricsLines(3, 3), []int{1, 2, 3}},
		{"an evaluation last", metricsLines(1, 2) + evaluation, []int{1, 2}},
		{"a damaged line", metricsLines(1, 1) + "step 2\n" + metricsLines(3, 3), []int{1, 3}},
		{"a torn evaluation", metricsLines(1, 2) + evaluation[:30], []int{1, 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, journal.MetricsFile), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, tailSteps(t, dir)); diff != "" {
				t.Errorf("steps (-want +got)\n%s", diff)
			}
		})
	}
}

func TestTailRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := journal.Tail(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: error %v, want one that says so", err)
	}
}

// TestTailOfLongFile checks every place where a line can be cut by the
// beginning of what is read.
func TestTailOfLongFile(t *testing.T) {
	const last = 5000
	dir := t.TempDir()
	path := filepath.Join(dir, journal.MetricsFile)
	text := metricsLines(1, last)
	for torn := range len(metricsLine(last)) {
		if err := os.WriteFile(path, []byte(text+metricsLine(last + 1)[:torn]), 0o600); err != nil {
			t.Fatal(err)
		}
		steps := tailSteps(t, dir)
		if n := len(steps); n < 100 || n > 1000 {
			t.Fatalf("%d bytes of a line after %d whole ones: %d steps, want the last hundreds", torn, last, n)
		}
		for i, step := range steps {
			if want := last - len(steps) + 1 + i; step != want {
				t.Fatalf("%d bytes of a line after %d whole ones: step %d at %d of %d, want %d",
					torn, last, step, i, len(steps), want)
			}
		}
	}
}

// TestTailOfGrowingFile reads while another program writes, which it may do
// in pieces of any size.
func TestTailOfGrowingFile(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, journal.MetricsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := metricsLines(1, 20)
	for written := range len(text) {
		if _, err := f.WriteString(text[written : written+1]); err != nil {
			t.Fatal(err)
		}
		want := strings.Count(text[:written+1], "\n")
		steps := tailSteps(t, dir)
		if len(steps) != want || want > 0 && steps[want-1] != want {
			t.Fatalf("after %d bytes: steps %v, want 1 to %d", written+1, steps, want)
		}
	}
}
