package task

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// addition adds two numbers, digits apart. The pair of digit counts is uniform
// among those whose maximum is the length, and so is each number among those with
// its count of digits.
//
//	Compute 4 8 0 + 6 7 ? ⏵ The answer is 5 4 7.
func addition() Task {
	t := mathematical(Task{
		Name:        "addition",
		Description: "add two numbers; the length is the number of digits of the one with more",
		Train:       Range{1, 8},
		Prefix:      "Compute",
		Texts:       []string{"Compute 0 1 2 3 4 5 6 7 8 9 + ? The answer is 5."},
		Space: func(n int) float64 {
			if n == 1 {
				return 100
			}
			return math.Pow(100, float64(n)) * 0.99
		},
		Weight: func(n int) float64 { return float64(2*n - 1) }, // the paper spreads evenly over pairs of digit counts
		Chance: func(n int) float64 { // one of the numbers that can be a sum
			if n == 1 {
				return 1.0 / 19
			}
			return 1 / (1.9*math.Pow(10, float64(n)) - 1)
		},
	}, scratch{draw: drawAddition, variables: true, pieces: step{
		Input: "0, 1", Computation: "+ carry = 10123456789", Output: "0", Variables: "carry: 1", Remaining: "0 + 1",
	}, ends: []string{" + "}})
	t.layouts = additionIn
	return t
}

// sum is a + b; both are digits, the highest first.
type sum struct{ a, b []byte }

func drawAddition(rng *rand.Rand, length int) problem {
	a, b := length, length
	if cell := rng.IntN(2*length - 1); cell < length {
		b = cell + 1
	} else {
		a = cell - length + 1
	}
	return sum{drawNumber(rng, a), drawNumber(rng, b)}
}

// drawNumber draws a number of exactly n digits; one digit may be 0.
func drawNumber(rng *rand.Rand, n int) []byte {
	digits := lists.Make(n, func(int) byte { return byte(rng.IntN(10)) })
	if n > 1 {
		digits[0] = byte(1 + rng.IntN(9))
	}
	return digits
}

func (s sum) prompt() string { return "Compute " + apart(s.a) + " + " + apart(s.b) + " ? " }

func (s sum) answer() string { return answerOpening + " " + apart(s.total()) + "." }

// total returns the digits of the sum, the highest first.
func (s sum) total() []byte {
	digits := make([]byte, 0, len(s.a)+1)
	carry := byte(0)
	for i := range max(len(s.a), len(s.b)) {
		v := digitAt(s.a, i) + digitAt(s.b, i) + carry
		digits, carry = append(digits, v%10), v/10
	}
	if carry > 0 {
		digits = append(digits, carry)
	}
	slices.Reverse(digits)
	return digits
}

func (s sum) steps() []step {
	var out []step
	n := max(len(s.a), len(s.b))
	carry := byte(0)
	for i := 0; i < n || carry > 0; i++ { // a carry that is left has a step of its own
		x, y := digitAt(s.a, i), digitAt(s.b, i)
		v := x + y + carry
		out = append(out, step{
			Input:       fmt.Sprintf("%d, %d", x, y),
			Computation: fmt.Sprintf("%d + %d + carry = %d + %d = %d", x, y, x+y, carry, v),
			Output:      fmt.Sprint(v % 10),
			Variables:   fmt.Sprintf("carry: %d", v/10),
			Remaining:   remaining(s.a, n, i+1) + " + " + remaining(s.b, n, i+1),
		})
		carry = v / 10
	}
	return out
}

// remaining is what is left of an operand of n places after the last used ones:
// a number without leading zeros, nothing at the end.
func remaining(digits []byte, n, used int) string {
	switch {
	case used >= n:
		return ""
	case used >= len(digits):
		return "0"
	}
	return apart(digits[:len(digits)-used])
}

// digitAt returns the digit of weight 10^i.
func digitAt(digits []byte, i int) byte {
	if i >= len(digits) {
		return 0
	}
	return digits[len(digits)-1-i]
}

// apart writes digits with spaces between them.
func apart(digits []byte) string {
	var b strings.Builder
	for i, d := range digits {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte('0' + d)
	}
	return b.String()
}

// number writes a whole number with its digits and its sign apart: "- 1 2".
func number(n int) string { return spaced(fmt.Sprint(n)) }

// spaced puts spaces between the characters of a text.
func spaced(text string) string { return strings.Join(strings.Split(text, ""), " ") }
