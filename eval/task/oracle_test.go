package task_test

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oracle works out target and length from a prompt alone, in the plainest way
// and with none of the package's code.
type oracle struct {
	form *regexp.Regexp // of the prompt, with groups for solve
	// solve returns the target and the length.
	solve func(group []string) (string, int)
}

func oracles() map[string]oracle {
	spaced := func(s string) string { return strings.Join(strings.Split(s, ""), " ") }
	closed := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	words := func(answer func(w []string) string) func([]string) (string, int) {
		return func(g []string) (string, int) { w := strings.Split(g[1], " "); return answer(w), len(w) }
	}
	turned := func(w []string) string {
		out := ""
		for _, x := range w {
			out = x + " " + out
		}
		return strings.TrimSpace(out)
	}
	plain := func(w []string) string { return strings.Join(w, " ") }
	const word = `(?:[1-9A-WZ$(*+=>]|[a-z]{3,6})`
	const list = `(` + word + `(?: ` + word + `)*)`
	re := func(s string) *regexp.Regexp { return regexp.MustCompile("^" + s + "$") }
	symbols := func(list string) *regexp.Regexp { return re(`\[BOS\] ` + list + ` \[SEP\] `) }
	copies, reverses := re(`Copy: `+list+` \[SEP\] `), re(`Reverse: `+list+` \[SEP\] `)
	all := map[string]oracle{
		"copy":       {copies, words(plain)},
		"copy-cmc2x": {copies, words(func(w []string) string { return plain(w) + " [NEXT] " + plain(w) })},
		"copy-rsc": {copies, words(func(w []string) string {
			if len(slices.Compact(slices.Clone(w))) != 1 {
				return "not one word"
			}
			return plain(w)
		})},
		"copy-rsc2x": {copies, words(func(w []string) string { return plain(append(w, w...)) })},
		"copy-rdc": {re(`Replace (` + word + `) with (` + word + `) in ` + list + ` \[SEP\] `),
			func(g []string) (string, int) {
				w := strings.Split(g[3], " ")
				for i := range w {
					if w[i] != g[1] || g[1] == g[2] {
						return "not to be replaced", 0
					}
					w[i] = g[2]
				}
				return plain(w), len(w)
			}},
		"reverse":      {reverses, words(turned)},
		"reverse-mc2x": {reverses, words(func(w []string) string { return turned(w) + " [NEXT] " + turned(w) })},
		"reverse-mcrv": {reverses, words(func(w []string) string { return turned(w) + " [NEXT] " + plain(w) })},
		"addition": {re(`Compute (\d(?: \d)*) \+ (\d(?: \d)*) \? `), func(g []string) (string, int) {
			a, _ := new(big.Int).SetString(closed(g[1]), 10)
			b, _ := new(big.Int).SetString(closed(g[2]), 10)
			return "The answer is " + spaced(a.Add(a, b).String()) + ".", max(len(closed(g[1])), len(closed(g[2])))
		}},
		"polynomial": {re(`Evaluate at x = ((?:- )?[0-2]) in ((?:- )?[0-3] \* x \*\* [0-3](?: \+ (?:- )?[0-3] \* x \*\* [0-3])*) \? `),
			func(g []string) (string, int) {
				x, _ := strconv.Atoi(closed(g[1]))
				terms := strings.Split(g[2], " + ")
				sum := 0
				for _, t := range terms {
					c, power, _ := strings.Cut(closed(t), "*x**")
					v, _ := strconv.Atoi(c)
					d, _ := strconv.Atoi(power)
					for range d {
						v *= x
					}
					sum += v
				}
				return fmt.Sprintf("The answer is %d.", ((sum%10)+10)%10), len(terms)
			}},
		"sorting": {re(`Sort the following list \[ (` + word + `(?:, ` + word + `)*) \]\. `),
			func(g []string) (string, int) {
				e := strings.Split(g[1], ", ")
				slices.Sort(e) // digits, letters and words are in the order of bytes
				return "The sorted list is [ " + strings.Join(e, ", ") + " ].", len(e)
			}},
		"sorting-multi": {re(`Sort the following list \[ ([1-9](?: \d){1,3}(?:, [1-9](?: \d){1,3})*) \]\. `),
			func(g []string) (string, int) {
				e := strings.Split(closed(g[1]), ",")
				slices.SortFunc(e, func(a, b string) int {
					x, _ := strconv.Atoi(a)
					y, _ := strconv.Atoi(b)
					return x - y
				})
				for i := range e {
					e[i] = spaced(e[i])
				}
				return "The sorted list is [ " + strings.Join(e, ", ") + " ].", len(e)
			}},
		"summation": {re(`Compute: ([1-9](?: \+ [1-9])*) \.\[SEP\] `), func(g []string) (string, int) {
			sum := 0
			for _, c := range g[1] {
				if c >= '0' && c <= '9' {
					sum += int(c - '0')
				}
			}
			return fmt.Sprintf("The answer is %d .", sum%10), len(strings.Split(g[1], "+"))
		}},
		"parity": {re(`Is the number of 1's even in the sequence \[ ([01](?:, [01])*) \] \? `),
			func(g []string) (string, int) {
				answer := map[int]string{0: "Yes", 1: "No"}[strings.Count(g[1], "1")%2]
				return "The answer is " + answer + ".", strings.Count(g[1], ",") + 1
			}},
		"lego": {re(`If (.*)\. Then, what is the value of ([a-z])\? `), func(g []string) (string, int) {
			values := map[string]string{}
			clauses := strings.Split(g[1], ", ")
			flip := map[string]string{"+1": "-1", "-1": "+1"}
			for _, c := range clauses {
				name, right, _ := strings.Cut(c, " = ")
				values[name] = right
				if sign, of, ok := strings.Cut(right, " "); ok {
					if values[name] = values[of]; sign == "-" {
						values[name] = flip[values[of]]
					}
				}
			}
			return "The answer is " + values[g[2]] + ".", len(values)
		}},
		"scan": {re(`Solve: ([a-z ]+)\[SEP\] `), func(g []string) (string, int) {
			out := actions(g[1])
			return strings.Join(out, " "), len(out)
		}},
		"unique-copy": {symbols(`([a-z]{2}(?: [a-z]{2})*)`), words(func(w []string) string {
			if len(slices.Compact(slices.Sorted(slices.Values(w)))) != len(w) {
				return "not unique"
			}
			return plain(w)
		})},
		"unique-sort": {symbols(`([a-z]{2}(?: [a-z]{2})*)`), words(func(w []string) string {
			slices.Sort(w)
			return plain(w)
		})},
		"majority":        {symbols(`([a-z](?: [a-z])*)`), words(mostFrequent)},
		"majority-binary": {symbols(`([01](?: [01])*)`), words(mostFrequent)},
		"majority-interleaved": {symbols(`([01](?: [01])*)`), words(func(w []string) string {
			var each [3][]string
			for i, digit := range w {
				each[i%3] = append(each[i%3], digit)
			}
			return mostFrequent(each[0]) + " " + mostFrequent(each[1]) + " " + mostFrequent(each[2])
		})},
		"repeat-copy": {symbols(`([ab](?: [ab])*)`), words(plain)},
		"parity-uniform": {symbols(`([01](?: [01])*)`), func(g []string) (string, int) {
			return []string{"even", "odd"}[strings.Count(g[1], "1")%2], len(strings.Fields(g[1]))
		}},
		"addition-binary": {re(`\[BOS\] ([01](?: [01])*) \+ ([01](?: [01])*) = `), func(g []string) (string, int) {
			a, _ := new(big.Int).SetString(closed(g[1]), 2)
			b, _ := new(big.Int).SetString(closed(g[2]), 2)
			return spaced(a.Add(a, b).Text(2)), len(closed(g[1])) + len(closed(g[2])) + 2
		}},
		"pcfg": {re(`Solve: ((?:[a-z_]+ )+.*)\[SEP\] `), func(g []string) (string, int) {
			names := regexp.MustCompile(`[a-z_]+`).FindAllString(g[1], -1)
			value, rest := items(g[1])
			return value + rest, len(names)
		}},
		"flip-flop":        flipFlopOracle(),
		"flip-flop-sparse": flipFlopOracle(),
		"flip-flop-dense":  flipFlopOracle(),
		"word-problem-s5":  wordProblemOracle(),
		"word-problem-a5":  wordProblemOracle(),
		"mqar":             mqarOracle(),
		"induction":        {re(`~([0-9!#$%&'(),/:;<=>?@^_{|}]+)`), func(g []string) (string, int) { return g[1], len(g[1]) }},
		"passkey":          passkeyOracle(),
		"needle":           needleOracle(1),
		"needles":          needleOracle(4),
		"chain":            chainOracle(),
	}
	for _, name := range layouts {
		all[name] = layoutOracle(name)
	}
	return all
}

