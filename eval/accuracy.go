package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

// Config says how a model is measured on samples of a task. All but Warmup, Repeat, Memory and OnBatch
// must be set; Environment as far as it is known.
//
// The samples of a length depend on task, split, seed and length, and on whether the model was trained on that
// length (task.Task.SplitFor). The length of each sample of a bin is drawn evenly among the bin's lengths that have
// different prompts left. Which ones depends on task, split, seed, the bin, and the lengths that the model was trained
// on. The samples of one length are the first ones that a row of that length alone has.
type Config struct {
	Task   task.Task
	N      int        // samples at each length
	Batch  int        // most sequences in one call of the model
	Seed   uint64     // of the samples
	Split  task.Split // Test, unless the model is measured on what it may have seen
	Warmup int        // times the first batch of each length is run untimed
	Repeat int        // times the samples are generated and timed; 0 is once
	// Untimed leaves out Speed, and with it what is generated for nothing but time: Warmup
	// and Repeat do nothing, and tokens that the model is certain to write are not generated
	// (see completeAll). Bins are never timed: the times of some lengths together are of none.
	Untimed bool
	// Halve leaves out the second half of the samples, where nothing is timed, if no answer of the first half is
	// right. The row is then the one that half of N gives.
	Halve bool

	// Of a task in tokens (task.Task.InTokens), which is never timed: Words is the tokenizer of a pretrained model, nil for the one
	// of its card; Vocab is how many tokens there are. Depth is where in the text the fact stands that is asked for, in percent;
	// nil draws it.
	Words tokenizer.Coder
	Vocab int
	Depth *int
	// Keep keeps what was read of a prompt of such a task until its answer is known, which takes the model's states twice. Else a
	// prompt is read again after a wrong answer.
	Keep bool

	Environment Environment
	Memory      MemoryMeter // nil leaves peak memory out

	// OnBatch, when not nil, is told how many samples are generated or scored, of total.
	OnBatch func(done, total int)
}

func (cfg Config) row(c card.Card, span task.Span) Row {
	r := describe(c, cfg.Environment)
	r.Measure = MeasureAccuracy
	r.Task, r.TaskVersion, r.Split = cfg.Task.Name, cfg.Task.Version, string(cfg.Split)
	r.Whole = cfg.allOneSplit(span, task.Range(c.Trained))
	r.Length, r.Seed, r.Batch = span.Max, cfg.Seed, cfg.Batch
	r.Untimed, r.Depth = cfg.Untimed || span.IsBin() || cfg.Task.InTokens, cfg.Depth
	if span.IsBin() {
		r.LengthMin = span.Min
	}
	return r
}

// allOneSplit is Row.Whole.
func (cfg Config) allOneSplit(span task.Span, trained task.Range) bool {
	lengths := cfg.Task.LengthsIn(task.Range(span))
	if seen := slices.DeleteFunc(slices.Clone(lengths), func(n int) bool { return !trained.Contains(n) }); len(seen) > 0 {
		lengths = seen
	}
	return slices.ContainsFunc(lengths, func(n int) bool {
		split, err := cfg.Task.SplitFor(n, cfg.Split, trained)
		return err == nil && split != cfg.Split
	})
}

func (cfg Config) ask(r *Row) {
	r.N, r.Asked, r.Warmup, r.Repeats = cfg.N, cfg.N, cfg.Warmup, cfg.Repeat
}

func (cfg Config) check(span task.Span) error {
	var err error
	switch {
	case cfg.Task.Name == "":
		err = errors.New("no task was chosen")
	case cfg.Split == "":
		err = errors.New("no split was chosen")
	case cfg.Warmup < 0:
		err = fmt.Errorf("warmup is %d, expected 0 or more batches", cfg.Warmup)
	}
	if err == nil && cfg.Task.InTokens {
		err = cfg.checkInTokens(span)
	}
	return cmp.Or(err, checkRange("n", cfg.N, 1, MaxSamples), checkRange("batch", cfg.Batch, 1, MaxBatch),
		checkRange("repeat", cfg.Repeat, 0, MaxRepeats))
}

func (cfg Config) label(span task.Span) string {
	return fmt.Sprintf("model %s: task %s: length %s", cfg.Environment.Model, cfg.Task.Name, span.Label())
}

