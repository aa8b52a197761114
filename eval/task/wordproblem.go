package task

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// permuted is the number of letters that the elements of the groups S5 and A5 permute.
const permuted = 5

// wordProblem asks for the product of elements of S5, all permutations of five letters, or
// of A5, the even ones: the task of Merrill et al., The Illusion of State in State-Space
// Models (2024), arXiv 2404.08819, and of Liu et al., Transformers Learn Shortcuts to
// Automata (2023), arXiv 2210.10749. Neither group is solvable, so the word problem
// of each is complete for NC1. Elements are uniform. One is written as what it makes of abcde:
// bacde swaps the first two letters. Of a product the left factor acts first.
//
//	[BOS] bacde acbde [SEP] ⏵ cabde
//
// Differences from the papers: they ask for the product of every prefix, here the product of the
// whole word alone is asked for, and each element is one token whose letters no model sees.
func wordProblem(name string, even bool) Task {
	elements := permutations(even)
	names := lists.Map(elements, permutation.String)
	group := "permutations of five letters (S5)"
	if even {
		group = "even permutations of five letters (A5)"
	}
	order := float64(len(elements))
	t := symbolTask(Task{
		Name:        name,
		Description: "multiply " + group + "; the length is the number of factors",
		Train:       Range{1, 25},
		Space:       func(n int) float64 { return math.Pow(order, float64(n)) },
		Chance:      func(int) float64 { return 1 / order },
	}, names, func(rng *rand.Rand, length int) (prompt, answer []string) {
		product := elements[0]
		for range length {
			at := rng.IntN(len(elements))
			prompt, product = append(prompt, names[at]), product.then(elements[at])
		}
		return prompt, []string{product.String()}
	})
	t.Answer = func(prompt string) (string, error) {
		text := strings.TrimPrefix(strings.TrimSpace(prompt), "[BOS]")
		factors := strings.Fields(strings.TrimSuffix(text, "[SEP]"))
		product := elements[0]
		for i, f := range factors {
			at := slices.Index(names, f)
			if at < 0 {
				return "", fmt.Errorf("factor %d, %q, is none of the %d elements", i+1, shorten(f), len(names))
			}
			product = product.then(elements[at])
		}
		if len(factors) == 0 {
			return "", errors.New("no factors")
		}
		return product.String(), nil
	}
	return t
}

// permutation maps a letter's index to the index of the letter in its place.
type permutation [permuted]int

// permutations lists the even ones, or all, in the order of their names: the identity first.
func permutations(even bool) []permutation {
	var out []permutation
	var extend func(p permutation, n, inversions int)
	extend = func(p permutation, n, inversions int) {
		if n == permuted {
			if !even || inversions%2 == 0 {
				out = append(out, p)
			}
			return
		}
		for next := range permuted {
			if slices.Contains(p[:n], next) {
				continue
			}
			more := inversions
			for _, earlier := range p[:n] {
				if earlier > next {
					more++
				}
			}
			p[n] = next
			extend(p, n+1, more)
		}
	}
	extend(permutation{}, 0, 0)
	return out
}

// then is the product in which p acts first.
func (p permutation) then(q permutation) permutation {
	var out permutation
	for i := range out {
		out[i] = q[p[i]]
	}
	return out
}

// String is what the permutation makes of abcde.
func (p permutation) String() string {
	var letters [permuted]byte
	for i, to := range p {
		letters[i] = byte('a' + to)
	}
	return string(letters[:])
}
