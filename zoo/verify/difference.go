package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// difference compares a file in another precision with the model's float32 file, run by one
// engine: logits on samples of the model's tasks, at and beyond the trained lengths, or on
// random tokens where it has no task; and exact matches on the same samples.
func difference(ctx context.Context, files [2][]byte, data [2]fs.FS, engine runtime.Options) (d card.Difference, err error) {
	var sessions [2]*runtime.Session
	for i, file := range files {
		engine.Beside = data[i]
		if sessions[i], err = runtime.OpenBytes(file, engine); err != nil {
			return d, err
		}
		defer func() { err = errors.Join(err, sessions[i].Close()) }()
	}
	info := sessions[0].Info()
	if d.Engine = "pure Go, " + info.Version; info.Engine == "onnxruntime" {
		d.Engine = "ONNX Runtime " + info.Version + ", " + info.Provider
	}
	c := info.Card
	if !tellsTraining(c) {
		n := assumedTrained
		if c.MaxLength > 0 {
			n = min(n, c.MaxLength)
		}
		rows := [][]int64{randomIDs(rand.New(rand.NewPCG(1, 3)), n, info.VocabSize)}
		return d, differ(ctx, sessions, rows, &d)
	}
	tasks, err := task.LookupList(c.Task)
	if err != nil {
		return d, err
	}
	for _, t := range tasks {
		for _, length := range comparedLengths(t, c) {
			if err := compareAt(ctx, sessions, t, length, &d); err != nil {
				return d, fmt.Errorf("task %s, length %d: %w", t.Name, length, err)
			}
		}
	}
	return d, nil
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

// compareAt compares at one length; what the model or the split does not have is left out.
func compareAt(ctx context.Context, sessions [2]*runtime.Session, t task.Task, length int, d *card.Difference) error {
	cfg := eval.Config{Task: t, N: comparedPrompts, Batch: comparedPrompts, Seed: comparedSeed,
		Split: task.Test, Untimed: true}
	var correct [2]int
	var rows [][]int64
	n := 0
	for i, s := range sessions {
		keep := &kept{Model: eval.Of(s)}
		row, err := eval.Measure(ctx, keep, s.Info().Card, cfg, task.At(length))
		if err != nil || row.NA {
			return err
		}
		if correct[i], n = row.Correct, row.N; i == 0 {
			rows = keep.rows
		}
	}
	d.Accuracy = append(d.Accuracy,
		card.Accuracy{Task: t.Name, Length: length, N: n, Float32: correct[0], Correct: correct[1]})
	return differ(ctx, sessions, rows, d)
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

// differ raises a difference to the logits' on some rows.
func differ(ctx context.Context, sessions [2]*runtime.Session, rows [][]int64, d *card.Difference) error {
	g, err := compare(ctx, sessions[0], sessions[1], rows)
	if err != nil {
		return err
	}
	if math.IsNaN(g.absolute) || math.IsInf(g.absolute, 0) {
		return errors.New("a logit is not finite: a value is too large for the precision; leave the model in float32")
	}
	d.Logit, d.Relative = max(d.Logit, g.absolute), max(d.Relative, g.worst)
	return nil
}
