package task_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
)

// layouts are names of addition's other forms.
var layouts = []string{"addition+reversed", "addition+padded", "addition+hints", "addition+reversed+padded",
	"addition+reversed+hints", "addition+padded+hints", "addition+reversed+padded+hints"}

// layoutOracle reads the numbers back, adds them, and writes the answer in their form.
func layoutOracle(name string) oracle {
	reversed, padded, hints := strings.Contains(name, "reversed"), strings.Contains(name, "padded"), strings.Contains(name, "hints")
	digit := `(?:\d)`
	if hints {
		digit = `(?:[a-h][a-z] \d)`
	}
	number := `(` + digit + `(?: ` + digit + `)*)`
	return oracle{regexp.MustCompile(`^Compute ` + number + ` \+ ` + number + ` \? $`), func(g []string) (string, int) {
		weight := map[string]int{} // of a hint
		var values [2]*big.Int
		var counts [2]int
		for i := range values {
			values[i] = new(big.Int)
			digits := strings.ReplaceAll(regexp.MustCompile(`[a-z]`).ReplaceAllString(g[i+1], ""), " ", "")
			words := regexp.MustCompile(`[a-z]+`).FindAllString(g[i+1], -1)
			for k := range digits {
				power := len(digits) - 1 - k
				if reversed {
					power = k
				}
				scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(power)), nil)
				values[i].Add(values[i], scale.Mul(scale, big.NewInt(int64(digits[k]-'0'))))
				if hints {
					if w, ok := weight[words[k]]; ok && w != power {
						return "a hint has two weights", 0
					}
					weight[words[k]] = power
				}
			}
			counts[i] = len(digits)
			if !padded && len(digits) > 1 && (!reversed && digits[0] == '0' || reversed && digits[len(digits)-1] == '0') {
				return "a zero in front", 0
			}
		}
		length := max(counts[0], counts[1])
		if padded && counts[0] != counts[1] {
			return "not of one width", 0
		}
		total := values[0].Add(values[0], values[1]).String()
		if padded {
			total = strings.Repeat("0", length+1-len(total)) + total
		}
		first := "" // the hint of the lowest digit
		for h, w := range weight {
			if w == 0 {
				first = h
			}
		}
		out := ""
		for i := range total {
			power := len(total) - 1 - i
			one := total[i : i+1]
			if hints {
				n := 26*int(first[0]-'a') + int(first[1]-'a') + power
				one = fmt.Sprintf("%c%c %s", 'a'+n/26, 'a'+n%26, one)
			}
			if reversed {
				out = one + " " + out
			} else {
				out += " " + one
			}
		}
		return "The answer is " + strings.TrimSpace(out) + ".", length
	}}
}

