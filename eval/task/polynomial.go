package task

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/nopezoo/zoo/internal/lists"
)

// polynomial evaluates a sum of terms modulo 10, which the prompt does not
// mention. Coefficients are uniform in −3..3, degrees in 0..3, x in −2..2.
//
//	Evaluate at x = - 2 in 3 * x ** 2 + - 1 * x ** 0 ? ⏵ The answer is 1.
func polynomial() Task {
	const pieces = "- 0 1 2 3 4 5 6 7 8 9 * x ** + "
	return mathematical(Task{
		Name:        "polynomial",
		Description: "evaluate a polynomial modulo 10; the length is the number of terms",
		Train:       Range{1, 8},
		Prefix:      "Evaluate at x =",
		Texts:       []string{"Evaluate at x = " + pieces + "in ? The answer is 5."},
		Space:       func(n int) float64 { return 5 * math.Pow(28, float64(n)) },
		Chance:      func(int) float64 { return 0.1 },
	}, scratch{draw: drawPolynomial, variables: true, pieces: step{
		Input: "3 * x", Computation: "=", Output: "0", Variables: "sum: 0 = 0", Remaining: "x",
	}, ends: []string{""}})
}

type evaluation struct {
	x     int
	terms []term
}

type term struct{ coefficient, degree int }

func drawPolynomial(rng *rand.Rand, length int) problem {
	x := rng.IntN(5) - 2
	return evaluation{x: x, terms: lists.Make(length, func(int) term { return term{rng.IntN(7) - 3, rng.IntN(4)} })}
}

func (t term) String() string { return number(t.coefficient) + " * x ** " + number(t.degree) }

func (t term) power(x int) int {
	p := 1
	for range t.degree {
		p *= x
	}
	return p
}

func (e evaluation) prompt() string {
	return "Evaluate at x = " + number(e.x) + " in " + join(e.terms, " + ", term.String) + " ? "
}

func (e evaluation) answer() string {
	sum := 0
	for _, t := range e.terms {
		sum = modulo10(sum + t.coefficient*t.power(e.x))
	}
	return "The answer is " + number(sum) + "."
}

// modulo10 is never negative.
func modulo10(n int) int { return ((n % 10) + 10) % 10 }

func (e evaluation) steps() []step {
	out := make([]step, len(e.terms))
	sum := 0
	for i, t := range e.terms {
		c, power := number(t.coefficient), t.power(e.x)
		value := t.coefficient * power
		next := modulo10(sum + value)
		out[i] = step{
			Input:       t.String(),
			Computation: fmt.Sprintf("%s * %s ** %s = %s * %s", c, number(e.x), number(t.degree), c, number(power)),
			Output:      number(value),
			Variables:   fmt.Sprintf("sum: %s + %s = %s", number(sum), number(value), number(next)),
			Remaining:   join(e.terms[i+1:], " + ", term.String),
		}
		sum = next
	}
	return out
}
