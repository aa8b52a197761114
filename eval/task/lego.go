package task

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// lego follows a chain of variables, each plus or minus the one before. Names
// are drawn from 26 letters without replacement, values are fair, and the
// variable asked for is one of the second half of the chain.
//
//	If t = -1, g = - t, p = + g. Then, what is the value of p? ⏵ The answer is +1.
func lego() Task {
	letters := spaced(alphabet)
	return mathematical(Task{
		Name:        "lego",
		Description: "follow a chain of signs; the length is the number of variables, each a letter of its own",
		Train:       Range{4, 8},
		Lengths:     Range{2, len(alphabet)},
		Prefix:      "If",
		Texts:       []string{"If " + letters + " = -1, = +1. Then, what is the value of p? The answer is -1."},
		Space: func(n int) float64 {
			count := float64(n / 2) // variables that can be asked for
			for i := range n {
				count *= float64(2 * (len(alphabet) - i))
			}
			return count
		},
		Chance: func(int) float64 { return 0.5 },
	}, scratch{draw: drawLego, pieces: step{
		Input: "g", Computation: "- t = + -1", Output: "+1", Remaining: "g = - t, p = + g",
	}, ends: []string{"", "p = + g"}})
}

const alphabet = "abcdefghijklmnopqrstuvwxyz"

// chain holds the variables in the order of the clauses.
type chain struct {
	names  []byte
	values []int // 1 or −1
	asked  int
}

func drawLego(rng *rand.Rand, length int) problem {
	names := []byte(alphabet)
	for i := range length {
		k := i + rng.IntN(len(names)-i)
		names[i], names[k] = names[k], names[i]
	}
	c := chain{names: names[:length], values: lists.Make(length, func(int) int { return 1 - 2*rng.IntN(2) })}
	half := (length + 1) / 2
	c.asked = half + rng.IntN(length-half)
	return c
}

// right is the right-hand side of a clause.
func (c chain) right(i int) string {
	if i == 0 {
		return fmt.Sprintf("%+d", c.values[0])
	}
	return fmt.Sprintf("%c %c", c.sign(i), c.names[i-1])
}

// sign is the sign with which variable i depends on the one before.
func (c chain) sign(i int) byte {
	if c.values[i] == c.values[i-1] {
		return '+'
	}
	return '-'
}

func (c chain) clauses(from int) string {
	var all []string
	for i := from; i < len(c.names); i++ {
		all = append(all, fmt.Sprintf("%c = %s", c.names[i], c.right(i)))
	}
	return strings.Join(all, ", ")
}

func (c chain) prompt() string {
	return fmt.Sprintf("If %s. Then, what is the value of %c? ", c.clauses(0), c.names[c.asked])
}

func (c chain) answer() string { return fmt.Sprintf("The answer is %+d.", c.values[c.asked]) }

func (c chain) steps() []step {
	out := make([]step, c.asked+1)
	for i := range out {
		out[i] = step{Input: string(c.names[i]), Output: fmt.Sprintf("%+d", c.values[i]), Remaining: c.clauses(i + 1)}
		if i > 0 {
			out[i].Computation = fmt.Sprintf("%s = %c %+d", c.right(i), c.sign(i), c.values[i-1])
		}
	}
	return out
}
