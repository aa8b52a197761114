package task_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

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
				s, err := task.SampleSplit(k, rng, length, split)
				if err != nil {
					t.Fatal(err)
				}
				if got := task.SplitOf(s.Prompt); got != split {
					t.Fatalf("%q is %v, want %v", s.Prompt, got, split)
				}
			}
		}
	}
	if _, err := task.SampleSplit(k, seeded(1), 0, task.Test); err == nil {
		t.Error("length 0: no error")
	}
}

func TestSampleSplitTooSmall(t *testing.T) {
	k := copyTask(t)
	k.Generate = func(*rand.Rand, int) task.Sample { return task.Sample{Prompt: "Copy: 7 tree B [SEP] ", Length: 1} }
	_, err := task.SampleSplit(k, seeded(1), 1, task.Test)
	if !errors.Is(err, task.ErrNoSplit) {
		t.Errorf("error %v is not ErrNoSplit", err)
	}
	if _, err := task.SampleSplit(k, seeded(1), 1, task.Whole); err != nil {
		t.Errorf("whole: %v", err)
	}
}

func TestParseSplit(t *testing.T) {
	for _, s := range []task.Split{task.Whole, task.Train, task.Validation, task.Test} {
		if got, err := task.ParseSplit(s.String()); err != nil || got != s {
			t.Errorf("ParseSplit(%q) = %v, %v", s, got, err)
		}
	}
	for _, bad := range []string{"dev", "", "Test", "Split(0)"} {
		if _, err := task.ParseSplit(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	var none task.Split
	if _, err := task.SampleSplit(copyTask(t), seeded(1), 3, none); err == nil {
		t.Error("no split chosen: no error")
	}
}

// What one split holds no other does, at every length that is divided; at the
// others, and with the option "paper" of a task that lists nothing, SplitAt says so.
func TestSplitsDisjoint(t *testing.T) {
	forEach(t, func(t *testing.T, k task.Task) {
		for _, length := range lengthsOf(k) {
			at := k.SplitAt(length, task.Test)
			overlap := k.Overlap && (k.Listed() == nil || !k.Train.Contains(length))
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
					s, err := task.SampleSplit(k, rng, length, split)
					if err != nil {
						t.Fatal(err)
					}
					if k.Listed() != nil && split == task.Validation {
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
			s, err := task.SampleSplit(k, rng, n, task.Train)
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
