package task_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
)

func TestPCFGAnswer(t *testing.T) {
	k := lookup(t, "pcfg")
	for prompt, want := range map[string]string{
		"copy A1 B2 C3":                                      "A1 B2 C3",
		"reverse A1 B2 C3":                                   "C3 B2 A1",
		"shift A1 B2 C3":                                     "B2 C3 A1",
		"echo A1 B2 C3":                                      "A1 B2 C3 C3",
		"swap_first_last A1 B2 C3":                           "C3 B2 A1",
		"swap_first_last A1":                                 "A1",
		"repeat A1 B2":                                       "A1 B2 A1 B2",
		"append A1 B2 , C3":                                  "A1 B2 C3",
		"prepend A1 B2 , C3":                                 "C3 A1 B2",
		"remove_first A1 B2 , C3":                            "C3",
		"remove_second A1 B2 , C3":                           "A1 B2",
		"Solve: shift prepend A3 B7 , C9 D2[SEP] ":           "D2 A3 B7 C9",
		"append append A1 , B1 , append C1 , D1":             "A1 B1 C1 D1",
		"append A1 , append B1 , echo C1":                    "A1 B1 C1 C1",
		"remove_second swap_first_last A1 B1 C1 , repeat D1": "C1 B1 A1",
		"append A1,B1":                                       "A1 B1",
		"A1 B1":                                              "A1 B1",
	} {
		if got, err := k.Answer(prompt); err != nil || got != want {
			t.Errorf("%q answers %q, %v; want %q", prompt, got, err, want)
		}
	}
	for prompt, want := range map[string]string{
		"":                                     "argument is missing",
		"copy":                                 "argument is missing",
		"append A1":                            "append lacks its second argument",
		"append A1 ,":                          "argument is missing",
		"append , A1":                          "argument is missing before a comma",
		"copy A1 , B1":                         `", B1" is left over`,
		"copy A1 reverse B1":                   "reverse stands among items",
		strings.Repeat("repeat ", 30) + "A1":   "more than 1048576 items",
		strings.Repeat("copy ", 20_000) + "A1": "more than 10000 functions",
	} {
		if got, err := k.Answer(prompt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %.40q, error %v does not contain %q", prompt, got, err, want)
		}
	}
}

// Expressions are distributed as in the published files: these are their means, up to
// 8 functions of pcfgset/test and dev together, from 9 on of productivity/test (9, 12,
// 16 and 20 functions: 3232, 1175, 271 and 68 expressions; of more there are too few).
func TestPCFGDistribution(t *testing.T) {
	k := lookup(t, "pcfg")
	const samples = 800
	items := map[string]bool{}
	for _, want := range []struct {
		functions                   int
		binary, string, words, deep float64
	}{
		{2, .293, 3.41, 8.0, 2.00},
		{4, .420, 3.71, 15.6, 3.83},
		{6, .442, 3.71, 22.2, 5.16},
		{8, .427, 3.69, 27.7, 6.34},
		{9, .392, 3.68, 29.2, 7.00},
		{12, .319, 3.64, 33.4, 8.41},
		{16, .269, 3.62, 39.5, 10.25},
		{20, .259, 3.55, 47.1, 11.84},
	} {
		rng := seeded(3)
		count := map[string]float64{}
		var binary, strings_, words, deep float64
		for range samples {
			s, err := k.Sample(rng, want.functions, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			body := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(s.Prompt, "Solve: "), "[SEP] "))
			words += float64(len(body))
			deep += depth(&body)
			for _, w := range strings.Fields(s.Prompt) {
				count[w]++
				if strings.ToUpper(w) == w && w != "," {
					items[strings.TrimSuffix(w, "[SEP]")] = true
				}
			}
			binary += float64(strings.Count(s.Prompt, ","))
		}
		strings_ = binary + samples
		all := samples * float64(want.functions)
		near := func(what string, got, want, allowed float64) {
			t.Helper()
			if math.Abs(got-want) > allowed {
				t.Errorf("%s is %.3f, and %.3f in the published files", what, got, want)
			}
		}
		at := fmt.Sprintf("%d functions: ", want.functions)
		near(at+"share of binary ones", binary/all, want.binary, 0.045)
		near(at+"items of a string", (words-all-binary)/strings_, want.string, 0.25)
		near(at+"words", words/samples, want.words, 0.06*want.words)
		near(at+"depth", deep/samples, want.deep, 0.06*want.deep)
		for _, f := range []string{"copy", "reverse", "shift", "echo", "swap_first_last", "repeat"} {
			near(at+f+" among the unary ones", count[f]/(all-binary), 1/6., 0.035)
		}
		for _, f := range []string{"append", "prepend", "remove_first", "remove_second"} {
			near(at+f+" among the binary ones", count[f]/binary, 1/4., 0.06) // four standard errors of the fewest
		}
	}
	if len(items) != 520 {
		t.Errorf("%d items, want 520", len(items))
	}
}

