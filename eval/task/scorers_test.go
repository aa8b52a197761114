package task_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
)

func lookup(t testing.TB, name string) task.Task {
	t.Helper()
	k, err := task.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Near misses, and other ways to write the right answer, for every scorer.
func TestCorrect(t *testing.T) {
	for _, tc := range []struct {
		task, target string
		right, wrong []string
	}{
		{"copy-cmc2x", "7 B [NEXT] 7 B",
			[]string{" 7 B  [NEXT] 7 B "},
			[]string{"7 B", "7 B 7 B", "7 B [NEXT] 7", "7 B [NEXT] B 7", "7 B [NEXT] 7 B [NEXT]", "7 B[NEXT] 7 B"}},
		{"copy-rsc2x", "K K K K", []string{"K  K K K"}, []string{"K K K", "K K K K K", "KKKK", "K K K J"}},
		{"copy-rdc", "= = =", []string{" = = ="}, []string{"= =", "===", "4 4 4", "= = = ="}},
		{"reverse", "B tree 7", []string{"B tree  7"}, []string{"7 tree B", "B tree", "b tree 7"}},
		{"addition", "The answer is 5 4 7.",
			[]string{" The answer is 5 4 7.", "The answer is 547.", "The answer is 0 5 4 7 .",
				"The answer is + 5 4 7."},
			[]string{"The answer is 5 4 8.", "The answer is 5 4.", "The answer is - 5 4 7.", "The answer is 5 4 7",
				"The answer is.", "The answer is 5 4 7 .x",
				"5 4 7.", "the answer is 5 4 7.", "The answer is 5 4 7. The answer is 5 4 7.", "The answer is 5 4 7..",
				"The answer is 5 , 4 7.", "The answer is 5 4 7 0.",
				"The answer is - - 5 4 7.", "The answer is", ".", ""}},
		{"addition", "The answer is 0.", []string{"The answer is 0 0.", "The answer is - 0."},
			[]string{"The answer is .", "The answer is 1."}},
		{"polynomial", "The answer is 1.", []string{"The answer is 0 1."},
			[]string{"The answer is 1 1.", "The answer is - 1.", "The answer is x."}},
		{"sorting", "The sorted list is [ 7, F, tree ].",
			[]string{"The sorted list is [7,F,tree].", " The sorted list is [ 7 , F , tree ] ."},
			[]string{"The sorted list is [ 7, tree, F ].", "The sorted list is [ 7, F ].",
				"The sorted list is [ 7, F, tree, tree ].", "The sorted list is 7, F, tree.",
				"The sorted list is [ 7, F, tree ]", "The sorted list is [ 7 F tree ].",
				"The sorted list is [ 7, f, tree ].", "The sorted list is [ 7, F, tree, ].",
				"The sorted list is ].", "The sorted list is [.", "The sorted list is [].",
				"The answer is [ 7, F, tree ]."}},
		{"sorting-multi", "The sorted list is [ 3 0, 4 1 2 ].",
			[]string{"The sorted list is [ 30, 412 ].", "The sorted list is [ 0 3 0, 4 1 2 ]."},
			[]string{"The sorted list is [ 4 1 2, 3 0 ].", "The sorted list is [ 3, 0, 4 1 2 ].",
				"The sorted list is [ 3 0 4 1 2 ].", "The sorted list is [ 3 0, 4 1 ].",
				"The sorted list is [ 3 0, - 4 1 2 ]."}},
		{"summation", "The answer is 5 .", []string{"The answer is 5.", "The answer is 0 5 ."},
			[]string{"The answer is 1 5 .", "The answer is .", "The answer is 5"}},
		{"parity", "The answer is No.",
			[]string{"The answer is no.", "The answer is NO .", " The answer is No. "},
			[]string{"The answer is Yes.", "The answer is N.", "The answer is No", "No.", "The answer is No No.",
				"The answer is not."}},
		{"lego", "The answer is +1.", []string{"The answer is + 1.", "The answer is 1."},
			[]string{"The answer is -1.", "The answer is +.", "The answer is +11.", "The answer is ++1."}},
		{"scan", "Left Jump Jump", []string{" Left Jump Jump"},
			[]string{"Left Jump", "Left Jump Jump Jump", "Jump Left Jump", "LeftJump Jump", "left jump jump"}},
		{"pcfg", "D2 A3", []string{"D2  A3"}, []string{"D2", "A3 D2", "D2 A3 A3", "D 2 A3", "D2A3"}},
		{"parity+minimal", "Thinking step by step: comp 1 ** par = 1 ** 0 out 1. Thus, The answer is No.",
			[]string{"Thinking step by step: nonsense. Thus, The answer is No.", ". Thus, The answer is no."},
			[]string{"The answer is No.", "Thinking step by step: comp 1 ** par = 1 ** 0 " +
				"out 1. Thus, The answer is Yes.", "Thinking step by step: comp 1 ** par = 1 ** 0 out 1. Thus,",
				"Thinking step by step: out 1. Thus, The answer is No. Thus, The answer is No."}},
	} {
		k := lookup(t, tc.task)
		for _, s := range append(tc.right, tc.target) {
			if !k.Correct(tc.target, s) {
				t.Errorf("%s: %q is not accepted for %q", tc.task, s, tc.target)
			}
		}
		for _, s := range append(tc.wrong, "") {
			if k.Correct(tc.target, s) {
				t.Errorf("%s: %q is accepted for %q", tc.task, s, tc.target)
			}
		}
	}
}

func TestChanceValues(t *testing.T) {
	for _, tc := range []struct {
		task   string
		length int
		want   float64
	}{
		{"copy-cmc2x", 2, 1e-4}, {"copy-rsc", 30, 1e-2}, {"copy-rsc2x", 30, 1e-2}, {"copy-rdc", 30, 1.0 / 78},
		{"reverse", 1, 1e-2},
		{"addition", 1, 1.0 / 19}, {"addition", 2, 1.0 / 189}, // sums 0..18 and 10..198
		{"polynomial", 5, 0.1}, {"summation", 5, 0.1}, {"parity", 9, 0.5}, {"lego", 9, 0.5},
		{"sorting", 1, 1.0 / 50}, {"sorting", 2, 1.0 / 1275}, {"sorting-multi", 1, 1.0 / 9990},
		{"scan", 3, 1.0 / 216}, {"pcfg", 3, 1.0 / 270400},
	} {
		if got := lookup(t, tc.task).Chance(tc.length); math.Abs(got/tc.want-1) > 1e-9 {
			t.Errorf("%s at %d: chance %v, want %v", tc.task, tc.length, got, tc.want)
		}
	}
}

// A scorer takes any text.
func FuzzCorrect(f *testing.F) {
	for _, k := range task.All() {
		s, err := k.Sample(seeded(1), k.Train.Max, task.Whole)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(s.Target)
	}
	f.Add("Thinking step by step: in [ ] re # comp . Thus, The answer is")
	f.Add("The sorted list is [.")
	var all []task.Task
	for _, k := range task.All() {
		all = append(all, k)
		if full, err := task.Lookup(k.Name + "+full"); err == nil {
			all = append(all, full)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, k := range all {
			s, err := k.Sample(seeded(2), k.Train.Min, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			if k.Correct(s.Target, text) && strings.TrimSpace(text) == "" {
				t.Fatalf("%s accepts nothing", k.Name)
			}
			k.Correct(text, text)
			if k.Parts != nil {
				for name, share := range k.Parts(text, text) {
					if share != 0 && share != 1 {
						t.Fatalf("%s: %q agrees with itself to %v in %s", k.Name, text, share, name)
					}
				}
			}
		}
	})
}

func BenchmarkSample(b *testing.B) {
	for _, k := range task.All() {
		b.Run(k.Name, func(b *testing.B) {
			b.ReportAllocs()
			rng := seeded(1)
			n := 0
			for b.Loop() {
				if _, err := k.Sample(rng, k.Train.Max, task.Train); err != nil {
					b.Fatal(err)
				}
				n++
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}
