package task_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
)

func copyTask(t testing.TB) task.Task {
	t.Helper()
	k, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestCopyFormat(t *testing.T) {
	k := copyTask(t)
	for length := 1; length <= 40; length++ {
		s, err := k.Sample(seeded(uint64(length)), length, task.Whole)
		if err != nil {
			t.Fatal(err)
		}
		if want := "Copy: " + s.Target + " [SEP] "; s.Prompt != want {
			t.Errorf("prompt %q, want %q", s.Prompt, want)
		}
		if n := len(strings.Split(s.Target, " ")); n != length {
			t.Errorf("length %d has %d words", length, n)
		}
	}
}

// The words are part of the task's definition: 39 characters of the paper, and
// 61 distinct lower-case words.
func TestCopyWords(t *testing.T) {
	vocabulary := tasktest.Vocabulary(copyTask(t))
	if diff := cmp.Diff([]string{"<pad>", "</s>", " ", " [SEP]", "Copy", ":", " 1"}, vocabulary[:7]); diff != "" {
		t.Errorf("start of the vocabulary (-want +got):\n%s", diff)
	}
	words := vocabulary[6:]
	if len(words) != 100 {
		t.Fatalf("%d words, want 100", len(words))
	}
	seen := map[string]bool{}
	for i, w := range words {
		pattern := `^ [1-9A-WZ$(*+=>]$`
		if i >= 39 {
			pattern = `^ [a-z]{3,6}$`
		}
		if !regexp.MustCompile(pattern).MatchString(w) || seen[w] {
			t.Errorf("word %d, %q, is repeated or not %s", i, w, pattern)
		}
		seen[w] = true
	}
	if !seen[" tree"] {
		t.Error("the documented example's word is missing")
	}
}

func TestCopyUniform(t *testing.T) {
	const n = 20_000
	s, err := copyTask(t).Sample(seeded(5), n, task.Whole)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, w := range strings.Fields(s.Target) {
		count[w]++
	}
	var chi2 float64 // 99 degrees of freedom: mean 99, standard deviation 14
	for _, c := range count {
		d := float64(c) - n/100
		chi2 += d * d / (n / 100)
	}
	if len(count) != 100 || chi2 > 170 {
		t.Errorf("%d words, chi-squared %.1f", len(count), chi2)
	}
}

func TestCopyCorrect(t *testing.T) {
	k := copyTask(t)
	for _, tc := range []struct {
		reason, generated string
		want              bool
	}{
		{"as generated", " 7 tree B", true},
		{"spaces do not count", "7  tree B ", true},
		{"last word missing", "7 tree", false},
		{"one word too many", "7 tree B B", false},
		{"one word wrong", "7 tree C", false},
		{"order", "7 B tree", false},
		{"letter case", "7 tree b", false},
		{"words fused", "7tree B", false},
		{"separator repeated", "[SEP] 7 tree B", false},
		{"nothing", "", false},
	} {
		if got := k.Correct("7 tree B", tc.generated); got != tc.want {
			t.Errorf("%s: Correct = %v", tc.reason, got)
		}
	}
	for length, want := range map[int]float64{1: 1e-2, 2: 1e-4, 10: 1e-20} {
		if got := k.Chance(length); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("chance at %d = %v, want %v", length, got, want)
		}
	}
}