// depth takes an expression off words and returns how many functions stand inside
// each other.
func depth(words *[]string) float64 {
	name := (*words)[0]
	*words = (*words)[1:]
	if strings.ToUpper(name) == name { // the items of a string
		for len(*words) > 0 && (*words)[0] != "," {
			*words = (*words)[1:]
		}
		return 0
	}
	most := depth(words)
	if strings.HasPrefix(name, "remove") || strings.HasSuffix(name, "pend") {
		*words = (*words)[1:]
		most = max(most, depth(words))
	}
	return 1 + most
}

func TestPCFGShares(t *testing.T) {
	k := lookup(t, "pcfg")
	var short, long float64
	for n := 1; n <= k.Lengths.Max; n++ {
		if n <= 8 {
			short += k.Weight(n)
		} else {
			long += k.Weight(n)
		}
	}
	if math.Abs(short-0.877) > 1e-9 || math.Abs(long-0.123) > 1e-6 {
		t.Errorf("shares up to 8 functions add up to %v, beyond to %v; want .877 and .123", short, long)
	}
}

func TestReadPCFG(t *testing.T) {
	got, err := lookup(t, "pcfg").Read(strings.NewReader("swap_first_last copy remove_second "+
		"E18 E15 Q6 , P15 L18\nrepeat A1\n"), strings.NewReader("Q6 E15 E18\nA1 A1\n"))
	want := []task.Sample{
		{Prompt: "Solve: swap_first_last copy remove_second E18 E15 Q6 , P15 L18[SEP] ", Target: "Q6 E15 E18",
			Length: 3},
		{Prompt: "Solve: repeat A1[SEP] ", Target: "A1 A1", Length: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for _, s := range got {
		if answer, err := lookup(t, "pcfg").Answer(s.Prompt); err != nil || answer != s.Target {
			t.Errorf("%q answers %q, %v", s.Prompt, answer, err)
		}
	}
	for _, tc := range []struct{ src, tgt, want string }{
		{"copy A1\nappend A1\n", "A1\nA1\n", "prompts: line 2: append lacks"},
		{"copy A1\n", "A1\nA1\n", "1 prompts but 2 answers"},
		{"copy A1\ncopy B1\n", "A1\n", "2 prompts but 1 answers"},
	} {
		if _, err := lookup(t, "pcfg").Read(strings.NewReader(tc.src), strings.NewReader(tc.tgt)); err == nil ||
			!strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v does not contain %q", err, tc.want)
		}
	}
}

func FuzzPCFGAnswer(f *testing.F) {
	k := lookup(f, "pcfg")
	rng := seeded(1)
	for n := 1; n < 20; n++ {
		s, err := k.Sample(rng, n, task.Whole)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(s.Prompt)
	}
	f.Add("append , ,")
	f.Fuzz(func(t *testing.T, prompt string) {
		if got, err := k.Answer(prompt); err == nil && strings.TrimSpace(got) == "" {
			t.Fatalf("%q answers nothing", prompt)
		}
	})
}
