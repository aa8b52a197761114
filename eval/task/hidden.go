package task

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// hidden is a text in which facts stand between sentences of filler, and what is asked behind it. Its
// fields are what package eval needs to fill a length in tokens of any model.
type hidden struct {
	Opening string   // what the text begins with
	Filler  []string // sentences, in this order, again and again
	Draw    func(rng *rand.Rand) secret
	// Spread says that all facts count, at random places in their order; else the first one alone is
	// asked for, whose depth can be chosen.
	Spread bool
	// Right reports whether generated, what a model wrote behind the lead, has the answer first.
	Right func(answer, generated string) bool
}

// secret is what one text hides.
type secret struct {
	Facts    []string // sentences
	Question string
	Lead     string // the beginning of the answer, which the model goes on from
	Answer   string
}

// hide completes a task of texts whose length is their number of sentences of filler.
func hide(t Task, h hidden) Task {
	t.Train, t.Beyond, t.Lengths = Range{1, 10}, Range{11, 200}, Range{1, MaxLength}
	t.Hides, t.Prefix = &h, h.Opening
	t.Generate = func(rng *rand.Rand, length int) Sample {
		s := h.Draw(rng)
		before := lists.Make(len(s.Facts), func(int) int { return rng.IntN(length + 1) }) // sentences of filler
		if h.Spread {
			slices.Sort(before)
		}
		var b strings.Builder
		b.WriteString(h.Opening)
		for i := range length + 1 {
			for k, fact := range s.Facts {
				if before[k] == i {
					b.WriteString(" " + fact)
				}
			}
			if i < length {
				b.WriteString(" " + h.Filler[i%len(h.Filler)])
			}
		}
		b.WriteString(" " + s.Question + " " + s.Lead + " ")
		return Sample{Prompt: b.String(), Target: s.Answer + ".", Length: length}
	}
	return probe(t)
}

var firstNumber = regexp.MustCompile(`\d+`)

// sameNumber compares the first number.
func sameNumber(answer, generated string) bool { return firstNumber.FindString(generated) == answer }
