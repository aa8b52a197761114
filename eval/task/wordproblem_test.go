package task_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
)

// wordProblemOracle replaces letters in a text, factor by factor.
func wordProblemOracle() oracle {
	return oracle{regexp.MustCompile(`^\[BOS\] ([a-e]{5}(?: [a-e]{5})*) \[SEP\] $`), func(g []string) (string, int) {
		text := "abcde"
		factors := strings.Split(g[1], " ")
		for _, f := range factors {
			text = strings.NewReplacer("a", f[0:1], "b", f[1:2], "c", f[2:3], "d", f[3:4], "e", f[4:5]).Replace(text)
		}
		return text, len(factors)
	}}
}

// S5 has all 120 arrangements and A5 the 60 that an even number of swaps sorts; both are
// closed, and each element is as frequent as another.
func TestWordProblemGroups(t *testing.T) {
	swaps := func(word string) int {
		letters, n := []byte(word), 0
		for i := range letters {
			for letters[i] != byte('a'+i) {
				at := letters[i] - 'a'
				letters[i], letters[at], n = letters[at], letters[i], n+1
			}
		}
		return n
	}
	for name, order := range map[string]int{"word-problem-s5": 120, "word-problem-a5": 60} {
		k := lookup(t, name)
		const each = 200
		count, products := map[string]int{}, map[string]bool{}
		rng := seeded(6)
		for range order * each / 2 {
			s, err := k.Sample(rng, 2, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range strings.Fields(s.Prompt)[1:3] {
				if count[f]++; order == 60 && swaps(f)%2 != 0 {
					t.Fatalf("%s: %q is odd", name, f)
				}
			}
			products[s.Target] = true
		}
		for p := range products {
			if count[p] == 0 {
				t.Errorf("%s: the product %q is no factor", name, p)
			}
		}
		chi2 := 0.0
		for _, n := range count {
			chi2 += float64((n-each)*(n-each)) / each
		}
		// Mean order-1; five standard deviations above are fewer than twice that.
		if len(count) != order || len(products) != order || chi2 > 2*float64(order) {
			t.Errorf("%s: %d factors, %d products, chi-squared %.0f", name, len(count), len(products), chi2)
		}
	}
}

func TestWordProblemAnswer(t *testing.T) {
	for _, tc := range []struct{ task, prompt, want, err string }{
		{"word-problem-s5", "[BOS] bacde acbde [SEP] ", "cabde", ""}, // b is a's, then c is b's
		{"word-problem-s5", "acbde bacde", "bcade", ""},
		{"word-problem-a5", "[BOS] bacde [SEP] ", "", `factor 1, "bacde", is none of the 60`},
		{"word-problem-s5", "[BOS] abcde aacde [SEP] ", "", `factor 2, "aacde"`},
		{"word-problem-s5", "[BOS] [SEP] ", "", "no factors"},
	} {
		got, err := lookup(t, tc.task).Answer(tc.prompt)
		if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%q: %q, %v; want %q, %q", tc.prompt, got, err, tc.want, tc.err)
		}
	}
}
