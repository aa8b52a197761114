package task

import (
	"math"
	"math/rand/v2"
	"strings"
)

// longestScan is the most actions that a command has.
const longestScan = 48

// scan translates commands into actions (see scangrammar.go); the split by
// length is the one of the paper: up to 25 actions for training, more for
// testing. A command of a length is drawn uniformly.
//
//	Solve: turn left and jump twice[SEP] ⏵ Left Jump Jump
func scan() Task {
	g := newScanGrammar()
	return Task{
		Name:        "scan",
		Version:     1,
		Description: "turn a command into actions; the length is the number of actions",
		Train:       Range{1, 25},
		Beyond:      Range{26, longestScan},
		Lengths:     Range{1, longestScan},
		Has:         func(n int) bool { return g.count(n) > 0 },
		Space:       func(n int) float64 { return float64(g.count(n)) },
		Weight:      func(n int) float64 { return float64(g.count(n)) },
		Special:     []string{"[SEP]"},
		Texts: []string{"Solve: walk look run jump turn left right opposite around twice thrice and after[SEP]" +
			" Walk Look Run Jump Left Right"},
		Prefix:   "Solve:",
		Generate: g.draw,
		Correct:  sameWords,
		Chance:   func(n int) float64 { return math.Pow(6, -float64(n)) },
		Answer: func(prompt string) (string, error) {
			actions, err := scanActions(solved(prompt))
			return strings.Join(actions, " "), err
		},
		Each: g.each,
		Read: readSCAN,
	}
}

// solved returns what stands between "Solve:" and "[SEP]", either of which may
// be missing.
func solved(prompt string) string {
	s := strings.TrimPrefix(strings.TrimSpace(prompt), "Solve:")
	return strings.TrimSpace(strings.TrimSuffix(s, "[SEP]"))
}

// scanGrammar holds the phrases, also by their number of actions.
type scanGrammar struct {
	phrases  []phrase
	byLength [longestScan/2 + 1][]phrase
}

func newScanGrammar() *scanGrammar {
	g := &scanGrammar{phrases: scanPhrases()}
	for _, p := range g.phrases {
		g.byLength[len(p.actions)] = append(g.byLength[len(p.actions)], p)
	}
	return g
}

// withActions returns the phrases with n actions.
func (g *scanGrammar) withActions(n int) []phrase {
	if n < 0 || n >= len(g.byLength) {
		return nil
	}
	return g.byLength[n]
}

// count returns the number of commands with n actions.
func (g *scanGrammar) count(n int) int {
	sum := len(g.withActions(n))
	for k := range n {
		sum += 2 * len(g.withActions(k)) * len(g.withActions(n-k))
	}
	return sum
}

// draw numbers the commands of a length, single phrases first, and takes one.
func (g *scanGrammar) draw(rng *rand.Rand, length int) Sample {
	at := rng.IntN(g.count(length))
	if at < len(g.withActions(length)) {
		return scanSample(g.withActions(length)[at].text, g.withActions(length)[at].actions)
	}
	at -= len(g.withActions(length))
	for k := 1; ; k++ {
		xs, ys := g.withActions(k), g.withActions(length-k)
		pairs := len(xs) * len(ys)
		if at >= 2*pairs {
			at -= 2 * pairs
			continue
		}
		return joined(xs[at%pairs/len(ys)], ys[at%pairs%len(ys)], at >= pairs)
	}
}

// joined is the command of which x is done first.
func joined(x, y phrase, after bool) Sample {
	actions := append(x.actions[:len(x.actions):len(x.actions)], y.actions...)
	if after {
		return scanSample(y.text+" after "+x.text, actions)
	}
	return scanSample(x.text+" and "+y.text, actions)
}

func (g *scanGrammar) each(yield func(Sample) bool) {
	for _, p := range g.phrases {
		if !yield(scanSample(p.text, p.actions)) {
			return
		}
	}
	for _, after := range []bool{false, true} {
		for _, x := range g.phrases {
			for _, y := range g.phrases {
				if !yield(joined(x, y, after)) {
					return
				}
			}
		}
	}
}

func scanSample(command string, actions []string) Sample {
	return Sample{Prompt: "Solve: " + command + "[SEP] ", Target: strings.Join(actions, " "), Length: len(actions)}
}
