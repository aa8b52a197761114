package task_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
)

// mqarOracle looks a query up by cutting the text of the pairs behind the key.
func mqarOracle() oracle {
	form := regexp.MustCompile(`^\[BOS\]((?: [a-e][a-z] [e-j][a-z])+) \[SEP\]((?: \.| [a-e][a-z])+) \[SEP\] $`)
	return oracle{form, func(g []string) (string, int) {
		answer := ""
		pairs := regexp.MustCompile(` \w+ \w+`).FindAllString(g[1], -1)
		for _, q := range strings.Fields(g[2]) {
			if q == "." {
				continue
			}
			for _, p := range pairs {
				if strings.HasPrefix(p, " "+q+" ") {
					answer += p
				}
			}
		}
		if len(strings.Fields(g[2])) != 2*len(pairs) {
			return "another number of places", 0
		}
		return strings.TrimSpace(answer), len(pairs)
	}}
}

// Keys and values differ and come from their own halves, and every key is asked for once.
func TestMQARKeys(t *testing.T) {
	for name, half := range map[string]string{"mqar": "ey", "mqar+alphabet200": "dw", "mqar+alphabet8192": "gbo"} {
		k := lookup(t, name)
		rng := seeded(7)
		for range 50 {
			s, err := k.Sample(rng, 60, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.Split(s.Prompt, "[SEP]")
			seen, asked := map[string]bool{}, map[string]int{}
			for _, q := range strings.Fields(parts[1]) {
				asked[q]++
			}
			for i, w := range strings.Fields(parts[0])[1:] {
				if seen[w] || (w < half) != (i%2 == 0) || i%2 == 0 && asked[w] != 1 {
					t.Fatalf("%s: %q is repeated, in the wrong half, or asked for %d times", name, w, asked[w])
				}
				seen[w] = true
			}
			if asked["."] != 60 || len(asked) != 61 {
				t.Fatalf("%s: %d places without a query, %d different queries", name, asked["."], len(asked)-1)
			}
		}
	}
}

// The places of two keys among four have the probabilities of drawing them by the power
// law one after another.
func TestMQARGaps(t *testing.T) {
	var p [4]float64
	sum := 0.0
	for g := range p {
		p[g] = 0.01 * math.Pow(float64(g+1), 0.01-1)
		sum += p[g]
	}
	k := lookup(t, "mqar")
	const draws = 40_000
	count := map[[2]int]float64{}
	rng := seeded(8)
	for range draws {
		s, err := k.Sample(rng, 2, task.Whole)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(s.Prompt) // [BOS] k v k v [SEP] and four places
		var at [2]int
		for g, w := range words[6:10] {
			switch w {
			case words[1]:
				at[0] = g
			case words[3]:
				at[1] = g
			}
		}
		count[at]++
	}
	if len(count) != 12 {
		t.Errorf("%d arrangements, want 12", len(count))
	}
	for at, n := range count {
		want := draws * p[at[0]] / sum * p[at[1]] / (sum - p[at[0]])
		if math.Abs(n-want) > 5*math.Sqrt(want) {
			t.Errorf("places %v in %v draws, want %.0f", at, n, want)
		}
	}
}

// With few symbols the counts can be made by hand.
func TestMQARCounts(t *testing.T) {
	k := lookup(t, "mqar+alphabet128")
	for length, want := range map[int][2]float64{
		1: {64 * 64 * 2, 64 * 64},
		2: {64 * 63 * 64 * 63 * 12, 64 * 63 * 64 * 63},
	} {
		if space := k.Space(length); math.Abs(space/want[0]-1) > 1e-9 {
			t.Errorf("length %d: %v prompts, want %v", length, space, want[0])
		}
		if chance := k.Chance(length); math.Abs(chance*want[1]-1) > 1e-9 {
			t.Errorf("length %d: chance %v, want 1/%v", length, chance, want[1])
		}
	}
}

func TestMQARAnswer(t *testing.T) {
	k := lookup(t, "mqar")
	for _, tc := range []struct{ prompt, want, err string }{
		{"[BOS] ac jb bd fu [SEP] bd . . ac [SEP] ", "bd fu ac jb", ""},
		{"x 1 y 2 [SEP] y y", "y 2 y 2", ""},
		{"", "", "expected pairs"},
		{"a [SEP] a", "", `the key "a" has no value`},
		{"a 1 a 2 [SEP] a", "", `the key "a" has two values`},
		{"a 1 [SEP] b", "", `the query "b" is none`},
		{"a 1 [SEP] . ", "", "no queries"},
	} {
		got, err := k.Answer(tc.prompt)
		if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%q: %q, %v; want %q, %q", tc.prompt, got, err, tc.want, tc.err)
		}
	}
}
