package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/runtime"
)

// The fixed prompts that a model in another precision is compared with the float32 one on.
const (
	comparedPrompts = 50
	comparedSeed    = 1
)

// comparedFactors are the multiples of the longest trained length that prompts have.
var comparedFactors = []float64{1, 1.5, 2}

// difference compares a file in another precision, the second one, with the model's float32 file, run by one
// engine: logits on samples of the model's tasks, at and beyond the trained lengths, or on
// random tokens where it has no task; and exact matches on the same samples.
// With a tokenizer.json, bits per byte of a text too.
func difference(ctx context.Context, files [2]opener, tokenizer []byte) (d card.Difference, err error) {
	var all []compared
	var t text
	err = files[0].use(func(s *runtime.Session) (err error) {
		info := s.Info()
		if d.Engine = "pure Go, " + info.Version; info.Engine == "onnxruntime" {
			d.Engine = "ONNX Runtime " + info.Version + ", " + info.Provider
		}
		if all, err = comparedOf(ctx, s); err != nil {
			return err
		}
		if t, err = comparedText(ctx, tokenizer, info.Card.MaxLength); err == nil {
			d.BitsFloat32, err = t.bits(ctx, s)
		}
		return err
	})
	if err != nil {
		return d, err
	}
	err = files[1].use(func(s *runtime.Session) error {
		for _, c := range all {
			if err := c.with(ctx, s, &d); err != nil {
				return c.failed(err)
			}
		}
		d.Bits, err = t.bits(ctx, s)
		return err
	})
	return d, err
}

// compared is what the float32 file gave at one length of a task, or without a task.
type compared struct {
	sample
	task       *task.Task
	length     int
	correct, n int
}

// comparedOf has the float32 file answer. What the model or the split does not have is left out.
func comparedOf(ctx context.Context, s *runtime.Session) (all []compared, err error) {
	info := s.Info()
	c := info.Card
	add := func(one compared) error {
		if one.task != nil {
			var err error
			if one.correct, one.n, one.rows, err = one.measure(ctx, s); err != nil || one.n == 0 {
				return err
			}
		}
		var err error
		one.logits, err = s.Logits(ctx, one.rows)
		all = append(all, one)
		return err
	}
	if !tellsTraining(c) {
		n := assumedTrained
		if c.MaxLength > 0 {
			n = min(n, c.MaxLength)
		}
		err := add(compared{sample: sample{rows: [][]int64{randomIDs(rand.New(rand.NewPCG(1, 3)), n, info.VocabSize)}}})
		return all, err
	}
	tasks, err := task.LookupList(c.Task)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		for _, length := range comparedLengths(t, c) {
			one := compared{task: &t, length: length}
			if err := add(one); err != nil {
				return nil, one.failed(err)
			}
		}
	}
	return all, nil
}

// failed says where something failed.
func (c compared) failed(err error) error {
	if c.task == nil {
		return err
	}
	return fmt.Errorf("task %s, length %d: %w", c.task.Name, c.length, err)
}

// comparedLengths lists lengths of the task at the end of the trained ones, and beyond.
func comparedLengths(t task.Task, c card.Card) (out []int) {
	for _, factor := range comparedFactors {
		most := int(factor * float64(c.Trained.Max))
		lengths := t.LengthsIn(task.Range{Min: 1, Max: most})
		if len(lengths) == 0 {
			continue
		}
		if n := lengths[len(lengths)-1]; !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// measure counts a session's exact matches, and returns the rows that it was asked to score; none where the model or the split
// does not have the length.
func (c compared) measure(ctx context.Context, s *runtime.Session) (correct, n int, rows [][]int64, err error) {
	keep := &kept{Model: eval.Of(s)}
	row, err := eval.Measure(ctx, keep, s.Info().Card, eval.Config{Task: *c.task, N: comparedPrompts, Batch: comparedPrompts,
		Seed: comparedSeed, Split: task.Test, Untimed: true}, task.At(c.length))
	if err != nil || row.NA {
		return 0, 0, nil, err
	}
	return row.Correct, row.N, keep.rows, nil
}

// with adds to a difference what the file in another precision gives.
func (c compared) with(ctx context.Context, s *runtime.Session, d *card.Difference) error {
	if c.task != nil {
		correct, n, _, err := c.measure(ctx, s)
		if err != nil {
			return err
		}
		d.Accuracy = append(d.Accuracy,
			card.Accuracy{Task: c.task.Name, Length: c.length, N: n, Float32: c.correct, Correct: correct})
	}
	logits, err := s.Logits(ctx, c.rows)
	if err != nil {
		return err
	}
	g := between(c.logits, logits)
	if math.IsNaN(g.absolute) || math.IsInf(g.absolute, 0) {
		return errors.New("a logit is not finite: a value is too large for the precision; leave the model in float32")
	}
	d.Logit, d.Relative = max(d.Logit, g.absolute), max(d.Relative, g.worst)
	return nil
}

// kept is a model that keeps what it has read of the rows that it was asked to score.
type kept struct {
	eval.Model
	rows [][]int64
}

// Score implements eval.Model.
func (k *kept) Score(ctx context.Context, ids [][]int64, from []int) ([][]float64, error) {
	for _, row := range ids {
		k.rows = append(k.rows, row[:len(row)-1]) // the last token is only predicted
	}
	return k.Model.Score(ctx, ids, from)
}
