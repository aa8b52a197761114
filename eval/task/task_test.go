package task_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/tokenizer"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// forEach runs a check on every task of the registry, without options and with.
func forEach(t *testing.T, check func(t *testing.T, k task.Task)) {
	for _, base := range task.All() {
		options := []string{"", "+noprefix", "+paper"}
		if slices.Contains(mathematical, base.Name) {
			options = append(options, "+full", "+minimal", "+full+noprefix")
		}
		if base.Name == "addition" {
			for _, name := range layouts {
				options = append(options, strings.TrimPrefix(name, base.Name))
			}
		}
		for _, o := range options {
			k, err := task.Lookup(base.Name + o)
			if err != nil {
				t.Fatal(err)
			}
			if k.Name != base.Name+o {
				t.Fatalf("%s%s is called %s", base.Name, o, k.Name)
			}
			t.Run(k.Name, func(t *testing.T) { check(t, k) })
		}
	}
}

var mathematical = []string{"addition", "polynomial", "sorting", "sorting-multi", "summation", "parity", "lego"}

func lengthsOf(k task.Task) []int {
	lengths := []int{k.Lengths.Min, k.Train.Min, k.Train.Max, k.Beyond.Min, min(2*k.Train.Max, k.Lengths.Max)}
	slices.Sort(lengths)
	return slices.DeleteFunc(slices.Compact(lengths), func(n int) bool { return k.CheckLength(task.At(n)) != nil })
}

func TestComplete(t *testing.T) {
	seen := map[string]bool{}
	forEach(t, func(t *testing.T, k task.Task) {
		names := []string{k.Name}
		if !strings.Contains(k.Name, "+") {
			names = append(names, k.Aliases...)
		}
		for _, name := range names {
			if name == "" || seen[name] {
				t.Errorf("name %q is empty or taken", name)
			}
			seen[name] = true
		}
		if k.Description == "" || k.Version < 1 || k.Generate == nil || k.Correct == nil || k.Chance == nil ||
			k.Space == nil {
			t.Error("a field is not set")
		}
		if (k.Prefix == "") != strings.Contains(k.Name, "noprefix") {
			t.Errorf("the prefix is %q", k.Prefix)
		}
		if k.Beyond.Min != k.Train.Max+1 || k.Beyond.Max > k.Lengths.Max || k.Beyond.Max < k.Beyond.Min {
			t.Errorf("trained lengths %v, longer ones %v", k.Train, k.Beyond)
		}
		if !k.Lengths.Contains(k.Train.Min) || !k.Lengths.Contains(k.Train.Max) || k.Lengths.Min < 1 ||
			k.Lengths.Max > task.MaxLength {
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
					s, err := k.Sample(rng, length, task.Whole)
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
			if k.Space(length) > 1000 && cmp.Equal(draw(1), draw(2)) {
				t.Errorf("length %d: two seeds agree", length)
			}
		}
	})
}

