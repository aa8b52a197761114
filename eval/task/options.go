package task

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// Options that a name can have beside a scratchpad, an alphabet and a layout.
const (
	optionNoPrefix = "noprefix"
	optionPaper    = "paper"
)

// apply returns t with options, which may come in any order; its name has them
// in a fixed one.
func (t Task) apply(options []string) (Task, error) {
	base := t
	var scratchpad, noPrefix, paper, size string
	var layouts []string
	for _, o := range options {
		slot := &scratchpad
		switch {
		case o == optionNoPrefix:
			slot = &noPrefix
		case o == optionPaper:
			slot = &paper
		case strings.HasPrefix(o, optionAlphabet):
			slot = &size
		case slices.Contains(layoutOptions(), o):
			if slices.Contains(layouts, o) {
				return t, fmt.Errorf("task %s: the option %q is given twice", base.Name, o)
			}
			layouts = append(layouts, o)
			continue
		default:
			if _, err := ParseFlags(o); err != nil {
				return t, fmt.Errorf("task %s: unknown option %q: known: full, minimal and flags such as i1c1o1v1r0 "+
					"(scratchpad), noprefix, paper, alphabetN, %s", base.Name, shorten(o), strings.Join(layoutOptions(), ", "))
			}
		}
		if *slot != "" {
			return t, fmt.Errorf("task %s: the option %q comes after %q: give one of the two", base.Name, shorten(o),
				*slot)
		}
		*slot = o
	}
	if size != "" {
		resized, err := t.resized(size)
		if err != nil {
			return t, fmt.Errorf("task %s: %w", base.Name, err)
		}
		t = resized
	}
	if len(layouts) > 0 {
		if scratchpad != "" {
			return t, fmt.Errorf("task %s: a scratchpad (%s) takes digits in its own order and form: leave it or %s out",
				base.Name, scratchpad, strings.Join(layouts, ", "))
		}
		laid, err := t.laidOut(layouts)
		if err != nil {
			return t, fmt.Errorf("task %s: %w", base.Name, err)
		}
		t = laid
	}
	if scratchpad != "" {
		with, name, err := t.withScratchpad(scratchpad, paper != "")
		if err != nil {
			return t, fmt.Errorf("task %s: %w", base.Name, err)
		}
		t = with
		t.Name += "+" + name
	}
	if noPrefix != "" {
		if t.Prefix == "" {
			return t, fmt.Errorf("task %s: noprefix: its prompts have no constant first words to drop", base.Name)
		}
		t = t.withoutPrefix()
		t.Name += "+" + noPrefix
	}
	if paper != "" {
		t.Overlap = true
		if t.Each != nil {
			t.Listed = sync.OnceValue(t.trainingList)
			t.Version++ // before, all splits had the same prompts
		}
		t.Name += "+" + paper
	}
	return t, nil
}

// withoutPrefix drops the constant first words. The space after them stays, so
// that the first token is one that occurs elsewhere too and marks no beginning.
func (t Task) withoutPrefix() Task {
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
	return t
}
