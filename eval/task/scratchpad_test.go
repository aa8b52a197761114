package task_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

// Every combination of parts, for every task that has a scratchpad: its tokens
// are its vocabulary's, and it reads back as it was written.
func TestScratchpadCombinations(t *testing.T) {
	for _, name := range mathematical {
		for bits := 1; bits < 32; bits++ {
			var f task.Parts
			for k, letter := range "icovr" {
				if bits>>k&1 == 1 {
					f += task.Parts(letter)
				}
			}
			k, err := task.Lookup(name + "+" + f.String())
			without := name == "lego" || strings.HasPrefix(name, "sorting")
			if without && strings.Contains(string(f), "v") {
				if err == nil {
					t.Errorf("%s+%s: no error, but its steps have no variables", name, f)
				}
				continue
			}
			if err != nil {
				t.Error(err)
				continue
			}
			checkScratchpad(t, k, f)
		}
	}
}

func checkScratchpad(t *testing.T, k task.Task, f task.Parts) {
	t.Helper()
	tok, err := tokenizer.New(tasktest.Vocabulary(k))
	if err != nil {
		t.Fatal(err)
	}
	used := map[int64]bool{0: true, 1: true, 2: true}
	rng := seeded(6)
	for i := range 75 {
		s, err := k.Sample(rng, k.Lengths.Min+i%25, task.Whole)
		if err != nil {
			t.Fatal(err)
		}
		ids, _, err := tok.EncodePair(s.Prompt, s.Target)
		if err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		for _, id := range ids {
			used[id] = true
		}
		steps, rest, err := f.Parse(s.Target)
		if err != nil {
			t.Fatalf("%s: %q: %v", k.Name, s.Target, err)
		}
		again, restAgain, err := f.Parse(f.Format(steps) + " " + rest)
		if err != nil || rest != restAgain || !cmp.Equal(steps, again) ||
			!strings.HasSuffix(s.Target, ". Thus, "+rest) {
			t.Fatalf("%s: %s reads as %v and then as %v, %v", k.Name, s.Target, steps, again, err)
		}
		for part, share := range k.Parts(s.Target, s.Target) {
			if share != 1 {
				t.Fatalf("%s: %s of the target itself: %v", k.Name, part, share)
			}
		}
	}
	for id, piece := range tasktest.Vocabulary(k) {
		if !used[int64(id)] && !strings.HasPrefix(k.Name, "sorting+") { // has too many words for so few samples
			t.Errorf("%s: piece %q of the vocabulary occurs in no sample", k.Name, piece)
		}
	}
}

func TestParts(t *testing.T) {
	k := lookup(t, "summation+full")
	const target = "Thinking step by step: in 4 comp 4 + sum = 4 + 0 = out 4 [ sum: 4 = 4 ] re 5 # " +
		"in 5 comp 5 + sum = 5 + 4 = out 9 [ sum: 9 = 9 ] re . Thus, The answer is 9 ."
	all := func(i, c, o, v, r float64) map[string]float64 {
		return map[string]float64{"input": i, "computation": c, "output": o, "variables": v, "remaining": r}
	}
	for _, tc := range []struct {
		reason   string
		old, new string
		want     map[string]float64
	}{
		{"as it should be", "", "", all(1, 1, 1, 1, 1)},
		{"the answer does not count", "is 9", "is 8", all(1, 1, 1, 1, 1)},
		{"spaces do not count", "out 4", "out  4", all(1, 1, 1, 1, 1)},
		{"an output", "out 9", "out 8", all(1, 1, .5, 1, 1)},
		{"a variable", "sum: 9 = 9", "sum: 9 = 8", all(1, 1, 1, .5, 1)},
		{"an input", "in 4", "in 5", all(.5, 1, 1, 1, 1)},
		{"what remains", "re 5", "re 5 + 6", all(1, 1, 1, 1, .5)},
		{"a step too few", " # in 5 comp 5 + sum = 5 + 4 = out 9 [ sum: 9 = 9 ] re", "", all(0, 0, 0, 0, 0)},
		{"a step too many", "re .", "re # in 5 comp 5 + sum = 5 + 4 = out 9 [ sum: 9 = 9 ] re .", all(0, 0, 0, 0, 0)},
		{"a marker is missing", "out 9", "9", all(0, 0, 0, 0, 0)},
		{"a bracket is missing", "9 = 9 ]", "9 = 9", all(0, 0, 0, 0, 0)},
		{"the end is missing", ". Thus,", "", all(0, 0, 0, 0, 0)},
		{"the start is missing", "Thinking", "", all(0, 0, 0, 0, 0)},
	} {
		if diff := cmp.Diff(tc.want, k.Parts(target, strings.Replace(target, tc.old, tc.new, 1))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
		}
	}
	if got := lookup(t, "lego+minimal").Parts(target, target); len(got) != 2 {
		t.Errorf("parts of the minimal scratchpad: %v", got)
	}
	if lookup(t, "summation").Parts != nil {
		t.Error("a task without a scratchpad has parts")
	}
}