// Every sample starts with the prefix, and is what the oracle makes of its
// prompt: target, length and form.
func TestOracle(t *testing.T) {
	all := oracles()
	forEach(t, func(t *testing.T, k task.Task) {
		name, _, _ := strings.Cut(k.Name, "+")
		base, err := task.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := all[k.Name]; ok {
			name = k.Name // a layout
		}
		solver, known := all[name]
		if !known {
			t.Fatalf("task %s has no row in oracles (oracle_test.go): add what solves its prompts in another way", name)
		}
		rng := seeded(8)
		for i := range 300 {
			length := lengthsOf(k)[i%len(lengthsOf(k))]
			s, err := k.Sample(rng, length, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(s.Prompt, k.Prefix) {
				t.Fatalf("prompt %q does not begin with %q", s.Prompt, k.Prefix)
			}
			whole := s.Prompt
			if k.Prefix == "" {
				whole = base.Prefix + s.Prompt
			}
			groups := solver.form.FindStringSubmatch(whole)
			if groups == nil {
				t.Fatalf("prompt %q has not the form %v", whole, solver.form)
			}
			want, measured := solver.solve(groups)
			got := s.Target
			if k.Parts != nil {
				if _, got, _ = strings.Cut(s.Target, ". Thus, "); got == "" {
					t.Fatalf("no answer after the scratchpad: %q", s.Target)
				}
			}
			if got != want || measured != length || s.Length != length {
				t.Fatalf("%q: target %q, want %q; length %d, asked for %d, measured %d", s.Prompt, got, want, s.Length,
					length, measured)
			}
			if k.Answer != nil {
				if got, err := k.Answer(s.Prompt); err != nil || got != want {
					t.Fatalf("Answer(%q) = %q, %v; want %q", s.Prompt, got, err, want)
				}
			}
		}
	})
}

// Every sample is made of the vocabulary, every piece of the vocabulary occurs
// in samples (but padding, end and the lone space), and the target answers its
// own prompt when it comes back as a model would write it.
func TestFormat(t *testing.T) {
	forEach(t, func(t *testing.T, k task.Task) {
		tok, err := tokenizer.New(tasktest.Vocabulary(k))
		if err != nil {
			t.Fatal(err)
		}
		used := map[int64]bool{0: true, 1: true, 2: true}
		rng := seeded(3)
		draws := 1200
		if strings.Contains(k.Name, "hints") {
			draws = 6000 // the first and the last of 208 words are rare
		}
		for i := range draws {
			length := lengthsOf(k)[i%len(lengthsOf(k))]
			s, err := k.Sample(rng, length, task.Whole)
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
			if i < 200 {
				corrupt(t, k, s)
			}
		}
		for i, piece := range tasktest.Vocabulary(k) {
			if !used[int64(i)] {
				t.Errorf("piece %d, %q, occurs in no sample", i, piece)
			}
		}
	})
}

// corrupt checks that answers which are almost right are wrong.
func corrupt(t *testing.T, k task.Task, s task.Sample) {
	t.Helper()
	swap := strings.NewReplacer("Yes", "No", "No", "Yes", "+1", "-1", "-1", "+1")
	words := strings.Fields(s.Target)
	last := words[len(words)-1]
	for _, wrong := range []string{
		strings.TrimSuffix(s.Target, last), // cut short
		s.Target + " " + last,              // run on
		s.Target + s.Target,
		last,
		strings.ToUpper(s.Target) + "!",
		s.Target[:len(s.Target)-1],
	} {
		if wrong == s.Target { // of one word
			continue
		}
		if probes[strings.Split(k.Name, "+")[0]] && strings.HasPrefix(wrong, s.Target) {
			continue // what follows the answer does not count
		}
		if k.Correct(s.Target, wrong) {
			t.Fatalf("%q is accepted for %q", wrong, s.Target)
		}
	}
	if wrong := swap.Replace(s.Target); wrong != s.Target && k.Correct(s.Target, wrong) && k.Name != "sorting" {
		t.Fatalf("%q is accepted for %q", wrong, s.Target)
	}
}

// A task whose name says how many prompts there are draws them all and no more.
func TestSpace(t *testing.T) {
	for _, k := range task.All() {
		if strings.HasPrefix(k.Name, "flip-flop") {
			continue // its Space is no count: see TestFlipFlopSpace
		}
		for n := k.Lengths.Min; n < k.Lengths.Min+6; n++ {
			if k.CheckLength(task.At(n)) != nil {
				continue
			}
			want := k.Space(n)
			if want > 1000 {
				continue
			}
			seen := map[string]bool{}
			rng := seeded(4)
			for range 20 * int(want) {
				s, err := k.Sample(rng, n, task.Whole)
				if err != nil {
					t.Fatal(err)
				}
				seen[s.Prompt] = true
			}
			if len(seen) != int(want) {
				t.Errorf("%s: length %d: %d prompts, Space says %v", k.Name, n, len(seen), want)
			}
		}
	}
}

func TestChance(t *testing.T) {
	forEach(t, func(t *testing.T, k task.Task) {
		longest := k.LengthsIn(task.Range{Min: k.Lengths.Max - 2, Max: k.Lengths.Max})
		for _, length := range append(lengthsOf(k), longest...) { // NaN cannot be written to a row
			if p := k.Chance(length); math.IsNaN(p) || p < 0 || p > 1 {
				t.Errorf("length %d: chance %v", length, p)
			}
		}
	})
}

func TestSampleLength(t *testing.T) {
	forEach(t, func(t *testing.T, k task.Task) {
		for _, length := range []int{math.MinInt, -1, 0, k.Lengths.Min - 1, k.Lengths.Max + 1, math.MaxInt} {
			if _, err := k.Sample(seeded(1), length, task.Whole); err == nil || !strings.Contains(err.Error(), fmt.Sprint(length)) {
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
	for name, want := range map[string]string{
		"reverse-mc": "reverse", "sorting-single": "sorting",
		"addition+i1c1o1v1r1":            "addition+full",
		"addition+i0_c1_o1_v0_r0":        "addition+minimal",
		"addition+i1c1o1v1r0":            "addition+i1c1o1v1r0",
		"lego+i1c1o1v0r1":                "lego+full",
		"addition+paper+noprefix+full":   "addition+full+noprefix+paper",
		"copy-cmc+noprefix":              "copy+noprefix",
		"sorting-multi+i0c0o0v0r1+paper": "sorting-multi+i0c0o0v0r1+paper",
	} {
		k, err := task.Lookup(name)
		if err != nil || k.Name != want {
			t.Errorf("Lookup(%q) = %q, %v; want %q", name, k.Name, err, want)
			continue
		}
		if again, err := task.Lookup(k.Name); err != nil || again.Name != k.Name {
			t.Errorf("Lookup(%q) = %q, %v", k.Name, again.Name, err)
		}
	}
	for _, tc := range []struct{ name, want string }{
		{"copy+full", "task copy: has no scratchpad"},
		{"lego+i1c1o1v1r1", "no variables"},
		{"addition+i0c0o0v0r0", `unknown option "i0c0o0v0r0"`},
		{"addition+fulll", `task addition: unknown option "fulll": known: full, minimal`},
		{"addition+full+minimal", `"minimal" comes after "full"`},
		{"addition+", `unknown option ""`},
		{"cpoy", `unknown task "cpoy"; did you mean "copy"?`},
		{"COPY", `did you mean "copy"?`},
		{"copy-cmd", `did you mean "copy-cmc"?`},
		{"zzzzzzzzzzzz", `unknown task "zzzzzzzzzzzz"; known: copy`},
		{"", `unknown task ""; known: copy`},
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
		if got := suggest.EditDistance([]rune(tc.a), []rune(tc.b)); got != tc.want {
			t.Errorf("suggest.EditDistance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
		if got := suggest.EditDistance([]rune(tc.b), []rune(tc.a)); got != tc.want {
			t.Errorf("suggest.EditDistance(%q, %q) = %d, want %d", tc.b, tc.a, got, tc.want)
		}
	}
}