func TestLayoutNames(t *testing.T) {
	for name, want := range map[string]string{
		"addition+hints+reversed":                 "addition+reversed+hints",
		"addition+paper+padded+noprefix+hints":    "addition+padded+hints+noprefix+paper",
		"addition+reversed+hints+padded":          "addition+reversed+padded+hints",
		"addition+noprefix+reversed+padded+hints": "addition+reversed+padded+hints+noprefix",
	} {
		k := lookup(t, name)
		if again := lookup(t, k.Name); k.Name != want || again.Name != want {
			t.Errorf("%s is called %s and then %s, want %s", name, k.Name, again.Name, want)
		}
	}
	for name, want := range map[string]string{
		"copy+reversed":              "task copy: reversed: its numbers have one form; tasks with others: addition",
		"addition-binary+hints":      "hints: its numbers have one form",
		"addition+padded+full":       "a scratchpad (full) takes digits in its own order and form",
		"addition+minimal+reversed":  "a scratchpad (minimal)",
		"addition+padded+padded":     `the option "padded" is given twice`,
		"addition+reversd":           "reversed, padded, hints",
		"addition+hints+alphabet100": "its symbols are fixed",
	} {
		if _, err := task.Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

// Answers are compared as numbers, but with hints word by word.
func TestLayoutCorrect(t *testing.T) {
	for _, tc := range []struct {
		task, target, generated string
		want                    bool
	}{
		{"addition+reversed", "The answer is 7 4 5.", "The answer is 7 4 5.", true},
		{"addition+reversed", "The answer is 7 4 5.", " The answer is 7 4 5 0.", true},
		{"addition+reversed", "The answer is 7 4 5.", "The answer is 5 4 7.", false},
		{"addition+reversed", "The answer is 7 4 5.", "The answer is 0 7 4 5.", false},
		{"addition+padded", "The answer is 0 5 4 7.", "The answer is 5 4 7.", true},
		{"addition+padded", "The answer is 0 5 4 7.", "The answer is 5 4 7 0.", false},
		{"addition+hints", "The answer is ab 5 aa 4.", "The answer is ab 5 aa 4.", true},
		{"addition+hints", "The answer is ab 5 aa 4.", "The answer is aa 5 ab 4.", false},
		{"addition+hints", "The answer is ab 5 aa 4.", "The answer is 5 4.", false},
	} {
		if got := lookup(t, tc.task).Correct(tc.target, tc.generated); got != tc.want {
			t.Errorf("%s: %q for %q: %v", tc.task, tc.generated, tc.target, got)
		}
	}
}

// A sum is in one split however it is written, and with a seed the sums are the same.
func TestLayoutSplits(t *testing.T) {
	sum := func(k task.Task, s task.Sample) string {
		text := strings.TrimPrefix(s.Prompt, k.Prefix)
		text = strings.TrimSuffix(regexp.MustCompile(`[a-z]+ `).ReplaceAllString(text, ""), "? ")
		numbers := strings.Split(strings.TrimSpace(text), " + ")
		for i, n := range numbers {
			digits := strings.Fields(n)
			if strings.Contains(k.Name, "reversed") {
				for a, b := 0, len(digits)-1; a < b; a, b = a+1, b-1 {
					digits[a], digits[b] = digits[b], digits[a]
				}
			}
			v, _ := new(big.Int).SetString(strings.Join(digits, ""), 10)
			numbers[i] = strings.Join(strings.Split(v.String(), ""), " ")
		}
		return "Compute " + strings.Join(numbers, " + ") + " ? "
	}
	for _, name := range append(layouts, "addition+reversed+padded+hints+noprefix") {
		k := lookup(t, name)
		for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
			rng := seeded(4)
			for i := range 100 {
				s, err := k.Sample(rng, 1+i%9, split)
				if err != nil {
					t.Fatal(err)
				}
				if got := task.SplitOf(sum(k, s)); got != split {
					t.Fatalf("%s: %q is drawn for %v; the sum is in %v", name, s.Prompt, split, got)
				}
			}
		}
		a, b := k.Generate(rand.New(rand.NewPCG(3, 3)), 7), lookup(t, "addition").Generate(rand.New(rand.NewPCG(3, 3)), 7)
		if sum(k, a) != b.Prompt {
			t.Errorf("%s: the seed gives %q, without options %q", name, a.Prompt, b.Prompt)
		}
	}
}

// Hints begin anywhere that leaves room for the answer.
func TestLayoutHints(t *testing.T) {
	k := lookup(t, "addition+padded+hints")
	if k.Lengths.Max != 207 {
		t.Errorf("lengths %v", k.Lengths)
	}
	count := map[string]int{}
	rng := seeded(5)
	const draws, length = 20_000, 8
	for range draws {
		s, err := k.Sample(rng, length, task.Whole)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(s.Prompt)
		count[words[2*length-1]]++ // the hint of the first summand's lowest digit
	}
	chi2 := 0.0
	const cells = 208 - length
	for _, n := range count {
		d := float64(n) - draws/cells
		chi2 += d * d / (draws / cells)
	}
	if len(count) != cells || chi2 > cells+5*math.Sqrt(2*cells) {
		t.Errorf("%d beginnings, want %d; chi-squared %.0f", len(count), cells, chi2)
	}
	if want := lookup(t, "addition").Space(8) * cells; k.Space(8) != want {
		t.Errorf("%v prompts, want %v", k.Space(8), want)
	}
	if want := lookup(t, "addition").Chance(8) / cells; k.Chance(8) != want {
		t.Errorf("chance %v, want %v", k.Chance(8), want)
	}
	if _, err := k.Sample(rng, 207, task.Whole); err != nil {
		t.Error(err)
	}
}
