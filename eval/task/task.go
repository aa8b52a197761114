// Package task holds the synthetic tasks on which models are trained and
// measured: each draws samples of any length, knows its vocabulary and scores
// an answer.
//
// The prompts and targets of most are the strings of Kazemnejad et al., The Impact of
// Positional Encoding on Length Generalization in Transformers (2023), arXiv
// 2305.19466. Those that begin with [BOS] are of Huang et al. 2025 (see symbols.go), of
// Liu et al. 2023 (flipflop.go), of Merrill et al. 2024 (wordproblem.go) and of Arora et
// al. 2023 (mqar.go). A task is a value; adding one costs a file and a row in
// registry.go, or a call of Register from another module. Nothing here knows of models,
// tokens or results.
//
// # Names
//
// Lookup takes the name of a task and options, joined by "+":
//
//	addition
//	addition+full               with the whole scratchpad
//	addition+minimal            with computation and output alone
//	addition+i1c1o1v1r0         with the named parts (see stepParts)
//	copy+noprefix               without the constant first words
//	parity+paper                without held-out prompts, as in the paper
//	parity+full+noprefix
//	unique-copy+alphabet150     with 150 symbols, and so with lengths to 150
//	addition+reversed           with the lowest digit first, in all numbers
//	addition+padded             with summands filled with zeros to the length
//	addition+hints              with a word before each digit that tells its weight
//	addition+reversed+padded+hints
//	passkey+tokens              with lengths in tokens of the model that is measured
//	passkey+tokens+shots2+text:brown     with two examples before a text of the corpus brown
//	file:PATH                   the samples of a file, see below
//
// The constant first words of a prompt ("Copy:", "Compute") do the work of a
// token that marks the beginning, on which results may hinge; "noprefix" shows
// what happens without. A list of names with commas is a mixture, see LookupList.
//
// # Files
//
// A file of samples is a task by the name file:PATH. Each line is an object of JSON; the
// task has the lengths that occur, each as often as it has prompts, and its words:
//
//	{"prompt": "7 + 5 = ", "target": "12", "length": 1}
//
// The space at a prompt's end belongs to the answer's first token. Other fields are
// passed over, so the JSON lines of Task.Write can be read. An answer is right when its
// words are. Prompts are divided by their hashes as other tasks' are, whatever a
// field "split" says; a prompt that stands in the file twice counts once. A file has at
// most 1 GiB, and a line 1 MiB.
//
// A model of the task is stored with the name file:PATH#DIGEST, which finds the file
// again and refuses one with other contents. Results and folders have the name
// file-NAME-DIGEST, without the path: DIGEST is the start of the contents' SHA-256.
//
// # Splits
//
// Whether a prompt is for training, validation or test is a function of its
// hash (SplitOf). Two cases are exceptions, and Task.Sample heeds them: a
// length with fewer than MinSpace prompts is not divided, and the option "paper"
// draws all splits from the same prompts, as the paper's data do. Of
// SCAN's short commands the paper holds one in ten out, and trains on the others,
// each once an epoch; so does scan+paper (Listed), whose splits validation and test
// are those. A third is about measuring a model, and
// Task.SplitFor reports it: at a length that the model was not trained on all
// prompts are for the test if there are fewer than ManyPrompts, and none is left
// for validation, so that what is watched while training is never tested on.
//
// # Differences from the paper
//
// The paper's words come from its tokenizer in an order that cannot be had again
// and with special pieces among them that can never be scored; ours are 100 fixed
// words (see words.go), also for copy-rsc and copy-rsc2x, which in the paper draw
// from some 6,000. The paper holds no prompts out at trained lengths; SplitOf
// does. In the paper a space stands before the ". Thus," that closes a scratchpad,
// as it does here with the option "paper" alone: models of both kinds exist. PCFG's
// expressions are drawn anew, from a distribution fitted to the distribution of the published
// files (see pcfgtree.go). Lengths, other distributions and all other strings are the
// paper's.
package task

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
)

// Range is a closed range of lengths.
type Range struct {
	Min, Max int
}

// Contains reports whether length lies in the range.
func (r Range) Contains(length int) bool { return r.Min <= length && length <= r.Max }

// String returns the range as ParseRange reads it, such as "2..20".
func (r Range) String() string { return fmt.Sprintf("%d..%d", r.Min, r.Max) }

// Sample is one example: a model continues Prompt and should give Target.
type Sample struct {
	Prompt, Target string
	Length         int // the task's own measure, not a count of tokens
}