func TestParseParts(t *testing.T) {
	for s, want := range map[string]string{
		"full": "i1c1o1v1r1", "minimal": "i0c1o1v0r0", "i1_c0_o1_v0_r1": "i1c0o1v0r1", "i0c0o0v0r1": "i0c0o0v0r1",
	} {
		if f, err := task.ParseParts(s); err != nil || f.String() != want {
			t.Errorf("%s = %v, %v; want %s", s, f, err, want)
		}
	}
	for _, bad := range []string{"", "Full", "i1c1o1v1", "i1c1o1v1r2", "c1i1o1v1r1", "i0c0o0v0r0",
		strings.Repeat("i1", 1000)} {
		if _, err := task.ParseParts(bad); err == nil || len(err.Error()) > 300 {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}

// The same prompt, with a scratchpad or without: they can be compared.
func TestScratchpadKeepsPrompts(t *testing.T) {
	for _, name := range mathematical {
		a, b := seeded(1), seeded(1)
		for range 20 {
			s, err := lookup(t, name).Sample(a, 6, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			full, err := lookup(t, name+"+full").Sample(b, 6, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			if s.Prompt != full.Prompt || !strings.HasSuffix(full.Target, ". Thus, "+s.Target) {
				t.Fatalf("%s: %q %q, with a scratchpad %q %q", name, s.Prompt, s.Target, full.Prompt, full.Target)
			}
		}
	}
}

func ExampleLookup() {
	k, err := task.Lookup("summation+full")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := k.Sample(seeded(1), 2, task.Whole)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Prompt + s.Target)
	// Output:
	// Compute: 6 + 1 .[SEP] Thinking step by step: in 6 comp 6 + sum = 6 + 0 = out 6 [ sum: 6 = 6 ] re 1 # in 1 comp 1 + sum = 1 + 6 = out 7 [ sum: 7 = 7 ] re . Thus, The answer is 7 .
}

// With the option paper a space stands before the closing ". Thus,", as in the paper,
// and nothing else differs. Answers of both forms are read.
func TestPaperScratchpad(t *testing.T) {
	for _, name := range mathematical {
		for _, option := range []string{"full", "minimal"} {
			ours, theirs := lookup(t, name+"+"+option), lookup(t, name+"+"+option+"+paper")
			if ours.Version != 1 || theirs.Version != 2 {
				t.Errorf("%s: versions %d and %d", theirs.Name, ours.Version, theirs.Version)
			}
			tok, err := tokenizer.New(tasktest.Vocabulary(theirs))
			if err != nil {
				t.Fatal(err)
			}
			a, b := seeded(2), seeded(2)
			for i := range 30 {
				length := ours.Train.Min + i%4
				x, err := ours.Sample(a, length, task.Whole)
				if err != nil {
					t.Fatal(err)
				}
				y, err := theirs.Sample(b, length, task.Whole)
				if err != nil {
					t.Fatal(err)
				}
				body, answer, _ := strings.Cut(x.Target, ". Thus,")
				if want := strings.TrimSpace(body) + " . Thus," + answer; x.Prompt != y.Prompt || y.Target != want {
					t.Fatalf("%s: %q, want %q", theirs.Name, y.Target, want)
				}
				if _, _, err := tok.EncodePair(y.Prompt, y.Target); err != nil {
					t.Fatal(err)
				}
				if !theirs.Correct(y.Target, x.Target) || !ours.Correct(x.Target, y.Target) {
					t.Fatalf("%s: %q is not correct for %q", name, x.Target, y.Target)
				}
				for part, share := range theirs.Parts(y.Target, x.Target) {
					if share != 1 {
						t.Fatalf("%s: %s of the other form: %v", name, part, share)
					}
				}
			}
		}
	}
}
