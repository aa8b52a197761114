package task

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// mqarPower is the exponent a of Zoology's gaps: a query is g places behind the pairs with
// a share that is proportional to (g+1)^(a−1), nearly 1/(g+1).
const mqarPower = 0.01

// mqarBlank stands in a place without a query.
const mqarBlank = "."

// mqar is multi-query associative recall (Arora et al., Zoology: Measuring and Improving
// Recall in Efficient Language Models, 2023, arXiv 2312.04927). Half of the symbols are
// keys and half values. Pairs of different keys and different values come first, then
// twice as many places as there are pairs, in which each key stands once, at a gap that
// has a power law. The answer has the keys in the order of their places, each with its
// value. The length is the number of pairs.
//
//	[BOS] ac jb bd fu [SEP] bd . . ac [SEP] ⏵ bd fu ac jb
//
// Differences from the paper: there the value is asked for at the place of the query, and
// what stands in the other places is random and not scored; here both are asked for in the
// answer, so queries have to be copied, and each recall is from a key to its value as
// there. There a sequence has from 4 to 16 tokens for each pair, trained with 4 to 64
// pairs, and 8,192 symbols (mqar+alphabet8192).
func mqar() Task {
	return withAlphabet(symbolSet{size: 256, min: 128, max: 8192, with: func(size int) Task {
		all := symbols(size)
		keys, values := all[:size/2], all[size/2:]
		lnPairs := func(n int) float64 { return lnArrangements(len(keys), n) + lnArrangements(len(values), n) }
		return Task{
			Name:        "mqar",
			Version:     1,
			Description: "recall the values of keys, in the order of queries; the length is the number of pairs",
			Train:       Range{4, 16},
			Beyond:      Range{17, 64},
			Lengths:     Range{1, len(keys)},
			Special:     []string{"[BOS]", "[SEP]"},
			Prefix:      "[BOS]",
			Texts:       []string{"[BOS] " + once(all) + " [SEP] " + mqarBlank + " [SEP] "},
			Space:       func(n int) float64 { return math.Round(math.Exp(lnPairs(n) + lnArrangements(2*n, n))) },
			Generate: func(rng *rand.Rand, length int) Sample {
				return recallSample(shuffled(rng, keys, length), shuffled(rng, values, length), drawGaps(rng, length, 2*length))
			},
			Correct: sameWords,
			Chance:  func(n int) float64 { return math.Exp(-lnPairs(n)) }, // ordered keys, and a value for each
			Answer:  recallAnswer,
		}
	}})
}

// recallSample has the query of key i in the place gaps[i].
func recallSample(keys, values []string, gaps []int) Sample {
	places := slices.Repeat([]string{mqarBlank}, 2*len(keys))
	var pairs, answer []string
	for i, k := range keys {
		pairs = append(pairs, k, values[i])
		places[gaps[i]] = k
	}
	for _, k := range places {
		if i := slices.Index(keys, k); i >= 0 {
			answer = append(answer, k, values[i])
		}
	}
	return Sample{
		Prompt: "[BOS] " + once(pairs) + " [SEP] " + once(places) + " [SEP] ",
		Target: once(answer),
		Length: len(keys),
	}
}

// drawGaps draws n of so many places without replacement, one after another, each with a
// share by the power law among those that are left. The order of the times at which
// places with such rates come first is that of such draws.
func drawGaps(rng *rand.Rand, n, places int) []int {
	times, order := make([]float64, places), make([]int, places)
	for g := range places {
		times[g], order[g] = rng.ExpFloat64()*math.Pow(float64(g+1), 1-mqarPower), g
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	return order[:n]
}

// recallAnswer returns the answer of a prompt.
func recallAnswer(prompt string) (string, error) {
	parts := strings.Split(strings.TrimPrefix(strings.TrimSpace(prompt), "[BOS]"), "[SEP]")
	if len(parts) < 2 || len(parts) > 3 {
		return "", errors.New("expected pairs of key and value, [SEP], and queries")
	}
	pairs := strings.Fields(parts[0])
	if len(pairs)%2 != 0 {
		return "", fmt.Errorf("the key %q has no value", shorten(pairs[len(pairs)-1]))
	}
	value := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		if value[pairs[i]] != "" {
			return "", fmt.Errorf("the key %q has two values", shorten(pairs[i]))
		}
		value[pairs[i]] = pairs[i+1]
	}
	var answer []string
	for _, k := range strings.Fields(parts[1]) {
		if k == mqarBlank {
			continue
		}
		if value[k] == "" {
			return "", fmt.Errorf("the query %q is none of the keys", shorten(k))
		}
		answer = append(answer, k, value[k])
	}
	if len(answer) == 0 {
		return "", errors.New("no queries")
	}
	return once(answer), nil
}