// Task is one task. Values come from Lookup and All; every field is set but
// those marked optional. A task written elsewhere joins them with Register.
type Task struct {
	Name        string
	Aliases     []string // optional: other names that Lookup accepts
	Version     int      // raised when a seed gives other samples, or an answer another score
	Description string   // one line: what is asked, and what a length counts
	Train       Range    // lengths that the paper trains on
	Beyond      Range    // longer lengths that the paper tests; for people
	Lengths     Range    // lengths that can be sampled

	// Has reports whether a length inside Lengths has any prompts; nil: every one.
	Has func(length int) bool

	// Space is the number of different prompts of a length, +Inf when it is past
	// counting. Where that is hard to tell it is a lower bound.
	Space func(length int) float64

	// Weight is the relative share of a length in the paper's data; nil: all
	// lengths have the same.
	Weight func(length int) float64

	// Special strings are single tokens (optional); Texts together contain every token
	// that a sample can (see tokenizer.Vocabulary).
	Special, Texts []string

	// Prefix is the constant start of every prompt; empty with "noprefix". Optional
	// for a task from elsewhere, which then cannot have that option.
	Prefix string

	// Generate draws a sample of a length inside Lengths. The same state of rng
	// gives the same sample.
	Generate func(rng *rand.Rand, length int) Sample

	// Correct reports whether generated, the text that a model wrote after the
	// prompt, holds the answer of target. What cannot be parsed is wrong.
	Correct func(target, generated string) bool

	// Chance is the probability in 0..1 of a correct answer by a guesser who
	// knows the form of an answer of this length but does not read the prompt.
	Chance func(length int) float64

	// Parts is set for a task with a scratchpad: the share of steps, in 0..1,
	// whose part is right, by the part's name (see stepParts). All are 0 when the
	// number of steps is wrong or one cannot be parsed.
	Parts func(target, generated string) map[string]float64

	// Answer returns the target of any well-formed prompt, drawn here or not.
	// Optional.
	Answer func(prompt string) (string, error)

	// Each yields every sample there is, in a fixed order. Optional.
	Each iter.Seq[Sample]

	// Read reads the files in which the task was first published: SCAN's lines of the form
	// "IN: jump twice OUT: I_JUMP I_JUMP", PCFG's prompts (.src) and answers (.tgt). The
	// samples have the task's own form, with the answers of the files: compare them with
	// Answer to check one against the other. An error names the line. Optional.
	Read func(files ...io.Reader) ([]Sample, error)

	// Corpus is set for a task of running text, which has no Generate: see CorpusPath for its
	// names. Sample draws a passage and what comes after it.
	Corpus *corpus

	// Hides is set for a task that hides facts in running text, and Tokens for one of random tokens: it draws a
	// sequence of a number of tokens, from token on, and says from where on it is told by what stands before. Both
	// can be asked of a model with any tokenizer, with the option "tokens", which sets InTokens: a length
	// is then tokens of the model, and package eval makes the prompts. Optional.
	Hides    *hidden
	Tokens   func(token func() int64, length int) (sequence []int64, from int)
	InTokens bool
	Shots    int     // examples before the text, with the option "shots"
	Hay      *corpus // of whose documents the filler is, with the option "text:NAME"; nil: of the task's own

	// Listed is the training set of a task whose paper trains on a list of different prompts, each of them
	// once an epoch. The option "paper" sets it for a task with Each; nil: prompts are drawn.
	Listed func() []Sample

	// Overlap is set by the option "paper": no prompts are held out, but at the trained
	// lengths of a task with Each (see Listed).
	Overlap bool

	// stored is what finds the task again where Name does not: the name of a file. Optional.
	stored string

	// What options add; the zero values are a task without.
	alphabet *symbolSet                 // of tasks whose number of symbols can be chosen
	dropped  string                     // what "noprefix" took from the prompts
	layouts  func(layout) Task          // of tasks whose numbers can be written in other ways
	plain    func(prompt string) string // undoes a layout; nil without
	scratch  *scratch                   // of tasks that can have a scratchpad
}

// ErrNoLength is returned (wrapped) when a task has no prompts of a length.
var ErrNoLength = errors.New("no prompt has this length")

// CheckLength returns an error, which wraps ErrNoLength, when the task has no samples of a length or bin. It names
// the lengths there are. A bin must end within the task's lengths, as its samples would else be shorter than
// it says, and hold a length that has prompts; its other lengths may have none.
func (t Task) CheckLength(s Span) error {
	switch {
	case !s.IsBin():
		return t.checkLength(s.Max)
	case s.Min < 1 || s.Max < s.Min:
		return fmt.Errorf("%d to %d is no bin of lengths", s.Min, s.Max)
	case s.Max > t.Lengths.Max:
		return fmt.Errorf("task %s: %w: the bin %s goes beyond its lengths %s", t.Name, ErrNoLength, s.Label(), t.Lengths)
	case len(t.LengthsIn(Range(s))) == 0:
		return fmt.Errorf("task %s: %w: none of the bin %s; its lengths are %s", t.Name, ErrNoLength, s.Label(), t.Lengths)
	}
	return nil
}

func (t Task) checkLength(length int) error {
	if !t.Lengths.Contains(length) {
		return fmt.Errorf("task %s: %w: length %d is outside its lengths %s", t.Name, ErrNoLength, length, t.Lengths)
	}
	if t.Has == nil || t.Has(length) {
		return nil
	}
	below, above := length, length
	for !t.Has(below) {
		below--
	}
	for !t.Has(above) {
		above++
	}
	return fmt.Errorf("task %s: %w: length %d; the nearest are %d and %d", t.Name, ErrNoLength, length, below, above)
}

// LengthsIn returns the lengths of r that have samples, ascending.
func (t Task) LengthsIn(r Range) []int {
	var out []int
	for n := max(r.Min, t.Lengths.Min); n <= min(r.Max, t.Lengths.Max); n++ {
		if t.Has == nil || t.Has(n) {
			out = append(out, n)
		}
	}
	return out
}
