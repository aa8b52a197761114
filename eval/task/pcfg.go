package task

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// longestPCFG is the most functions that a prompt has.
const longestPCFG = 200

// pcfgLimit is the most items an answer has: what exceeds it is drawn again.
const pcfgLimit = 1000

// pcfg applies string functions (see pcfgeval.go), of which the paper trains on
// up to 8 in a prompt. Expressions have the distribution of PCFG SET's (see
// pcfgtree.go); unary functions are as frequent as one another, binary ones too, and
// items are uniform among A1…Z20.
//
//	Solve: shift prepend A3 B7 , C9 D2[SEP] ⏵ D2 A3 B7 C9
func pcfg() Task {
	items := pcfgItems()
	g := newPCFGGrammar(items)
	return Task{
		Name:        "pcfg",
		Version:     2,
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
		Read: readPCFG,
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

// pcfgShare is the share of prompts with n functions in PCFG SET. Past 8 the shares
// fall geometrically, there as here, and add up to 0.123; the last of its 11,333
// prompts has 35.
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

// pcfgGrammar writes the shapes of expressions (see pcfgtree.go) out.
type pcfgGrammar struct {
	items         []string
	unary, binary []pcfgFunction
}

func newPCFGGrammar(items []string) *pcfgGrammar {
	g := &pcfgGrammar{items: items}
	for _, f := range pcfgFunctions() {
		if f.binary {
			g.binary = append(g.binary, f)
		} else {
			g.unary = append(g.unary, f)
		}
	}
	return g
}

func (g *pcfgGrammar) draw(rng *rand.Rand, length int) Sample {
	for {
		var b strings.Builder
		shape := drawPCFGShape(rng, length)
		value, ok := g.expression(rng, &shape, &b)
		if !ok {
			continue
		}
		return Sample{Prompt: "Solve:" + b.String() + "[SEP] ", Target: strings.Join(value, " "), Length: length}
	}
}

// expression writes what the shape begins with, each word after a space, takes it off
// the shape and returns its value; false when that is too long.
func (g *pcfgGrammar) expression(rng *rand.Rand, s *pcfgShape, b *strings.Builder) ([]string, bool) {
	arity := s.arity[0]
	s.arity = s.arity[1:]
	if arity == 0 {
		out := make([]string, s.items[0])
		s.items = s.items[1:]
		for i := range out {
			out[i] = g.items[rng.IntN(len(g.items))]
			b.WriteString(" " + out[i])
		}
		return out, true
	}
	f := g.unary[rng.IntN(len(g.unary))]
	if arity == 2 {
		f = g.binary[rng.IntN(len(g.binary))]
	}
	b.WriteString(" " + f.name)
	x, ok := g.expression(rng, s, b)
	if !ok {
		return nil, false
	}
	var y []string
	if f.binary {
		b.WriteString(" ,")
		if y, ok = g.expression(rng, s, b); !ok {
			return nil, false
		}
	}
	out := f.apply(x, y)
	return out, len(out) <= pcfgLimit
}
