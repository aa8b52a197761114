package task_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// forEach runs a check on every task of the registry.
func forEach(t *testing.T, check func(t *testing.T, k task.Task)) {
	for _, k := range task.All() {
		t.Run(k.Name, func(t *testing.T) { check(t, k) })
	}
}

func lengthsOf(k task.Task) []int {
	lengths := []int{k.Lengths.Min, k.Train.Min, k.Train.Max, min(2*k.Train.Max, k.Lengths.Max)}
	slices.Sort(lengths)
	return slices.Compact(lengths)
}

func TestComplete(t *testing.T) {
	seen := map[string]bool{}
	forEach(t, func(t *testing.T, k task.Task) {
		for _, name := range append([]string{k.Name}, k.Aliases...) {
			if name == "" || seen[name] {
				t.Errorf("name %q is empty or taken", name)
			}
			seen[name] = true
		}
		if k.Description == "" || k.Version < 1 || k.Generate == nil || k.Correct == nil || k.Chance == nil {
			t.Error("a field is not set")
		}
		if !k.Lengths.Contains(k.Train.Min) || !k.Lengths.Contains(k.Train.Max) || k.Lengths.Min < 1 || k.Lengths.Max > task.MaxLength {
			t.Errorf("trained lengths %v, lengths %v", k.Train, k.Lengths)
		}
	})
}

func TestDeterministic(t *testing.T) {
	forEach(t, func(t *testing.T, k task.Task) {
		for _, length := range lengthsOf(k) {
			draw := func(seed uint64) []task.Sample {
				rng, out := seeded(seed), []task.Sample(nil)
				for range 5 {
					s, err := k.Sample(rng, length)
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, s)
				}
				return out
			}
			if diff := cmp.Diff(draw(1), draw(1)); diff != "" {
				t.Errorf("length %d: two draws of one seed differ:\n%s", length, diff)
			}
			if length >= k.Train.Min && cmp.Equal(draw(1), draw(2)) {
				t.Errorf("length %d: two seeds agree", length)
			}
		}
	})
}

// Every sample is made of the vocabulary, every piece of the vocabulary occurs
// in samples (but padding, end and the lone space), and the target answers its
// own prompt when it comes back as a model would write it.
func TestFormat(t *testing.T) {
	forEach(t, func(t *testing.T, k task.Task) {
		tok, err := tokenizer.New(k.Vocabulary())
		if err != nil {
			t.Fatal(err)
		}
		used := map[int64]bool{0: true, 1: true, 2: true}
		rng := seeded(3)
		for i := range 400 {
			length := lengthsOf(k)[i%len(lengthsOf(k))]
			s, err := k.Sample(rng, length)
			if err != nil {
				t.Fatal(err)
			}
			if s.Length != length {
				t.Fatalf("sample of length %d says %d", length, s.Length)
			}
			ids, start, err := tok.EncodePair(s.Prompt, s.Target)
			if err != nil {
				t.Fatalf("%q %q: %v", s.Prompt, s.Target, err)
			}
			if start == 0 || start == len(ids) {
				t.Fatalf("%q: target starts at %d of %d", s.Prompt, start, len(ids))
			}
			for _, id := range ids {
				used[id] = true
			}
			answer, err := tok.Decode(ids[start:])
			if err != nil || !k.Correct(s.Target, answer) {
				t.Fatalf("the target %q is not a correct answer: %v", answer, err)
			}
			if k.Correct(s.Target, "") {
				t.Fatalf("nothing at all answers %q", s.Prompt)
			}
		}
		for i, piece := range k.Vocabulary() {
			if !used[int64(i)] {
				t.Errorf("piece %d, %q, occurs in no sample", i, piece)
			}
		}
	})
}

func TestChance(t *testing.T) {
	forEach(t, func(t *testing.T, k task.Task) {
		for _, length := range lengthsOf(k) {
			if p := k.Chance(length); math.IsNaN(p) || p < 0 || p > 1 {
				t.Errorf("length %d: chance %v", length, p)
			}
		}
	})
}

func TestSampleLength(t *testing.T) {
	forEach(t, func(t *testing.T, k task.Task) {
		for _, length := range []int{math.MinInt, -1, 0, k.Lengths.Min - 1, k.Lengths.Max + 1, math.MaxInt} {
			if _, err := k.Sample(seeded(1), length); err == nil || !strings.Contains(err.Error(), fmt.Sprint(length)) {
				t.Errorf("length %d: error %v", length, err)
			}
		}
	})
}

func TestLookup(t *testing.T) {
	for _, name := range []string{"copy", "copy-cmc"} {
		k, err := task.Lookup(name)
		if err != nil || k.Name != "copy" {
			t.Errorf("Lookup(%q) = %q, %v", name, k.Name, err)
		}
	}
	for _, tc := range []struct{ name, want string }{
		{"cpoy", `unknown task "cpoy": did you mean "copy"? known: copy, copy-cmc`},
		{"COPY", `did you mean "copy"?`},
		{"copy-cmd", `did you mean "copy-cmc"?`},
		{"zzzzzzzzzzzz", `unknown task "zzzzzzzzzzzz": known: copy`},
		{"", `unknown task "": known: copy`},
	} {
		if _, err := task.Lookup(tc.name); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v does not contain %q", err, tc.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"abc", "abc", 0},
		{"kitten", "sitting", 3}, {"sunday", "saturday", 3}, {"ab", "ba", 2}, {"abcdef", "bcdefa", 2}, {"aaa", "aa", 1},
	} {
		if got := task.EditDistance([]rune(tc.a), []rune(tc.b)); got != tc.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
		if got := task.EditDistance([]rune(tc.b), []rune(tc.a)); got != tc.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", tc.b, tc.a, got, tc.want)
		}
	}
}
