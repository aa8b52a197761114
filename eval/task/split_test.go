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
