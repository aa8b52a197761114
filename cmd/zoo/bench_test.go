package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nopezoo/zoo/eval"
)

// untrainedFile writes a small untrained model.
func untrainedFile(t *testing.T, encoding string) string {
	t.Helper()
	data, err := untrained(encoding, 1)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), encoding+".onnx")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func readRows(t *testing.T, file string) []eval.Row {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, _, err := eval.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return inOrder(rows)
}

// inOrder sorts rows, which are kept as they are finished, several models at a time.
func inOrder(rows []eval.Row) []eval.Row {
	slices.SortFunc(rows, func(a, b eval.Row) int {
		return cmp.Or(a.Batch-b.Batch, int(a.Seed)-int(b.Seed), a.Length-b.Length)
	})
	return rows
}

// zooBench runs "zoo bench", which must end with the exit code.
func zooBench(t *testing.T, ctx context.Context, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, notes strings.Builder
	if got := run(ctx, append([]string{"bench"}, args...), nil, &out, &notes); got != code {
		t.Fatalf("bench %s: exit code %d, want %d:\n%s", strings.Join(args, " "), got, code, &notes)
	}
	return out.String(), notes.String()
}

// A benchmark that is interrupted, whose file is then torn, and that goes on,
// gives what an uninterrupted one gives, except times.
func TestBenchResumes(t *testing.T) {
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole.jsonl"), filepath.Join(dir, "parts.jsonl")
	args := func(file string) []string {
		return []string{untrainedFile(t, "nope"), "--provider", "go", "--lengths", "1..20+1", "--n", "6", "--batch",
			"2,3", "--seeds", "1,2", "-o", file}
	}
	again := args(parts)
	const cells = 2 * 2 * 20

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if data, _ := os.ReadFile(parts); strings.Count(string(data), "\n") >= 3 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, stderr := zooBench(t, ctx, exitInterrupted, again...)
	done := len(readRows(t, parts))
	if done < 3 || done == cells {
		t.Fatalf("%d cells were measured before the interruption", done)
	}
	if !strings.Contains(stderr, "they are kept; go on with: zoo bench") {
		t.Errorf("standard error says nothing of going on:\n%s", stderr)
	}
	data, err := os.ReadFile(parts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(parts, data[:len(data)-100], 0o644); err != nil {
		t.Fatal(err)
	}

	shown, stderr := zooBench(t, t.Context(), 0, append(again, "--format", "jsonl")...)
	if !strings.Contains(stderr, " that an interruption left half written") || !strings.Contains(stderr, ", not measured again") {
		t.Errorf("standard error:\n%s", stderr)
	}
	_, _ = zooBench(t, t.Context(), 0, args(whole)...)
	want := readRows(t, whole)
	if len(want) != cells {
		t.Fatalf("%d rows, want %d", len(want), cells)
	}
	times := cmpopts.IgnoreFields(eval.Speed{}, "PrefillMS", "PrefillP95MS", "PrefillP99MS", "FirstTokenMS",
		"DecodeP50MS", "DecodeP95MS", "DecodeP99MS",
		"GenerateSeconds", "TokensPerSecond", "TokensPerSecondSD", "PrefillSDMS", "DecodeSDMS", "RepeatRates",
		"RepeatPrefillMS", "RepeatDecodeMS", "PeakMemory")
	if changed := diff.Diff(want, readRows(t, parts), times); changed != "" {
		t.Errorf("kept rows (-uninterrupted +resumed):\n%s", changed)
	}
	got, _, err := eval.Read(strings.NewReader(shown))
	if err != nil {
		t.Fatal(err)
	}
	if changed := diff.Diff(want, inOrder(got), times); changed != "" {
		t.Errorf("shown rows (-uninterrupted +resumed):\n%s", changed)
	}

	// With nothing left to do nothing is measured, and all is shown.
	size := len(readRows(t, parts))
	shownAgain, _ := zooBench(t, t.Context(), 0, append(again, "--format", "jsonl")...)
	if shownAgain != shown || len(readRows(t, parts)) != size {
		t.Error("a finished benchmark measured something")
	}
}

// Where nothing was measured no file is left behind, and no folder made for it.
func TestBenchLeavesNothing(t *testing.T) {
	file := untrainedFile(t, "nope")
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, stderr := zooBench(t, ctx, exitInterrupted, file, "--provider", "go", "--lengths", "2", "--n", "2")
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 || !strings.Contains(stderr, "measuring 1 model") ||
		!strings.Contains(stderr, "interrupted before any of 1 cell was measured; begin again with: zoo bench ") || strings.Contains(stderr, " -o ") {
		t.Errorf("%v is left, error %v; standard error:\n%s", left, err, stderr)
	}
}

// What cannot be measured is refused before anything runs.
func TestBenchRefuses(t *testing.T) {
	file := untrainedFile(t, "rope")
	notes := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ args, want string }{
		{"--provider=", "--provider is empty"},
		{"--output=", "--output is empty"},
		{"--runs=", "--runs is empty"},
		{"--pe=", "--pe is empty"},
		{"--task=", "--task is empty"},
		{"--lengths=", "--lengths is empty"},
		{"--provider go,tpu", `unknown provider "tpu"`},
		{"--profile portable,fused", "the file's profile is portable"},
		{"--threads -1", "--threads: threads is -1, expected 0"},
		// on the pure-Go engine, which starts none of them should this be let through
		{"--provider go --lengths 1 --n 1 --threads 1,99999", "threads is 99999, but this machine has"},
		{"--batch 8,0", "--batch is 0, expected 1 to 1048576"},
		{"--n 0", "--n is 0"},
		{"--n 99999999999999999", "--n is 99999999999999999, expected 1 to 1048576"},
		{"--batch 99999999999999999", "--batch is 99999999999999999, expected 1 to 1048576"},
		{"--repeat 99999999999999999", "--repeat is 99999999999999999, expected 0 to 1000"},
		{"--measure speed --new-tokens 99999999999999999", "--new-tokens is 99999999999999999, expected 2 to 1048576"},
		{"--provider go --threads 99999999999999999", "threads is 99999999999999999, but this machine has"},
		{"--lengths 9999999", "9999999 is more than 1048576"},
		{"--lengths 1-20 --measure speed", "1-20 is a bin of a task's lengths"},
		{"--lengths 1-20 --repeat 2", "repeat: bins of lengths are not timed"},
		{"--untimed --measure speed", "--untimed: speed is times"},
		{"--lengths 20-1", "20-1 runs backwards"},
		{"--repeat -1", "--repeat is -1"},
		{"--measure time", `unknown measure "time"`},
		{"--measure speed --task copy", "--task is for --measure accuracy"},
		{"--measure speed --new-tokens 1", "--new-tokens is 1"},
		{"--new-tokens 3", "--new-tokens is for --measure speed"},
		{"--measure speed --batch 4000 --lengths 1000000", "the largest length that fits is"},
		{"--task scan --lengths 37", "length 37"},
		{"--task scan --lengths 3", "the model's vocabulary cannot write the task scan: tokenizer: "},
		{"--task scan --lengths 3", "; take the model's own task, or a model of this one"},
		{"--output rows.csv", "zoo report FILE.jsonl --format csv -o rows.csv"},
		{"--output page.html", "zoo report FILE.jsonl --format html"},
		{"--output " + filepath.Dir(notes), "is a folder; name a file"},
		{"--catalogue --runs .", "drop one of the two"},
		{"--runs none", "--runs: none: no such file or directory; name a folder of runs"},
		{"--runs " + notes, "notes.txt is a file; name a folder of runs"},
		{"--format xml", `unknown format "xml"`},
		{"--lengths 1 -o " + notes, "notes.txt holds something else than results"},
	} {
		_, stderr := zooBench(t, t.Context(), exitFailure, append(strings.Fields(tc.args), file)...)
		if !strings.Contains(stderr, tc.want) || strings.Contains(stderr, "measuring") {
			t.Errorf("%s: standard error %q lacks %q", tc.args, stderr, tc.want)
		}
	}
	if data, _ := os.ReadFile(notes); string(data) != "mine" {
		t.Errorf("a foreign file was changed to %q", data)
	}
	lib, err := library()
	if err != nil || lib == "" {
		t.Skip("the rest needs ONNX Runtime")
	}
	_, stderr := zooBench(t, t.Context(), exitFailure, "--provider", "go,cuda", "--lengths", "1", file)
	if !strings.Contains(stderr, "provider cuda: ") || strings.Contains(stderr, "first token") {
		t.Errorf("no CUDA: standard error %q", stderr)
	}
}

