package task_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
)

// flipFlopOracle looks for the last write from the end.
func flipFlopOracle() oracle {
	return oracle{regexp.MustCompile(`^\[BOS\] (w [01](?: [wri] [01])*) r $`), func(g []string) (string, int) {
		pairs := regexp.MustCompile(`[wri] [01]`).FindAllString(g[1], -1)
		bit := ""
		for i := len(pairs) - 1; i >= 0; i-- {
			if pairs[i][0] == 'w' {
				bit = pairs[i][2:]
				break
			}
		}
		for i, p := range pairs {
			if wrote := strings.LastIndex(strings.Join(pairs[:i], " "), "w "); p[0] == 'r' &&
				p[2] != strings.Join(pairs[:i], " ")[wrote+2] {
				return "a read shows another bit", 0
			}
		}
		return bit, len(pairs) + 1
	}}
}

// The shares of instructions are the name's, and bits are fair.
func TestFlipFlopShares(t *testing.T) {
	for name, ignore := range map[string]float64{"flip-flop": 0.8, "flip-flop-sparse": 0.98, "flip-flop-dense": 0.1} {
		k := lookup(t, name)
		count := map[string]float64{}
		const length, draws = 102, 500
		ones := 0.0
		rng := seeded(2)
		for range draws {
			s, err := k.Sample(rng, length, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Fields(strings.TrimPrefix(s.Prompt, "[BOS]"))
			for i := 2; i < len(words)-1; i += 2 { // but the first and the last
				count[words[i]]++
				count[words[i]+words[i+1]]++
			}
			if s.Target == "1" {
				ones++
			}
		}
		const n = (length - 2) * draws
		near := func(what string, got, want, of float64) {
			if d := math.Abs(got/of - want); d > 5*math.Sqrt(want*(1-want)/of) {
				t.Errorf("%s: the share of %s is %.4f, want %.4f", name, what, got/of, want)
			}
		}
		near("i", count["i"], ignore, n)
		near("w", count["w"], (1-ignore)/2, n)
		near("r", count["r"], (1-ignore)/2, n)
		near("ones after i", count["i1"], 0.5, count["i"])
		near("ones after w", count["w1"], 0.5, count["w"])
		near("answers 1", ones, 0.5, draws)
	}
}

// Prompts are those that the form and the memory allow, and Space is the perplexity of
// all of them.
func TestFlipFlopSpace(t *testing.T) {
	for name, ignore := range map[string]float64{"flip-flop": 0.8, "flip-flop-sparse": 0.98, "flip-flop-dense": 0.1} {
		k := lookup(t, name)
		for length := 2; length <= 6; length++ {
			prompts := map[string]float64{"[BOS] w 0": 0.5, "[BOS] w 1": 0.5}
			for range length - 2 {
				longer := map[string]float64{}
				for prompt, p := range prompts {
					for _, pair := range strings.Split("w 0,w 1,i 0,i 1,r 0,r 1", ",") {
						if _, err := k.Answer(prompt + " " + pair + " r "); err == nil {
							longer[prompt+" "+pair] = p * map[byte]float64{'i': ignore / 2, 'w': (1 - ignore) / 4, 'r': (1 - ignore) / 2}[pair[0]]
						}
					}
				}
				prompts = longer
			}
			sum, entropy := 0.0, 0.0
			for _, p := range prompts {
				sum, entropy = sum+p, entropy-p*math.Log(p)
			}
			if want := math.Exp(entropy); math.Abs(k.Space(length)/want-1) > 1e-9 || math.Abs(sum-1) > 1e-9 ||
				len(prompts) != 2*int(math.Pow(5, float64(length-2))) {
				t.Errorf("%s: length %d: Space is %v, want %v; %d prompts of probability %v", name, length, k.Space(length),
					want, len(prompts), sum)
			}
			rng := seeded(3)
			for range 200 {
				s, err := k.Sample(rng, length, task.Whole)
				if err != nil || prompts[strings.TrimSuffix(s.Prompt, " r ")] == 0 {
					t.Fatalf("%s: %q is none of the prompts, %v", name, s.Prompt, err)
				}
			}
		}
	}
}

// However rare some prompts are, every split has some that are not.
func TestFlipFlopSplits(t *testing.T) {
	for _, name := range []string{"flip-flop", "flip-flop-sparse", "flip-flop-dense"} {
		k := lookup(t, name)
		rng := seeded(5)
		for length := 2; length <= 40; length++ {
			for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
				for range 200 {
					if _, err := k.Sample(rng, length, split); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

func TestFlipFlopAnswer(t *testing.T) {
	k := lookup(t, "flip-flop")
	for prompt, want := range map[string]string{
		"":                         "expected pairs",
		"[BOS] r ":                 "expected pairs",
		"[BOS] i 1 r ":             "expected pairs",
		"[BOS] w 1 i 0 ":           "expected pairs",
		"[BOS] w 1 x 0 r ":         `instruction 2 is "x"`,
		"[BOS] w 1 i 2 r ":         `"2" after instruction 2`,
		"[BOS] w 1 i 0 r 0 r ":     "instruction 3 reads 0 where 1",
		"[BOS] w 1 w 0 r 0 i 1 r ": "",
	} {
		got, err := k.Answer(prompt)
		if want == "" && (err != nil || got != "0") {
			t.Errorf("%q: %q, %v", prompt, got, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v does not contain %q", prompt, err, want)
		}
	}
}
