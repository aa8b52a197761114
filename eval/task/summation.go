package task

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/nopezoo/zoo/internal/lists"
)

// summation adds digits modulo 10, which the prompt does not mention. The
// addends are uniform in 1..9.
//
//	Compute: 4 + 5 + 6 .[SEP] ⏵ The answer is 5 .
func summation() Task {
	return mathematical(Task{
		Name:        "summation",
		Description: "add digits modulo 10; the length is the number of addends",
		Train:       Range{2, 8},
		Prefix:      "Compute:",
		Special:     []string{"[SEP]"},
		Texts:       []string{"Compute: 1 2 3 4 5 6 7 8 9 + .[SEP] The answer is 0 ."},
		Space:       func(n int) float64 { return math.Pow(9, float64(n)) },
		Chance:      func(int) float64 { return 0.1 },
	}, scratch{draw: drawSummation, variables: true, pieces: step{
		Input: "5", Computation: "5 + sum = 0 + 5 =", Output: "5 0", Variables: "sum: 1 0 = 0", Remaining: "5",
	}, ends: []string{""}})
}

type addends []int

func drawSummation(rng *rand.Rand, length int) problem {
	return addends(lists.Make(length, func(int) int { return 1 + rng.IntN(9) }))
}

func (a addends) String() string { return join(a, " + ", number) }

func (a addends) prompt() string { return "Compute: " + a.String() + " .[SEP] " }

func (a addends) answer() string {
	sum := 0
	for _, n := range a {
		sum = (sum + n) % 10
	}
	return "The answer is " + number(sum) + " ."
}

func (a addends) steps() []step {
	out := make([]step, len(a))
	sum := 0
	for i, n := range a {
		v := sum + n
		out[i] = step{
			Input:       number(n),
			Computation: fmt.Sprintf("%d + sum = %d + %d =", n, n, sum),
			Output:      number(v),
			Variables:   fmt.Sprintf("sum: %s = %d", number(v), v%10),
			Remaining:   a[i+1:].String(),
		}
		sum = v % 10
	}
	return out
}
