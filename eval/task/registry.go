package task

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/tokenizer"
)

// All returns every task without options, one row each: this package's, and
// after them what was registered.
func All() []Task {
	return append([]Task{
		copyWords(),
		copyTwice(),
		copySame(1),
		copySame(2),
		replaceWord(),
		reverseWords(),
		reverseTwice(),
		reverseBack(),
		addition(),
		polynomial(),
		sortingSingle(),
		sortingMulti(),
		summation(),
		parity(),
		lego(),
		scan(),
		pcfg(),
		uniqueCopy(),
		uniqueSort(),
		majority(),
		majorityBinary(),
		majorityInterleaved(),
		repeatCopy(),
		parityUniform(),
		additionBinary(),
		flipFlop("flip-flop", 0.8),
		flipFlop("flip-flop-sparse", 0.98),
		flipFlop("flip-flop-dense", 0.1),
		wordProblem("word-problem-s5", false),
		wordProblem("word-problem-a5", true),
		mqar(),
		induction(),
		passkey(),
		needle(),
		manyNeedles(),
		chainOfNames(),
	}, registered...)
}

// Known lists the names of All.
func Known() []string {
	return lists.Map(All(), func(t Task) string { return t.Name })
}

// Lookup returns the task of a name or alias, with the options that follow it, or that
// of a file (see the package comment). An unknown name is an error that names the nearest
// (see Unknown).
func Lookup(name string) (Task, error) {
	switch k, _ := kindOf(name); k {
	case fileKind:
		return lookupFile(name)
	case textKind:
		return lookupText(name)
	}
	words := strings.Split(name, "+")
	var names []string
	for _, t := range All() {
		if words[0] == t.Name || slices.Contains(t.Aliases, words[0]) {
			return t.apply(words[1:])
		}
		names = append(append(names, t.Name), t.Aliases...)
	}
	for _, k := range []kind{fileKind, textKind} {
		if strings.HasPrefix(name, k.label) {
			return Task{}, fmt.Errorf("task %s comes from a file: name it %sPATH", shorten(name), k.prefix)
		}
	}
	return Task{}, suggest.Unknown("task", words[0], names)
}

// LookupList returns the tasks of a list of names with commas: a mixture. Each has the
// options too. Naming one twice is an error.
func LookupList(list string, options ...string) ([]Task, error) {
	var out []Task
	for name := range strings.SplitSeq(list, ",") {
		t, err := Lookup(strings.Join(append([]string{strings.TrimSpace(name)}, options...), "+"))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o Task) bool { return o.Name == t.Name }) {
			return nil, fmt.Errorf("task %s is named twice", t.Name)
		}
		out = append(out, t)
	}
	return out, nil
}

// Names returns the names of tasks as LookupList reads them.
func Names(tasks []Task) string {
	return join(tasks, ",", func(t Task) string { return cmp.Or(t.stored, t.Name) })
}

// Vocabulary returns the pieces of all the tasks together under one of package
// tokenizer's rules: "word" (or ""), "char" or "byte". For one task and words it
// is Task.Vocabulary.
//
// Of corpora "" stands for "byte", and the one other rule is "bpe:2048" or another size, which
// learns subwords from the training documents, and so reads them.
func Vocabulary(rule string, tasks ...Task) ([]string, error) {
	if slices.ContainsFunc(tasks, func(t Task) bool { return t.Corpus != nil }) {
		if rule = cmp.Or(rule, tokenizer.Bytes); rule != tokenizer.Bytes {
			return subwords(rule, tasks)
		}
	}
	if strings.HasPrefix(rule, tokenizer.BPE) {
		return nil, fmt.Errorf("rule %q: subwords are learnt from running text, and task %s is none: choose %s, %s or %s",
			rule, Names(tasks), tokenizer.Words, tokenizer.Characters, tokenizer.Bytes)
	}
	var special, texts []string
	for _, t := range tasks {
		special, texts = append(special, t.Special...), append(texts, t.Texts...)
	}
	pieces, err := tokenizer.Vocabulary(rule, special, texts...)
	return slices.Clip(pieces), err
}

// Related reports whether two lists of names with commas have a task in common,
// with any options.
func Related(x, y string) bool {
	for name := range strings.SplitSeq(x, ",") {
		for other := range strings.SplitSeq(y, ",") {
			x, _ := Label(base(name))
			if y, _ := Label(base(other)); x == y {
				return true
			}
		}
	}
	return false
}

// base returns the name in All of a task's name or alias with options; a name that is
// none is returned as it is, and so is the name of a file.
func base(name string) string {
	if _, ok := kindOf(name); ok {
		return name
	}
	t, err := Lookup(strings.TrimSpace(name))
	if err != nil {
		return name
	}
	name, _, _ = strings.Cut(t.Name, "+")
	return name
}