// mostFrequent is the one that occurs more often than each other, if there is one.
func mostFrequent(w []string) string {
	for _, x := range w {
		wins := true
		for _, y := range w {
			count := func(z string) (n int) {
				for _, v := range w {
					if v == z {
						n++
					}
				}
				return n
			}
			wins = wins && (x == y || count(x) > count(y))
		}
		if wins {
			return x
		}
	}
	return "tie"
}

// actions follows a SCAN command by rewriting text.
func actions(command string) []string {
	if x, y, ok := strings.Cut(command, " and "); ok {
		return append(actions(x), actions(y)...)
	}
	if x, y, ok := strings.Cut(command, " after "); ok {
		return append(actions(y), actions(x)...)
	}
	if x, ok := strings.CutSuffix(command, " twice"); ok {
		return slices.Repeat(actions(x), 2)
	}
	if x, ok := strings.CutSuffix(command, " thrice"); ok {
		return slices.Repeat(actions(x), 3)
	}
	say := map[string]string{"walk": "Walk", "look": "Look", "run": "Run", "jump": "Jump", "left": "Left",
		"right": "Right"}
	w := strings.Split(command, " ")
	act := []string{}
	if w[0] != "turn" {
		act = append(act, say[w[0]])
	}
	switch {
	case len(w) == 1:
		return act
	case w[1] == "opposite":
		return append([]string{say[w[2]], say[w[2]]}, act...)
	case w[1] == "around":
		return slices.Repeat(append([]string{say[w[2]]}, act...), 4)
	}
	return append([]string{say[w[1]]}, act...)
}

