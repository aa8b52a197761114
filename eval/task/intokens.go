package task

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// InTokens stands in the name of each task whose lengths are tokens of the model.
const InTokens = "+" + optionTokens

// mostShots is how many examples may stand before a text.
const mostShots = 16

// inTokens returns the task whose lengths are tokens of the model that is measured.
func (t Task) inTokens(given options) (Task, error) {
	shots, hay := given[optionShots], given[optionHay]
	if given[optionTokens] == "" {
		if shots+hay != "" {
			return t, fmt.Errorf("%s is for lengths in tokens: add %s", shorten(shots+hay), InTokens)
		}
		return t, nil
	}
	switch {
	case t.Hides == nil && t.Tokens == nil:
		can := tasksWith(func(t Task) bool { return t.Hides != nil || t.Tokens != nil })
		return t, fmt.Errorf("%s: its lengths are no tokens of a model; those of %s can be", optionTokens, can)
	case t.Hides == nil && shots+hay != "":
		return t, fmt.Errorf("%s: it hides nothing in a text", shorten(shots+hay))
	case given[optionPaper]+given[optionNoPrefix] != "":
		return t, fmt.Errorf("%s: with %s there is one form, and nothing is held out", given[optionPaper]+given[optionNoPrefix], optionTokens)
	}
	t.InTokens, t.Version = true, 1
	t.Name += InTokens
	t.Description, _, _ = strings.Cut(t.Description, ";")
	t.Description += "; the length is tokens of the model, of the prompt and of the room for its answer"
	t.Train, t.Beyond, t.Lengths = Range{TrainedWindow, TrainedWindow}, Range{2 * TrainedWindow, 16 * TrainedWindow}, Range{1, MaxLength}
	t.Space = func(int) float64 { return math.Inf(1) }
	t.Generate = func(_ *rand.Rand, length int) Sample { return Sample{Length: length} } // package eval makes the prompts
	if t.Hides != nil {
		t.Correct = t.Hides.Right
		t.Chance = func(int) float64 { return 0 }
	}
	if shots != "" {
		n, err := parseNumber(strings.TrimPrefix(shots, optionShots))
		if err != nil || n < 1 || n > mostShots {
			return t, fmt.Errorf("%s: want %s1 to %[2]s%d examples", shorten(shots), optionShots, mostShots)
		}
		t.Shots = n
		t.Name += fmt.Sprintf("+%s%d", optionShots, n)
	}
	if hay != "" {
		corpus, err := lookupText(hay)
		if err != nil {
			return t, err
		}
		t.Hay = corpus.Corpus
		t.Name += "+" + corpus.Name
	}
	return t, nil
}

// WithTokens returns the task with lengths in tokens of the model that is measured (Task.InTokens), and with so many examples before
// its texts, 0 for none. A task that has no such form is an error.
func (t Task) WithTokens(shots int) (Task, error) {
	name := t.Name
	if !t.InTokens {
		name += InTokens
	}
	if shots != 0 {
		name += fmt.Sprintf("+%s%d", optionShots, shots)
	}
	return Lookup(name)
}

// errInTokens is of what needs samples of a task whose prompts package eval makes.
var errInTokens = errors.New("its prompts are made for the model that is measured: leave out " + InTokens)
