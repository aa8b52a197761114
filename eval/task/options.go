package task

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// The kinds of options that a name may have after "+", in the order in which they are applied and named; layoutOptions
// lie between the first two.
const (
	optionAlphabet   = "alphabet"   // and a number of symbols
	optionScratchpad = "scratchpad" // as parseParts reads it
	optionNoPrefix   = "noprefix"
	optionPaper      = "paper"
	optionTokens     = "tokens"
	optionShots      = "shots" // and a number of examples
	optionHay        = "text:" // and the name of a corpus
)

// options are the given options by kind.
type options map[string]string

// optionKind returns the kind of an option, "" for an unknown one.
func optionKind(option string) string {
	if option == optionNoPrefix || option == optionPaper || option == optionTokens || slices.Contains(layoutOptions, option) {
		return option
	}
	for _, kind := range []string{optionAlphabet, optionShots, optionHay} {
		if strings.HasPrefix(option, kind) {
			return kind
		}
	}
	if _, err := parseParts(option); err == nil {
		return optionScratchpad
	}
	return ""
}

// apply returns t with options, which may come in any order; its name has them
// in a fixed one.
func (t Task) apply(list []string) (Task, error) {
	given := options{}
	for _, option := range list {
		kind := optionKind(option)
		switch before, twice := given[kind]; {
		case kind == "":
			return t, fmt.Errorf("task %s: unknown option %q: known: full, minimal and flags such as i1c1o1v1r0 "+
				"(scratchpad), noprefix, paper, alphabetN, tokens, shotsN, text:NAME, %s", t.Name, shorten(option), strings.Join(layoutOptions, ", "))
		case twice && before == option:
			return t, fmt.Errorf("task %s: the option %q is given twice", t.Name, shorten(option))
		case twice:
			return t, fmt.Errorf("task %s: the option %q comes after %q: give one of the two", t.Name, shorten(option), before)
		}
		given[kind] = option
	}
	name := t.Name
	for _, with := range []func(Task, options) (Task, error){
		Task.resized, Task.laidOut, Task.withScratchpad, Task.withoutPrefix, Task.asInPaper, Task.inTokens,
	} {
		var err error
		if t, err = with(t, given); err != nil {
			return t, fmt.Errorf("task %s: %w", name, err)
		}
	}
	return t, nil
}

// asInPaper draws all splits from the same prompts, except of a task whose prompts can be listed.
func (t Task) asInPaper(given options) (Task, error) {
	if given[optionPaper] == "" {
		return t, nil
	}
	t.Overlap = true
	if t.Each != nil {
		t.Listed = sync.OnceValue(t.trainingList)
		t.Version++ // before, all splits had the same prompts
	}
	t.Name += "+" + optionPaper
	return t, nil
}

// withoutPrefix drops the constant first words. The space after them stays, so
// that the first token is one that occurs elsewhere too and marks no beginning.
func (t Task) withoutPrefix(given options) (Task, error) {
	if given[optionNoPrefix] == "" {
		return t, nil
	}
	if t.Prefix == "" {
		return t, fmt.Errorf("%s: its prompts have no constant first words to drop", optionNoPrefix)
	}
	generate, each, read, prefix := t.Generate, t.Each, t.Read, t.Prefix
	without := func(s Sample) Sample {
		s.Prompt = strings.TrimPrefix(s.Prompt, prefix)
		return s
	}
	t.Generate = func(rng *rand.Rand, length int) Sample { return without(generate(rng, length)) }
	t.Texts = slices.Clone(t.Texts)
	for i, text := range t.Texts {
		t.Texts[i] = strings.TrimPrefix(text, prefix)
	}
	if each != nil {
		t.Each = func(yield func(Sample) bool) {
			each(func(s Sample) bool { return yield(without(s)) })
		}
	}
	if read != nil {
		t.Read = func(files ...io.Reader) ([]Sample, error) {
			all, err := read(files...)
			for i, s := range all {
				all[i] = without(s)
			}
			return all, err
		}
	}
	t.Prefix, t.dropped = "", prefix
	t.Name += "+" + optionNoPrefix
	return t, nil
}