// A line per model says what the tables at the end say: of all lengths, in their order, those with times among them.
func TestFinished(t *testing.T) {
	row := func(task string, length int, accuracy float64) eval.Row {
		r := eval.Row{Measure: eval.MeasureAccuracy, Task: task, Length: length, Untimed: length != 20}
		r.Accuracy = accuracy
		return r
	}
	for want, rows := range map[string][]eval.Row{
		"right on copy to length 40":     {row("copy", 10, 1), row("copy", 40, 1), row("copy", 60, 0), row("copy", 20, 1)},
		"right on copy to length 10":     {row("copy", 10, 1), row("copy", 40, 1), row("copy", 20, 0.5)},
		"not right on copy at length 10": {row("copy", 10, 0), row("copy", 20, 1)},
		"right on copy to length 20, not right on sum at length 5, t.test at 1 length": {
			row("copy", 10, 1), row("sum", 5, 1), row("sum", 5, 0.5), {Measure: eval.MeasureText, Task: "t.test", Length: 8}, row("copy", 20, 1)},
		"3 ms to the first token, 0.5 ms for each more, at length 9": {
			{Measure: eval.MeasureSpeed, Length: 9, Speed: eval.Speed{PrefillMS: 3, DecodeP50MS: 0.5}}},
	} {
		if got := finished(rows); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
