package task_test

import (
	"math"
	"regexp"
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

// The functions' shares, the strings' lengths and the items are as declared.
func TestPCFGDistribution(t *testing.T) {
	k := lookup(t, "pcfg")
	functions, lengths, items := map[string]float64{}, map[int]float64{}, map[string]bool{}
	var total, strings_ float64
	rng := seeded(3)
	for i := range 4000 {
		s, err := k.Sample(rng, 1+i%8)
		if err != nil {
			t.Fatal(err)
		}
		body := strings.TrimSuffix(strings.TrimPrefix(s.Prompt, "Solve: "), "[SEP] ")
		for _, f := range regexp.MustCompile(`[a-z_]+`).FindAllString(body, -1) {
			functions[f]++
			total++
		}
		for _, list := range regexp.MustCompile(`[A-Z]\d+( [A-Z]\d+)*`).FindAllString(body, -1) {
			words := strings.Fields(list)
			lengths[len(words)]++
			strings_++
			for _, w := range words {
				items[w] = true
			}
		}
	}
	for f, n := range functions {
		want := 0.11
		if strings.HasPrefix(f, "remove") || strings.HasSuffix(f, "pend") {
			want = 0.083
		}
		if math.Abs(n/total-want) > 0.015 {
			t.Errorf("%s is %.3f of the functions, want about %v", f, n/total, want)
		}
	}
	for n := 2; n <= 5; n++ {
		if math.Abs(lengths[n]/strings_-0.25) > 0.02 {
			t.Errorf("%.3f of the strings have %d items, want about a quarter", lengths[n]/strings_, n)
		}
	}
	if len(functions) != 10 || len(lengths) != 4 || len(items) != 520 {
		t.Errorf("%d functions, %d lengths of strings, %d items; want 10, 4, 520", len(functions), len(lengths), len(items))
	}
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
	got, err := task.ReadPCFG(strings.NewReader("swap_first_last copy remove_second E18 E15 Q6 , P15 L18\nrepeat A1\n"), strings.NewReader("Q6 E15 E18\nA1 A1\n"))
	want := []task.Sample{
		{Prompt: "Solve: swap_first_last copy remove_second E18 E15 Q6 , P15 L18[SEP] ", Target: "Q6 E15 E18", Length: 3},
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
		if _, err := task.ReadPCFG(strings.NewReader(tc.src), strings.NewReader(tc.tgt)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v does not contain %q", err, tc.want)
		}
	}
}

func FuzzPCFGAnswer(f *testing.F) {
	k := lookup(f, "pcfg")
	rng := seeded(1)
	for n := 1; n < 20; n++ {
		s, err := k.Sample(rng, n)
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