func (cfg Config) measure(ctx context.Context, m Model, c card.Card, span task.Span, r *Row) (err error) {
	if cfg.Task.InTokens {
		cfg.Untimed = true
		r.Score, err = cfg.measureInTokens(ctx, m, c, span.Max)
		return err
	}
	a, err := newAccuracy(m, c, cfg)
	if err != nil {
		return err
	}
	a.cfg.Untimed = r.Untimed
	if m == nil {
		return a.available(ctx, c, span)
	}
	r.Score, r.Speed, err = a.measure(ctx, span)
	return err
}

// CheckLengths wants positive lengths or bins, one at least that the task has, and a model that can write the task's
// samples, as far as the least of them tells.
func CheckLengths(t task.Task, c card.Card, lengths []task.Span) error {
	var missing error
	least := 0
	for _, at := range lengths {
		err := t.CheckLength(at)
		switch {
		case err != nil && at.Min < 1:
			return err
		case err != nil:
			missing = cmp.Or(missing, err)
		case least == 0:
			least = t.LengthsIn(task.Range(at))[0]
		}
	}
	if least == 0 {
		return missing
	}
	_, _, _, err := SampleTokens(t, c, least, func(int, int) bool { return true })
	return err
}

// accuracy measures a model on samples of a task, at one length after another.
type accuracy struct {
	model     Model
	tok       *tokenizer.Tokenizer
	words     tokenizer.Coder // tok, or of a task in tokens the model's
	stop      int64           // token that ends an answer
	maxLength int             // positions, 0 = no limit
	trained   task.Range      // lengths
	cfg       Config

	completed, all int // of samples that are completed in parts: those of parts before, and of all
}

func newAccuracy(m Model, c card.Card, cfg Config) (*accuracy, error) {
	tok, err := tokenizer.New(c.Tokenizer)
	return &accuracy{model: m, tok: tok, words: tok, stop: tokenizer.EOS, maxLength: c.MaxLength, trained: task.Range(c.Trained), cfg: cfg}, err
}

func (s *accuracy) measure(ctx context.Context, span task.Span) (score Score, speed Speed, err error) {
	examples, prompts, err := s.fitting(ctx, span)
	if err != nil {
		return Score{}, Speed{}, err
	}
	if s.cfg.Untimed {
		examples, err = s.complete(ctx, span, examples)
	} else {
		speed, err = s.timeAll(ctx, examples)
	}
	if err != nil {
		return Score{}, Speed{}, err
	}
	score = s.tally(span, examples)
	score.Asked, score.Prompts = s.cfg.N, prompts
	return score, speed, nil
}

// complete fills in the outputs of all samples, or returns the first half of them where none of these is right
// and Config.Halve is set.
func (s *accuracy) complete(ctx context.Context, span task.Span, examples []example) ([]example, error) {
	half := s.cfg.N / 2
	if !s.cfg.Halve || half == 0 || half >= len(examples) {
		return examples, s.completeAll(ctx, examples)
	}
	s.all = len(examples)
	first, second := examples[:half], examples[half:]
	if err := s.completeAll(ctx, first); err != nil {
		return nil, err
	}
	s.completed = half
	if s.tally(span, first).Correct == 0 {
		s.cfg.N = half
		s.progress((s.repeats()+1)*len(second), len(second)) // nothing is left
		return first, nil
	}
	return examples, s.completeAll(ctx, second)
}

// timeAll generates all samples first and scores them after, so that neither
// time nor peak memory of generation holds any of the scoring.
func (s *accuracy) timeAll(ctx context.Context, examples []example) (Speed, error) {
	sortByPrompt(examples)
	speed, err := s.generateAll(ctx, examples)
	if err != nil {
		return Speed{}, err
	}
	return speed, s.scoreAll(ctx, s.repeats()*len(examples), examples)
}

// progress tells of samples done, of n or of both parts: each is generated as often as asked for, and
// scored once.
func (s *accuracy) progress(done, n int) {
	if each := s.repeats() + 1; s.cfg.OnBatch != nil {
		s.cfg.OnBatch(each*s.completed+done, each*max(n, s.all))
	}
}

func (s *accuracy) repeats() int {
	if s.cfg.Untimed {
		return 1
	}
	return max(s.cfg.Repeat, 1)
}
