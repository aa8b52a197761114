package task_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
)

// The split of a prompt may never change: these are fixed for all time.
func TestSplitOfFixed(t *testing.T) {
	for prompt, want := range map[string]task.Split{
		"Copy: 7 tree B [SEP] ": task.Train,
		"Copy: D [SEP] ":        task.Test,
		"Copy: B [SEP] ":        task.Validation,
	} {
		if got := task.SplitOf(prompt); got != want {
			t.Errorf("SplitOf(%q) = %v, want %v", prompt, got, want)
		}
	}
}

func TestSplitProportions(t *testing.T) {
	count := map[task.Split]int{}
	const n = 10_000
	for i := range n {
		count[task.SplitOf(fmt.Sprintf("Copy: %d [SEP] ", i))]++
	}
	for split, want := range map[task.Split]int{task.Train: 8000, task.Validation: 1000, task.Test: 1000} {
		if got := count[split]; got < want-150 || got > want+150 { // five standard deviations of 30
			t.Errorf("%v: %d of %d, want about %d", split, got, n, want)
		}
	}
}

func TestSampleSplit(t *testing.T) {
	k := copyTask(t)
	for _, length := range []int{1, 2, 30} {
		for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
			rng := seeded(9)
			for range 50 {
				s, err := k.Sample(rng, length, split)
				if err != nil {
					t.Fatal(err)
				}
				if got := task.SplitOf(s.Prompt); got != split {
					t.Fatalf("%q is %v, want %v", s.Prompt, got, split)
				}
			}
		}
	}
	if _, err := k.Sample(seeded(1), 0, task.Test); err == nil {
		t.Error("length 0: no error")
	}
}

func TestSampleSplitTooSmall(t *testing.T) {
	k := copyTask(t)
	k.Generate = func(*rand.Rand, int) task.Sample { return task.Sample{Prompt: "Copy: 7 tree B [SEP] ", Length: 1} }
	_, err := k.Sample(seeded(1), 1, task.Test)
	if !errors.Is(err, task.ErrNoSplit) {
		t.Errorf("error %v is not ErrNoSplit", err)
	}
	if _, err := k.Sample(seeded(1), 1, task.Whole); err != nil {
		t.Errorf("whole: %v", err)
	}
}

func TestSplitUnknown(t *testing.T) {
	for split, want := range map[task.Split]string{"": "no split was chosen", "dev": `unknown split "dev"; known: train,`, "Test": "unknown split"} {
		if _, err := copyTask(t).Sample(seeded(1), 3, split); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("split %q: %v, want %q", split, err, want)
		}
		for _, err := range copyTask(t).Draw([]int{3}, 1, 1, split) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("split %q is drawn from: %v, want %q", split, err, want)
			}
		}
	}
}

// What one split holds no other does, at every length that is divided; at the
// others, and with the option "paper" of a task that lists nothing, SplitAt says so.
func TestSplitsDisjoint(t *testing.T) {
	forEach(t, func(t *testing.T, k task.Task) {
		for _, length := range lengthsOf(k) {
			at := k.SplitAt(length, task.Test)
			overlap := k.Overlap && (k.Listed == nil || !k.Train.Contains(length))
			if want := overlap || k.Space(length) < task.MinSpace; want != (at == task.Whole) {
				t.Errorf("length %d: %v prompts, but test draws from %v", length, k.Space(length), at)
			}
			if at == task.Whole && k.SplitAt(length, task.Train) != task.Whole {
				t.Errorf("length %d: test draws from everything, training does not", length)
			}
			seen := map[string]task.Split{}
			rng := seeded(12)
			for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
				for range 40 {
					s, err := k.Sample(rng, length, split)
					if err != nil {
						t.Fatal(err)
					}
					if k.Listed != nil && split == task.Validation {
						split = task.Test // they are one there
					}
					if other, ok := seen[s.Prompt]; ok && other != split && at != task.Whole {
						t.Fatalf("length %d: %q is in %v and in %v", length, s.Prompt, other, split)
					}
					seen[s.Prompt] = split
				}
			}
		}
	})
}

// Short parity is the whole space for training and for testing: never an error.
func TestSmallSpaces(t *testing.T) {
	k := lookup(t, "parity")
	for n := 1; n <= 6; n++ {
		seen := map[string]bool{}
		rng := seeded(uint64(n))
		for range 60 << n / 2 {
			s, err := k.Sample(rng, n, task.Train)
			if err != nil {
				t.Fatal(err)
			}
			seen[s.Prompt] = true
		}
		if len(seen) != 1<<n || k.SplitAt(n, task.Train) != task.Whole {
			t.Errorf("%d bits: %d prompts of %d, from %v", n, len(seen), 1<<n, k.SplitAt(n, task.Train))
		}
	}
	if got := k.SplitAt(7, task.Test); got != task.Test {
		t.Errorf("7 bits have 128 prompts, but test draws from %v", got)
	}
	var none task.Split
	if got := k.SplitAt(3, none); got != none {
		t.Errorf("no split chosen becomes %v", got)
	}
}

