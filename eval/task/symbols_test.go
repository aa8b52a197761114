package task_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

// A sample has the tokens of Huang et al.: the beginning, the symbols, the separator and the
// answer, each one token.
func TestSymbolTokens(t *testing.T) {
	for name, answer := range map[string]func(n int) int{
		"unique-copy":          func(n int) int { return n },
		"unique-sort":          func(n int) int { return n },
		"repeat-copy":          func(n int) int { return n },
		"majority":             func(int) int { return 1 },
		"majority-binary":      func(int) int { return 1 },
		"majority-interleaved": func(int) int { return 3 },
		"parity-uniform":       func(int) int { return 1 },
	} {
		k := lookup(t, name)
		tok, err := tokenizer.New(tasktest.Vocabulary(k))
		if err != nil {
			t.Fatal(err)
		}
		s, err := k.Sample(seeded(1), 48, task.Whole)
		if err != nil {
			t.Fatal(err)
		}
		ids, start, err := tok.EncodePair(s.Prompt, s.Target)
		if err != nil || start != 50 || len(ids) != 50+answer(48) {
			t.Errorf("%s: %d tokens, the answer from %d on (%v)", name, len(ids), start, err)
		}
	}
}

// An alphabet says how many symbols there are, and how long prompts of different ones can be.
func TestAlphabet(t *testing.T) {
	for name, want := range map[string]int{
		"unique-copy": 256, "unique-copy+alphabet150": 150, "unique-sort+alphabet676": 676, "majority": 26,
		"majority+alphabet3": 3, "repeat-copy": 2, "repeat-copy+alphabet50": 50,
	} {
		k := lookup(t, name)
		if k.Name != name {
			t.Errorf("%s is called %s", name, k.Name)
		}
		symbols := map[string]bool{}
		rng := seeded(2)
		for range 2000 {
			s, err := k.Sample(rng, 50, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range strings.Fields(s.Prompt) {
				symbols[w] = true
			}
		}
		if len(symbols) != want+2 { // [BOS] and [SEP]
			t.Errorf("%s: %d symbols, want %d", name, len(symbols)-2, want)
		}
		if strings.HasPrefix(name, "unique") && k.Lengths.Max != want {
			t.Errorf("%s: lengths %v, want up to %d", name, k.Lengths, want)
		}
	}
	if again := lookup(t, "unique-copy+alphabet256"); again.Name != "unique-copy" {
		t.Errorf("with the usual alphabet it is called %s", again.Name)
	}
	for name, want := range map[string]string{
		"copy+alphabet50":                     "task copy: alphabet50: its symbols are fixed; tasks with an alphabet: unique-copy",
		"unique-copy+alphabet":                "want alphabet60 to alphabet676 symbols",
		"unique-copy+alphabet59":              "want alphabet60 to alphabet676 symbols",
		"unique-copy+alphabet677":             "want alphabet60",
		"majority+alphabet-3":                 "want alphabet3",
		"repeat-copy+alphabet5+alphabet6":     `"alphabet6" comes after "alphabet5"`,
		"majority-binary+alphabet3":           "its symbols are fixed",
		"unique-copy+alphabet1e2":             "want alphabet60",
		"unique-copy+alphabet999999999999999": "want alphabet60",
	} {
		if _, err := task.Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

// The numbers of ones that are said to be uniform are, where ties are not allowed but for those.
func TestUniformOnes(t *testing.T) {
	const length, draws = 10, 11_000
	for name, ties := range map[string]bool{"parity-uniform": true, "majority-binary": false} {
		k, counts, rng := lookup(t, name), make([]float64, length+1), seeded(5)
		for range draws {
			s, err := k.Sample(rng, length, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			counts[strings.Count(s.Prompt, "1")]++
		}
		cells := float64(length)
		if ties {
			cells++
		} else if counts[length/2] != 0 {
			t.Errorf("%s: %v ties", name, counts[length/2])
		}
		for ones, n := range counts {
			want := draws / cells
			if !ties && ones == length/2 {
				continue
			}
			if math.Abs(n-want) > 5*math.Sqrt(want) {
				t.Errorf("%s: %d ones in %v of %d draws, want %.0f", name, ones, n, draws, want)
			}
		}
	}
}

// Every order of the ones is as likely as the others, and every symbol at every place.
func TestSymbolsAreShuffled(t *testing.T) {
	k, rng := lookup(t, "majority-binary"), seeded(6)
	first := map[string]float64{}
	for range 6000 {
		s, err := k.Sample(rng, 3, task.Whole)
		if err != nil {
			t.Fatal(err)
		}
		first[s.Prompt]++
	}
	for prompt, n := range first { // 000 and 111 one in four each, the others a twelfth
		want := 500.0
		if !strings.Contains(prompt, "0 1") && !strings.Contains(prompt, "1 0") {
			want = 1500
		}
		if math.Abs(n-want) > 5*math.Sqrt(want) {
			t.Errorf("%q in %v of 6000 draws, want %v", prompt, n, want)
		}
	}
	if len(first) != 8 {
		t.Errorf("%d prompts of 8", len(first))
	}
	unique := lookup(t, "unique-copy+alphabet150")
	places := map[string]int{}
	for range 15_000 {
		s, err := unique.Sample(rng, 5, task.Whole)
		if err != nil {
			t.Fatal(err)
		}
		places[strings.Fields(s.Target)[4]]++
	}
	for symbol, n := range places {
		if math.Abs(float64(n)-100) > 50 {
			t.Errorf("%s is the fifth symbol in %d of 15,000 draws, want 100", symbol, n)
		}
	}
}

// For strings so short that they can be listed, the counts are right, and for longer ones no
// more than there are.
func TestMajoritySpace(t *testing.T) {
	for _, tc := range []struct {
		name   string
		k, max int
	}{{"majority+alphabet3", 3, 9}, {"majority+alphabet4", 4, 7}, {"majority", 26, 4}} {
		k := lookup(t, tc.name)
		for n := 1; n <= tc.max; n++ {
			all := 0
			counts := make([]int, tc.k)
			var list func(left int)
			list = func(left int) {
				if left == 0 {
					sorted := slices.Sorted(slices.Values(counts))
					if sorted[tc.k-1] > sorted[tc.k-2] {
						all++
					}
					return
				}
				for i := range counts {
					counts[i]++
					list(left - 1)
					counts[i]--
				}
			}
			list(n)
			got := k.Space(n)
			if n <= 4 && got != float64(all) || got > float64(all) {
				t.Errorf("%s: %v prompts of length %d, and there are %d", tc.name, got, n, all)
			}
		}
	}
}

// The chance of binary addition is one over the number of sums that there are.
func TestBinarySums(t *testing.T) {
	k := lookup(t, "addition-binary")
	for n := 4; n <= 9; n++ {
		sums := map[string]bool{}
		rng := seeded(uint64(n))
		for range 5000 {
			s, err := k.Sample(rng, n, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			sums[s.Target] = true
		}
		if want := 1 / float64(len(sums)); math.Abs(k.Chance(n)-want) > 1e-12 {
			t.Errorf("length %d: chance %v, want %v", n, k.Chance(n), want)
		}
	}
}
