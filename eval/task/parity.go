package task

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/nopezoo/zoo/internal/lists"
)

// parity asks whether the ones among fair bits are even in number.
//
//	Is the number of 1's even in the sequence [ 0, 1, 1, 1 ] ? ⏵ The answer is No.
func parity() Task {
	return mathematical(Task{
		Name:        "parity",
		Description: "say whether the number of ones is even; the length is the number of bits",
		Train:       Range{4, 8},
		Prefix:      "Is the number of 1's even in the sequence [",
		Texts:       []string{"Is the number of 1's even in the sequence [ 0, 1 ] ? The answer is Yes. No."},
		Space:       func(n int) float64 { return math.Pow(2, float64(n)) },
		Correct:     sameYesNo,
		Chance:      func(int) float64 { return 0.5 },
	}, scratch{draw: drawParity, variables: true, pieces: step{
		Input: "1", Computation: "1 ** par = 1 ** 0", Output: "0", Variables: "par: 0", Remaining: "[ 0, 1 ]",
	}, ends: []string{"[ ]"}})
}

type bits []int

func drawParity(rng *rand.Rand, length int) problem {
	return bits(lists.Make(length, func(int) int { return rng.IntN(2) }))
}

func (b bits) String() string { return "[ " + join(b, ", ", number) + " ]" }

func (b bits) prompt() string {
	return "Is the number of 1's even in the sequence " + b.String() + " ? "
}

func (b bits) answer() string {
	odd := 0
	for _, bit := range b {
		odd ^= bit
	}
	if odd == 1 {
		return "The answer is No."
	}
	return "The answer is Yes."
}

func (b bits) steps() []step {
	out := make([]step, len(b))
	odd := 0
	for i, bit := range b {
		next := odd ^ bit
		out[i] = step{
			Input:       number(bit),
			Computation: fmt.Sprintf("%d ** par = %d ** %d", bit, bit, odd), // "**" stands for exclusive or
			Output:      number(next),
			Variables:   fmt.Sprintf("par: %d", next),
			Remaining:   b[i+1:].String(),
		}
		odd = next
	}
	return out
}