func TestSplitFor(t *testing.T) {
	for _, tc := range []struct {
		task        string
		length      int
		trained     task.Range
		split, want task.Split
	}{
		{"copy-rsc", 20, task.Range{Min: 2, Max: 20}, task.Test, task.Test},
		{"copy-rsc", 21, task.Range{Min: 2, Max: 20}, task.Test, task.Whole},
		{"copy-rsc", 1, task.Range{Min: 2, Max: 20}, task.Test, task.Whole},
		{"copy-rsc", 21, task.Range{Min: 2, Max: 20}, task.Train, task.Train},
		{"copy-rsc", 21, task.Range{Min: 2, Max: 20}, task.Whole, task.Whole},
		{"copy-rsc", 21, task.Range{}, task.Test, task.Test}, // trained on who knows what
		{"copy-rsc", 21, task.Range{}, task.Validation, task.Validation},
		{"copy", 21, task.Range{Min: 2, Max: 20}, task.Test, task.Test}, // there are 100^21
		{"copy", 21, task.Range{Min: 2, Max: 20}, task.Validation, task.Validation},
		{"parity", 4, task.Range{Min: 4, Max: 8}, task.Test, task.Whole}, // of 16 none is held out
		{"parity", 4, task.Range{Min: 4, Max: 8}, task.Validation, task.Whole},
		{"copy-rsc+paper", 21, task.Range{Min: 2, Max: 20}, task.Validation, task.Whole},
	} {
		if got, err := lookup(t, tc.task).SplitFor(tc.length, tc.split, tc.trained); err != nil || got != tc.want {
			t.Errorf("%s at %d, trained on %v: %v draws from %v, %v; want %v", tc.task, tc.length, tc.trained, tc.split,
				got, err, tc.want)
		}
	}
	_, err := lookup(t, "copy-rsc").SplitFor(21, task.Validation, task.Range{Min: 2, Max: 20})
	if !errors.Is(err, task.ErrNoSplit) {
		t.Errorf("validation where all prompts are for the test: %v", err)
	}
}

// Prompts are different, all of the split, and all that it has; more of them begin
// with the same ones, and options change nothing.
func TestDifferent(t *testing.T) {
	draw := func(name string, length, n int, split task.Split) (prompts []string) {
		k := lookup(t, name)
		for s, err := range k.Different(t.Context(), seeded(5), length, split) {
			if err != nil {
				t.Fatal(err)
			}
			if k.Prefix != "" && split != task.Whole && task.SplitOf(s.Prompt) != split {
				t.Errorf("%q is not in %v", s.Prompt, split)
			}
			if prompts = append(prompts, s.Prompt); len(prompts) == n {
				break
			}
		}
		if sorted := slices.Compact(slices.Sorted(slices.Values(prompts))); len(sorted) != len(prompts) {
			t.Errorf("%s at %d: %d of %d prompts are different", name, length, len(sorted), len(prompts))
		}
		return prompts
	}
	for _, tc := range []struct {
		task         string
		length, want int
	}{{"copy-rsc", 30, 100}, {"copy-rdc", 3, 78 * 77}, {"parity", 10, 1024}, {"addition", 1, 100}, {"summation", 2, 81},
		{"scan", 48, int(lookup(t, "scan").Space(48))}} {
		all := draw(tc.task, tc.length, -1, task.Whole)
		if len(all) != tc.want {
			t.Errorf("%s at %d: %d prompts, want %d", tc.task, tc.length, len(all), tc.want)
		}
		if diff := cmp.Diff(all[:5], draw(tc.task, tc.length, 5, task.Whole)); diff != "" {
			t.Errorf("%s: five are not the first of all:\n%s", tc.task, diff)
		}
		parts := 0
		for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
			parts += len(draw(tc.task, tc.length, -1, split))
		}
		if parts != tc.want {
			t.Errorf("%s at %d: the splits have %d prompts, want %d", tc.task, tc.length, parts, tc.want)
		}
	}
	plain, bare := draw("copy-rsc", 9, -1, task.Test), draw("copy-rsc+noprefix", 9, -1, task.Test)
	for i := range bare {
		bare[i] = "Copy:" + bare[i]
	}
	if diff := cmp.Diff(plain, bare); diff != "" || len(plain) == 0 {
		t.Errorf("without the prefix other prompts are drawn:\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"copy", "scan"} {
		for _, err := range lookup(t, name).Different(ctx, seeded(5), 4, task.Test) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v is not the context's", name, err)
			}
		}
	}
}
