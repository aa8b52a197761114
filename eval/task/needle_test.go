package task_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
)

// needleOracle finds the code of the thing that is asked for.
func needleOracle(codes int) oracle {
	fact := regexp.MustCompile(` The code of the ([a-z]+ [a-z]+) is ([1-9]\d{6})\.`)
	return oracle{regexp.MustCompile(`^Remember the codes in this text\.(.*) What is the code of the (.*)\? The code of the (.*) is $`),
		func(g []string) (string, int) {
			all := fact.FindAllStringSubmatch(g[1], -1)
			at := slices.IndexFunc(all, func(f []string) bool { return f[1] == g[2] })
			if len(all) != codes || at < 0 || g[2] != g[3] || strings.ContainsAny(fact.ReplaceAllString(g[1], ""), "0123456789") {
				return "other codes", 0
			}
			return all[at][2] + ".", strings.Count(fact.ReplaceAllString(g[1], ""), ".")
		}}
}

// chainOracle follows the value from name to name.
func chainOracle() oracle {
	fact := regexp.MustCompile(` Let ([A-Z]{3}) be ([1-9]\d{4}|[A-Z]{3})\.`)
	return oracle{regexp.MustCompile(`^Follow the names in this text\.(.*) Which names have the value (\d+)\? The names with the value (\d+) are $`),
		func(g []string) (string, int) {
			names := []string{}
			for last := g[2]; ; last = names[len(names)-1] {
				next := slices.IndexFunc(fact.FindAllStringSubmatch(g[1], -1), func(f []string) bool { return f[2] == last })
				if next < 0 || len(names) > 5 {
					break
				}
				names = append(names, fact.FindAllStringSubmatch(g[1], -1)[next][1])
			}
			if g[2] != g[3] {
				return "another value", 0
			}
			return strings.Join(names, ", ") + ".", strings.Count(fact.ReplaceAllString(g[1], ""), ".")
		}}
}

// What tasks in tokens take for right.
func TestHiddenAnswers(t *testing.T) {
	for _, tc := range []struct {
		task, answer, generated string
		want                    bool
	}{
		{"needle", "4718203", " 4718203. The", true},
		{"needle", "4718203", ": **4718203**", true},
		{"needle", "4718203", " 47182031", false},
		{"needle", "4718203", " 1, or 4718203", false},
		{"needle", "4718203", "", false},
		{"chain", "BAK, TIR, MOL", " BAK, TIR, MOL.", true},
		{"chain", "BAK, TIR, MOL", " MOL and BAK, TIR\nFollow", true},
		{"chain", "BAK, TIR, MOL", " BAK, TIR, MOL, GAP.", false},
		{"chain", "BAK, TIR, MOL", " BAK, TIR. MOL", false},
	} {
		if got := lookup(t, tc.task+"+tokens").Correct(tc.answer, tc.generated); got != tc.want {
			t.Errorf("%s: %q for %q is %v, want %v", tc.task, tc.generated, tc.answer, got, tc.want)
		}
	}
}

// The options of tasks in tokens are in a fixed order of the name, and refused where they say nothing.
func TestInTokensOptions(t *testing.T) {
	k := lookup(t, "needle+shots2+tokens")
	if k.Name != "needle+tokens+shots2" || k.Shots != 2 || !k.InTokens || !strings.Contains(k.Description, "tokens of the model") {
		t.Errorf("%s: %d shots, %q", k.Name, k.Shots, k.Description)
	}
	for name, want := range map[string]string{
		"copy+tokens":                 "its lengths are no tokens of a model; those of induction, passkey, needle, needles, chain can be",
		"needle+shots2":               "shots2 is for lengths in tokens: add +tokens",
		"needle+tokens+shots17":       "shots17: want shots1 to shots16 examples",
		"needle+tokens+shots":         "shots: want",
		"induction+tokens+shots1":     "it hides nothing in a text",
		"needle+tokens+noprefix":      "there is one form",
		"needle+tokens+text:nowhere1": "there is no corpus",
	} {
		if _, err := task.Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := k.Sample(seeded(1), 500, task.Whole); err == nil || !strings.Contains(err.Error(), "leave out +tokens") {
		t.Errorf("a sample without a model: %v", err)
	}
}
