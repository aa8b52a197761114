package task

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
)

// longestPCFG is the most functions that a prompt has.
const longestPCFG = 200

// pcfgLimit is the most items an answer has: what exceeds it is drawn again.
const pcfgLimit = 1000

// pcfg applies string functions (see pcfgeval.go), of which the paper trains on
// up to 8 in a prompt. Functions are drawn independently by their weights; those
// beside a binary function divide uniformly between its two arguments; a string
// has 2 to 5 items, uniform among A1…Z20.
//
//	Solve: shift prepend A3 B7 , C9 D2[SEP] ⏵ D2 A3 B7 C9
func pcfg() Task {
	items := pcfgItems()
	g := newPCFGGrammar(items)
	return Task{
		Name:        "pcfg",
		Version:     1,
		Description: "apply string functions; the length is the number of functions",
		Train:       Range{1, 8},
		Beyond:      Range{9, 35},
		Lengths:     Range{1, longestPCFG},
		Space:       func(int) float64 { return math.Inf(1) },
		Weight:      pcfgShare,
		Special:     append([]string{"[SEP]", "swap_first_last", "remove_first", "remove_second"}, items...),
		Texts: []string{"Solve: copy reverse shift echo swap_first_last repeat append prepend remove_first remove_second " +
			strings.Join(items, " ") + " ,[SEP]"},
		Prefix:   "Solve:",
		Generate: g.draw,
		Correct:  sameWords,
		// An upper bound: to guess the shortest answers, of two items.
		Chance: func(int) float64 { return math.Pow(float64(len(items)), -2) },
		Answer: func(prompt string) (string, error) {
			value, _, err := pcfgAnswer(solved(prompt))
			return strings.Join(value, " "), err
		},
		Read: func(files ...io.Reader) ([]Sample, error) {
			if len(files) != 2 {
				return nil, fmt.Errorf("task pcfg: %d files, expected 2: prompts (.src) and answers (.tgt)", len(files))
			}
			return ReadPCFG(files[0], files[1])
		},
	}
}

// pcfgItems returns the 520 items A1…A20, B1…Z20.
func pcfgItems() []string {
	var out []string
	for letter := 'A'; letter <= 'Z'; letter++ {
		for n := 1; n <= 20; n++ {
			out = append(out, fmt.Sprintf("%c%d", letter, n))
		}
	}
	return out
}

// pcfgShare is the share of prompts with n functions in PCFG SET. Past 8 only the
// sum of the shares is known, 0.123; they fall geometrically here so as to add up
// to it.
func pcfgShare(n int) float64 {
	shares := [...]float64{1: .015, .128, .194, .188, .132, .103, .066, .051}
	if n < len(shares) {
		return shares[n]
	}
	last := len(shares) - 1
	const beyond = .123
	ratio := beyond / (beyond + shares[last])
	return shares[last] * math.Pow(ratio, float64(n-last))
}

type pcfgGrammar struct {
	items     []string
	functions []pcfgFunction
	weights   int
}

func newPCFGGrammar(items []string) *pcfgGrammar {
	g := &pcfgGrammar{items: items, functions: pcfgFunctions()}
	for _, f := range g.functions {
		g.weights += f.weight
	}
	return g
}

func (g *pcfgGrammar) draw(rng *rand.Rand, length int) Sample {
	for {
		var b strings.Builder
		value, ok := g.expression(rng, length, &b)
		if !ok {
			continue
		}
		return Sample{Prompt: "Solve:" + b.String() + "[SEP] ", Target: strings.Join(value, " "), Length: length}
	}
}

// expression writes an expression with n functions, each word after a space, and
// returns its value; false when that is too long.
func (g *pcfgGrammar) expression(rng *rand.Rand, n int, b *strings.Builder) ([]string, bool) {
	if n == 0 {
		out := make([]string, 2+rng.IntN(4))
		for i := range out {
			out[i] = g.items[rng.IntN(len(g.items))]
			b.WriteString(" " + out[i])
		}
		return out, true
	}
	f := g.function(rng)
	b.WriteString(" " + f.name)
	left := n - 1
	if f.binary {
		left = rng.IntN(n)
	}
	x, ok := g.expression(rng, left, b)
	if !ok {
		return nil, false
	}
	var y []string
	if f.binary {
		b.WriteString(" ,")
		if y, ok = g.expression(rng, n-1-left, b); !ok {
			return nil, false
		}
	}
	out := f.apply(x, y)
	return out, len(out) <= pcfgLimit
}

func (g *pcfgGrammar) function(rng *rand.Rand) pcfgFunction {
	at := rng.IntN(g.weights)
	for _, f := range g.functions {
		if at -= f.weight; at < 0 {
			return f
		}
	}
	panic("task pcfg: weights do not add up") // they are summed in newPCFGGrammar
}