// items evaluates a PCFG expression at the start of text; the rest begins with
// the comma after it.
func items(text string) (value, rest string) {
	name, args, _ := strings.Cut(text, " ")
	unary := map[string]func(w []string) []string{
		"copy":    func(w []string) []string { return w },
		"reverse": func(w []string) []string { slices.Reverse(w); return w },
		"shift":   func(w []string) []string { return append(w[1:], w[0]) },
		"echo":    func(w []string) []string { return append(w, w[len(w)-1]) },
		"repeat":  func(w []string) []string { return append(w, w...) },
		"swap_first_last": func(w []string) []string {
			w[0], w[len(w)-1] = w[len(w)-1], w[0]
			return w
		},
	}
	if f, ok := unary[name]; ok {
		x, rest := items(args)
		return strings.Join(f(strings.Split(x, " ")), " "), rest
	}
	binary := map[string]string{"append": "xy", "prepend": "yx", "remove_first": "y", "remove_second": "x"}
	if form, ok := binary[name]; ok {
		x, rest := items(args)
		y, rest := items(strings.TrimPrefix(rest, " , "))
		form = strings.Replace(form, "x", x+" ", 1)
		form = strings.Replace(form, "y", y+" ", 1)
		return strings.TrimSpace(form), rest
	}
	if at := strings.Index(text, " ,"); at >= 0 {
		return text[:at], text[at:]
	}
	return text, ""
}
