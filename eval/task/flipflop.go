package task

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// The instructions of a flip-flop. A read shows the bit last written.
const (
	flipWrite  = "w"
	flipRead   = "r"
	flipIgnore = "i"
)

// flipFlop follows one bit of memory, after Liu et al., Exposing Attention Glitches with
// Flip-Flop Language Modeling (2023), arXiv 2306.00946. Instructions are ignore with the
// given probability, else write or read alike, but the first is a write and the last the
// read that is asked for. Bits that are written or to be ignored are fair; the reads in
// the prompt show the right one. The length is the number of pairs of instruction and
// bit, the one asked for included.
//
//	[BOS] w 1 i 0 w 0 r 0 i 1 r ⏵ 0
//
// Differences from the paper: there every sequence has 256 pairs, and every read counts;
// here lengths vary, and the last read alone is the target. The paper trains on .8 and
// tests on .98 and .1 as well: names are flip-flop, flip-flop-sparse and flip-flop-dense,
// which have one vocabulary, so a model of one can be measured on the others.
func flipFlop(name string, ignore float64) Task {
	return Task{
		Name:    name,
		Version: 1,
		Description: fmt.Sprintf("follow a bit of memory, %g %% of whose instructions are to be ignored; the length is "+
			"the number of instructions", 100*ignore),
		Train:   Range{2, 40},
		Beyond:  Range{41, 256},
		Lengths: Range{2, MaxLength},
		Special: []string{"[BOS]"},
		Prefix:  "[BOS]",
		Texts:   []string{"[BOS] w 0 r 1 i 0"},
		// The first pair has two forms, and each between it and the last read has five, but
		// rare ones are as good as none when prompts are divided: this is the perplexity.
		Space:    func(n int) float64 { return 2 * math.Exp(float64(n-2)*flipFlopEntropy(ignore)) },
		Generate: func(rng *rand.Rand, length int) Sample { return drawFlipFlop(rng, length, ignore) },
		Correct:  sameWords,
		Chance:   func(int) float64 { return 0.5 },
		Answer:   flipFlopAnswer,
	}
}

// flipFlopEntropy is the entropy of a pair in the middle, in nats: of two to ignore, two writes,
// and the one read that the memory allows.
func flipFlopEntropy(ignore float64) float64 {
	entropy := 0.0
	for _, p := range []float64{ignore / 2, ignore / 2, (1 - ignore) / 4, (1 - ignore) / 4, (1 - ignore) / 2} {
		entropy -= p * math.Log(p)
	}
	return entropy
}

func drawFlipFlop(rng *rand.Rand, length int, ignore float64) Sample {
	var b strings.Builder
	b.WriteString("[BOS]")
	memory := 0
	for i := range length - 1 {
		instruction := flipWrite
		if i > 0 {
			instruction = drawInstruction(rng, ignore)
		}
		bit := memory
		if instruction != flipRead {
			bit = rng.IntN(2)
		}
		if instruction == flipWrite {
			memory = bit
		}
		fmt.Fprintf(&b, " %s %d", instruction, bit)
	}
	b.WriteString(" " + flipRead + " ")
	return Sample{Prompt: b.String(), Target: number(memory), Length: length}
}

func drawInstruction(rng *rand.Rand, ignore float64) string {
	switch {
	case rng.Float64() < ignore:
		return flipIgnore
	case rng.IntN(2) == 0:
		return flipWrite
	}
	return flipRead
}

// flipFlopAnswer returns the bit that the last instruction of a prompt reads.
func flipFlopAnswer(prompt string) (string, error) {
	words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(prompt), "[BOS]"))
	last := len(words) - 1
	if last < 2 || last%2 != 0 || words[0] != flipWrite || words[last] != flipRead {
		return "", errors.New("expected pairs of w, r or i and a bit, the first of them with w, and r at the end")
	}
	memory := ""
	for i := 0; i < last; i += 2 {
		instruction, bit := words[i], words[i+1]
		switch {
		case bit != "0" && bit != "1":
			return "", fmt.Errorf("%q after instruction %d is no bit", shorten(bit), i/2+1)
		case instruction == flipWrite:
			memory = bit
		case instruction == flipRead && bit != memory:
			return "", fmt.Errorf("instruction %d reads %s where %s was written", i/2+1, bit, memory)
		case instruction != flipRead && instruction != flipIgnore:
			return "", fmt.Errorf("instruction %d is %q; known: w, r, i", i/2+1, shorten(instruction))
		}
	}
	return memory, nil
}
