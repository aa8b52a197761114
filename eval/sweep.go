package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

// Config says what a sweep measures. All but Warmup, Repeat, Memory and OnBatch
// must be set; Environment as far as it is known.
type Config struct {
	Task    task.Task
	Lengths []int      // in the order to measure
	N       int        // samples at each length
	Batch   int        // most sequences in one call of the model
	Seed    uint64     // of the samples
	Split   task.Split // Test, unless the model is measured on what it may have seen
	Warmup  int        // times the first batch of each length is run untimed
	Repeat  int        // times the samples are generated and timed; 0 is once
	// Untimed leaves out Speed, and with it what is generated for nothing but time: Warmup
	// and Repeat do nothing, and tokens that the model is certain to write are not generated
	// (see answerAll). Bins are never timed: the times of some lengths together are of none.
	Untimed bool

	Environment Environment
	Memory      MemoryMeter // nil leaves peak memory out

	// OnBatch, when not nil, is told of progress within a length or bin: done of total
	// samples generated or scored.
	OnBatch func(at task.Span, done, total int)
}

// Sweep measures a model at each length and returns one row each, in order. The
// samples of a length depend on task, split, seed and length, and on whether the
// model was trained on that length (task.Task.SplitFor). onRow, when
// not nil, is given each row as it is finished; its error ends the sweep.
//
// A length that the model cannot take (its card's maximum, or ErrTooLong), or at
// which the task or the split has no prompts, becomes a row with NA set; it is an
// error if the task has none of the lengths. Any other error,
// the end of ctx included, is returned with the rows finished before it.
func Sweep(ctx context.Context, m Model, c card.Card, cfg Config, onRow func(Row) error) ([]Row, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	if err := cfg.checkLengths(); err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	var rows []Row
	for _, length := range cfg.Lengths {
		row, err := MeasureLength(ctx, m, c, cfg, task.At(length))
		if err == nil && onRow != nil {
			err = onRow(row)
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// MeasureLength is Sweep for one length, or for a bin, whatever cfg.Lengths holds: what
// the task does not have (task.Task.CheckSpan) gives a row with NA set, and so does a bin
// whose longest samples the model cannot take.
//
// The length of each sample of a bin is drawn evenly among those of its lengths that have
// different prompts left. Which ones depends on task, split, seed, the bin, and the lengths
// that the model was trained on. The samples of one length are the first ones that a row
// of that length alone has.
func MeasureLength(ctx context.Context, m Model, c card.Card, cfg Config, at task.Span) (Row, error) {
	row, err := measureLength(ctx, m, c, cfg, at)
	if err != nil {
		return row, fmt.Errorf("eval: model %s: task %s: length %s: %w", cfg.Environment.Model, cfg.Task.Name,
			at.Label(), err)
	}
	return row, nil
}

func measureLength(ctx context.Context, m Model, c card.Card, cfg Config, at task.Span) (Row, error) {
	if ctx == nil {
		return Row{}, errNoContext
	}
	if err := cfg.check(); err != nil {
		return Row{}, err
	}
	tok, err := tokenizer.New(c.Tokenizer)
	if err != nil {
		return Row{}, err
	}
	cfg.Untimed = cfg.Untimed || at.IsBin()
	s := sweep{model: m, tok: tok, maxLength: c.MaxLength, trained: task.Range(c.Trained), cfg: cfg}
	row := newRow(c, cfg, at)
	row.Score, row.Speed, err = s.measure(ctx, at)
	if errors.Is(err, ErrTooLong) || errors.Is(err, task.ErrNoSplit) || errors.Is(err, task.ErrNoLength) {
		row.NA, row.Reason, err = true, err.Error(), nil
	}
	row.Untimed = cfg.Untimed && !row.NA
	return row, err
}

func (cfg *Config) check() error {
	switch {
	case cfg.Task.Name == "":
		return errors.New("no task was chosen")
	case cfg.Split == "":
		return errors.New("no split was chosen")
	case cfg.Warmup < 0:
		return fmt.Errorf("warmup is %d, expected 0 or more batches", cfg.Warmup)
	}
	return cmp.Or(checkRange("n", cfg.N, 1, MaxSamples), checkRange("batch", cfg.Batch, 1, MaxBatch),
		checkRange("repeat", cfg.Repeat, 0, MaxRepeats))
}

func (cfg *Config) checkLengths() error {
	if len(cfg.Lengths) == 0 {
		return errors.New("no lengths were chosen")
	}
	return CheckLengths(cfg.Task, task.Spans(cfg.Lengths...))
}

// CheckLengths wants positive lengths or bins, and one at least that the task has.
func CheckLengths(t task.Task, lengths []task.Span) error {
	var first error
	none := true
	for _, at := range lengths {
		err := t.CheckLength(at)
		if err != nil && at.Min < 1 {
			return err
		}
		if first == nil {
			first = err
		}
		none = none && err != nil
	}
	if none {
		return first
	}
	return nil
}

// CheckVocabulary wants a model that can write the task's samples, as far as one
// of them tells, which is not longer than it must be.
func CheckVocabulary(t task.Task, c card.Card, lengths []task.Span) error {
	for _, at := range lengths {
		if t.CheckLength(at) == nil {
			least := t.LengthsIn(task.Range(at))[0]
			_, _, _, err := GrowSample(t, c, least, func(int, int) bool { return true })
			return err
		}
	}
	return nil
}

// SampleTokens returns how many tokens prompt and target of a sample have, the
// end token included.
func SampleTokens(t task.Task, c card.Card, length int) (prompt, target int, err error) {
	tok, err := tokenizer.New(c.Tokenizer)
	if err != nil {
		return 0, 0, err
	}
	sample, err := t.Sample(sampleSource(t.Name, task.Test, 0, task.At(length)), length, task.Whole)
	if err != nil {
		return 0, 0, err
	}
	ids, start, err := tok.EncodePair(sample.Prompt, sample.Target)
	if err != nil {
		return 0, 0, fmt.Errorf("the model's vocabulary cannot write the task %s: %w", t.Name, err)
	}
	return start, len(ids) - start + 1, nil
}

// sweep is what stays the same from length to length.
type sweep struct {
	model     Model
	tok       *tokenizer.Tokenizer
	maxLength int        // positions, 0 = no limit
	trained   task.Range // lengths
	cfg       Config
}

func (s *sweep) measure(ctx context.Context, at task.Span) (score Score, speed Speed, err error) {
	examples, prompts, err := s.examples(ctx, at)
	if err != nil {
		return Score{}, Speed{}, err
	}
	if err := s.checkPositions(at, examples); err != nil || s.model == nil { // Unavailable asks no more
		return Score{}, Speed{}, err
	}
	if s.cfg.Untimed {
		err = s.answerAll(ctx, at, examples)
	} else {
		speed, err = s.timeAll(ctx, at, examples)
	}
	if err != nil {
		return Score{}, Speed{}, err
	}
	score = s.tally(at, examples)
	score.Asked, score.Prompts = s.cfg.N, prompts
	return score, speed, nil
}

// timeAll generates all samples first and scores them after, so that neither
// time nor peak memory of generation holds any of the scoring.
func (s *sweep) timeAll(ctx context.Context, at task.Span, examples []example) (Speed, error) {
	speed, err := s.generateAll(ctx, at, examples)
	if err != nil {
		return Speed{}, err
	}
	return speed, s.scoreAll(ctx, at, s.repeats()*len(examples), examples)
}

// progress tells of samples done: each is generated as often as asked for, and
// scored once.
func (s *sweep) progress(at task.Span, done, n int) {
	if s.cfg.OnBatch != nil {
		s.cfg.OnBatch(at, done, (s.repeats()+1)*n)
	}
}

func (s *sweep) repeats() int {
	if s.cfg.Untimed {
		return 1
	}
	return max(s.cfg.Repeat, 1)
}
