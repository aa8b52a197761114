package train_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// on returns the micro run on other data.
func on(name, lengths string, steps int) runfile.Config {
	c := micro("nope", steps)
	c.Train.Task, c.Train.Lengths = name, lengths
	return c
}

func texts(t testing.TB, c runfile.Config, step int) []string {
	t.Helper()
	out, err := train.Decode(c, step)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every task, under every option and rule, gives batches of its vocabulary at its
// own trained lengths.
func TestEveryTaskTrains(t *testing.T) {
	for _, k := range task.All() {
		names := []string{k.Name, k.Name + "+noprefix", k.Name + "+paper"}
		if _, err := task.Lookup(k.Name + "+full"); err == nil {
			names = append(names, k.Name+"+full", k.Name+"+minimal")
		}
		for _, name := range names {
			for _, rule := range []string{"", "char", "byte"} {
				c := on(name, "", 1)
				c.Train.Tokenizer = rule
				c, err := c.Resolve()
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if want := k.Train.String(); c.Train.Lengths != want || c.Train.Task != name {
					t.Errorf("%s: resolved to task %s, lengths %s", name, c.Train.Task, c.Train.Lengths)
				}
				for _, s := range texts(t, c, 3) {
					if !strings.HasPrefix(s, k.Prefix) && !strings.Contains(name, "noprefix") {
						t.Errorf("%s %s: sequence %q", name, rule, s)
					}
				}
			}
		}
	}
}

// A step's data depends on seed and step alone, not on the steps before; this is
// what makes a resumed run exact.
func TestDataIsAFunctionOfTheStep(t *testing.T) {
	fixed := on("parity,reverse+noprefix", "2..5", 1)
	fixed.Train.Examples = 20
	for _, c := range []runfile.Config{on("copy", "1..6", 1), on("addition,copy,scan", "", 1), fixed} {
		for _, step := range []int{7, 0, 3, 7} {
			if diff := cmp.Diff(texts(t, c, step), texts(t, c, step)); diff != "" {
				t.Errorf("%s, step %d:\n%s", c.Train.Task, step, diff)
			}
		}
		if cmp.Equal(texts(t, c, 0), texts(t, c, 1)) {
			t.Errorf("%s: two steps are alike", c.Train.Task)
		}
		other := c
		other.Train.Seed++
		if cmp.Equal(texts(t, c, 0), texts(t, other, 0)) {
			t.Errorf("%s: two seeds are alike", c.Train.Task)
		}
	}
}

func TestMixture(t *testing.T) {
	c := on("copy, addition+minimal ,parity", "", 1)
	c.Train.Batch = 600
	c, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if c.Train.Task != "copy,addition+minimal,parity" || c.Train.Lengths != "2..20,1..8,4..8" {
		t.Errorf("resolved to %q at %q", c.Train.Task, c.Train.Lengths)
	}
	again, err := c.Resolve()
	if err != nil || again.Hash() != c.Hash() {
		t.Errorf("resolved again: another configuration, %v", err)
	}
	count := map[string]int{}
	for _, s := range texts(t, c, 0) {
		first, _, _ := strings.Cut(s, " ")
		count[first]++
	}
	for _, first := range []string{"Copy:", "Compute", "Is"} {
		if n := count[first]; n < 140 || n > 260 || len(count) != 3 { // five standard deviations of 11.5
			t.Errorf("%d of 600 sequences begin with %q, want about 200; all: %v", n, first, count)
		}
	}
	card, err := (&runfile.Checkpoint{Config: c}).Card("test")
	if err != nil {
		t.Fatal(err)
	}
	if card.Task != c.Train.Task || card.Trained.Min != 1 || card.Trained.Max != 20 ||
		len(card.Tokenizer) != c.Model.VocabSize {
		t.Errorf("card: task %q, lengths %v, %d pieces of %d",
			card.Task, card.Trained, len(card.Tokenizer), c.Model.VocabSize)
	}
	one, err := on("copy,reverse", "1..5", 1).Resolve()
	if err != nil || one.Train.Lengths != "1..5,1..5" {
		t.Errorf("one range for two tasks: %q, %v", one.Train.Lengths, err)
	}
}

// Every epoch shows every example of the fixed set once. The set is the same for
// every seed, grows at its end only, and holds no held-out prompt.
func TestFixedSet(t *testing.T) {
	c := on("copy,addition", "2..6", 1)
	c.Train.Examples, c.Train.Batch = 40, 8
	set := func(c runfile.Config, epoch int) []string {
		var out []string
		for step := range c.Train.Examples / c.Train.Batch {
			out = append(out, texts(t, c, epoch*c.Train.Examples/c.Train.Batch+step)...)
		}
		slices.Sort(out)
		return out
	}
	first := set(c, 0)
	if diff := cmp.Diff(first, set(c, 3)); diff != "" {
		t.Errorf("another epoch has other examples:\n%s", diff)
	}
	seed := c
	seed.Train.Seed = 99
	if diff := cmp.Diff(first, set(seed, 0)); diff != "" {
		t.Errorf("another seed has other examples:\n%s", diff)
	}
	large := c
	large.Train.Examples = 80
	all := set(large, 0)
	for _, s := range first {
		if _, found := slices.BinarySearch(all, s); !found {
			t.Errorf("%q is not in the larger set", s)
		}
	}
	if n := len(slices.Compact(slices.Clone(first))); n < 38 {
		t.Errorf("%d different examples of 40", n)
	}
	for _, s := range first {
		if prompt, _, ok := strings.Cut(s, "[SEP] "); ok && task.SplitOf(prompt+"[SEP] ") != task.Train {
			t.Errorf("%q is held out", s)
		}
	}
}

// Fixed sets and mixtures resume exactly too.
func TestResumeIsExactOnEveryKindOfData(t *testing.T) {
	fixed := on("lego+full", "2..4", 7)
	fixed.Train.Examples = 20 // an epoch ends within a step
	for _, cfg := range []runfile.Config{on("copy,summation", "1..4", 7), fixed} {
		whole, parts := t.TempDir(), t.TempDir()
		losses(t, start(t, whole, cfg))
		ctx, cancel := context.WithCancel(t.Context())
		r := start(t, parts, cfg)
		err := r.Run(ctx, func(s journal.Stats) {
			if s.Step == 3 {
				cancel()
			}
		})
		cancel()
		if !errors.Is(err, train.ErrInterrupted) {
			t.Fatalf("interrupted run ends with %v", err)
		}
		r.Close()
		if r, err = train.Resume(parts, train.Options{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Close)
		losses(t, r)
		sameWeights(t, final(t, parts), final(t, whole))
	}
}

// Settings that say what is the default leave the configuration's hash alone.
func TestHashOfDefaults(t *testing.T) {
	a, err := on("copy", "1..6", 1).Resolve()
	if err != nil {
		t.Fatal(err)
	}
	c := on("copy-cmc", "1..6", 1)
	c.Train.Tokenizer = "word"
	b, err := c.Resolve()
	if err != nil || a.Hash() != b.Hash() {
		t.Errorf("hashes %s and %s, %v", a.Hash(), b.Hash(), err)
	}
}

func TestDataErrors(t *testing.T) {
	for _, tc := range []struct{ task, lengths, rule, want string }{
		{"copy,cpoy", "", "", `train.task: unknown task "cpoy"`},
		{"copy,copy-cmc", "", "", "train.task: task copy is named twice"},
		{"copy+full", "", "", "has no scratchpad"},
		{"copy,reverse", "1..5,1..6,1..7", "", "3 ranges for 2 tasks"},
		{"copy,lego", "1..5", "",
			"train.lengths: task lego: no prompt has this length: length 1 is outside its lengths 2..26"},
		{"lego", "20..30", "", "length 30 is outside"},
		{"scan", "37..38", "", "length 37; the nearest are 36 and 40"},
		{"copy", "", "bpe", `train.tokenizer: tokenizer: unknown rule "bpe": known: word, char, byte`},
		{"", "", "", "train.task: unknown task"},
	} {
		c := on(tc.task, tc.lengths, 1)
		c.Train.Tokenizer = tc.rule
		if _, err := c.Resolve(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %s: error %v does not contain %q", tc.task, tc.lengths, err, tc.want)
		}
	}
	c := on("copy", "", 1)
	c.Train.Examples = -1
	if _, err := c.Resolve(); err == nil || !strings.Contains(err.Error(), "train.examples -1") {
		t.Errorf("examples -1: %v", err)
	}
}
